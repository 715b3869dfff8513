import ArgumentParser
import Foundation
import Testing

@testable import WaypostCLI

/// The commands that guides and help show can be typed as they stand.
@Suite struct GuideCommandsTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The command lines of a guide's code blocks, without `sudo`, comments and what follows in a pipe.
    private static func commands(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("    ") || line.hasPrefix("$ ") else { return nil }
            var words = line.trimmingPrefix("$").trimmingPrefix { $0 == " " }
            words = words.trimmingPrefix("sudo ")
            guard words.hasPrefix("waypost ") else { return nil }
            // Behind the command: what the shell makes of its output, a comment, or what it does, in a column of its own.
            let ends = ["   ", " #", " >", " |", " &&", ";"].compactMap { words.range(of: $0)?.lowerBound }
            return String(words[..<(ends.min() ?? words.endIndex)])
        }
    }

    private static func guides() throws -> [URL] {
        let folder = package.appending(path: "Sources/Waypost/Waypost.docc")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".md") }.map {
            folder.appending(path: $0)
        }
            + [package.appending(path: "README.md")]
    }

    /// Words of a command line; quotation marks keep what is in them together.
    private static func words(of command: String) -> [String] {
        var words: [String] = []
        for (index, part) in command.split(omittingEmptySubsequences: false, whereSeparator: { "\"'".contains($0) }).enumerated() {
            if index % 2 == 1 { words.append(String(part)) } else { words += part.split(separator: " ").map(String.init) }
        }
        return words
    }

    @Test func canAllBeTyped() throws {
        let commands = try Self.guides().flatMap { Self.commands(in: try String(contentsOf: $0, encoding: .utf8)) }
        #expect(commands.count > 10)
        for command in commands {
            let words = CommandLineWords(Array(Self.words(of: command).dropFirst()))
            #expect(throws: Never.self, "\(command)") { try WaypostCLI.parseAsRoot(words.joined) }
        }
    }

    @Test func areFoundWithoutWhatTheShellAdds() {
        let text =
            "text\n    sudo waypost log list        what there is\n    waypost status # now\n    rsync x\n\n    waypost log export >a && b\n"
        #expect(Self.commands(in: text) == ["waypost log list", "waypost status", "waypost log export"])
    }
}
