import ArgumentParser
import Testing

@testable import WaypostCLI

/// Who names a destination where a command takes none by its name alone is told the command that does what was meant.
@Suite struct DispatchNamesTests {
    @Test(arguments: [
        ("dispatch home", "waypost dispatch status --to home"),
        ("dispatch home --json", "waypost dispatch status --to home"),
        ("dispatch status home", "waypost dispatch status --to home"),
        ("dispatch status home --json", "waypost dispatch status --to home --json"),
        ("dispatch drop home", "waypost dispatch drop --all --to home"),
        ("dispatch drop --all home", "waypost dispatch drop --all --to home"),
        ("dispatch retry home", "waypost dispatch retry --to home"),
        ("dispatch drop 12 home", "waypost dispatch drop 12 --to home"),
        ("dispatch retry 12 home", "waypost dispatch retry 12 --to home"),
    ]) func namesTheCommandThatWasMeant(line: String, command: String) throws {
        let words = CommandLineWords(line.split(separator: " ").map(String.init))
        let error = #expect(throws: (any Error).self) { _ = try WaypostCLI.parseAsRoot(words.joined) }
        let failure = words.failure(WaypostCLI.message(for: try #require(error)))
        let separators = ["; ", ", ", ": "]
        let ends = separators.contains { failure.line.contains("\(command)\($0)") } || failure.line.hasSuffix(command)
        #expect(ends, "\(failure.line)")
        // The command is one.
        let meant = command.split(separator: " ").dropFirst().map(String.init)
        #expect(throws: Never.self) { _ = try WaypostCLI.parseAsRoot(meant) }
    }

    @Test func quotesANameForTheShell() throws {
        let words = CommandLineWords(["dispatch", "drop", "my server"])
        let error = #expect(throws: (any Error).self) { _ = try WaypostCLI.parseAsRoot(words.joined) }
        let line = words.failure(WaypostCLI.message(for: try #require(error))).line
        #expect(line.contains("waypost dispatch drop --all --to 'my server'"), "\(line)")
    }
}
