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

    /// The names that the help shows: an earlier name is accepted, and in no help.
    @Test func haveTheOptionsOfTheHelp() throws {
        for command in try Self.guides().flatMap({ Self.commands(in: try String(contentsOf: $0, encoding: .utf8)) }) {
            var type: any ParsableCommand.Type = WaypostCLI.self
            var types = [type]
            let words = Self.words(of: command).dropFirst()
            for word in words {
                guard let next = type.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
                type = next
                types.append(next)
            }
            let help = types.map { WaypostCLI.helpMessage(for: $0, columns: 200) }.joined(separator: "\n")
            for option in words.filter({ $0.hasPrefix("--") }).map({ $0.prefix { $0 != "=" } }) where option != "--" {
                #expect(help.contains(try Regex("\(option)(?![a-z-])")), "\(command): \(option) is in no help")
            }
        }
    }

    /// The guide's table has a line for every check of the doctor, in the order in which it looks.
    @Test func describeEveryCheckOfTheDoctor() throws {
        let guide = Self.package.appending(path: "Sources/Waypost/Waypost.docc/Operating/Diagnosing.md")
        let lines = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").drop { !$0.hasPrefix("| check |") }
        let names = lines.prefix { $0.hasPrefix("|") }.compactMap { $0.firstMatch(of: #/^\| `([^`]+)` \|/#)?.1 }.map(String.init)
        #expect(names == Doctor.checks.map { $0.name })
    }

    /// The script that saves a tree keeps who may pass the folders, which cp alone does not: the doctor judges that.
    @Test func saveFoldersWithTheirRights() throws {
        let guide = Self.package.appending(path: "Sources/Waypost/Waypost.docc/Operating/Diagnosing.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let script = try #require(text.firstMatch(of: #/sudo sh -c '((?s:.*?))\nfor secret in/#)?.1)
        let folder = NSTemporaryDirectory() + "waypost-guide-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/fences/yard.kml"
        for path in [folder + "/fences", folder + "/copies"] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        }
        try "x".write(toFile: file, atomically: false, encoding: .utf8)
        let named = try #require(script.firstMatch(of: #/\$\(sed .*2>\/dev\/null\)/#)?.output)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.currentDirectoryURL = URL(filePath: folder + "/copies")
        shell.arguments = ["-c", String(script.replacing(named, with: file))]
        try shell.run()
        shell.waitUntilExit()
        let copy = folder + "/copies/tree" + file
        let attributes = try FileManager.default.attributesOfItem(atPath: (copy as NSString).deletingLastPathComponent)
        #expect(attributes[.posixPermissions] as? Int == 0o755)
    }

    @Test func areFoundWithoutWhatTheShellAdds() {
        let text =
            "text\n    sudo waypost log list        what there is\n    waypost status # now\n    rsync x\n\n    waypost log export >a && b\n"
        #expect(Self.commands(in: text) == ["waypost log list", "waypost status", "waypost log export"])
    }
}
