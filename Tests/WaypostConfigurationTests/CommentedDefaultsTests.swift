import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostConfiguration

/// `Config/waypost.toml` must show exactly what the program does.
///
/// The first test may write the file, so the others wait for it.
@Suite(.serialized) struct CommentedDefaultsTests {
    private let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Config/waypost.toml")

    /// Set WAYPOST_WRITE_DEFAULTS=1 to write the file anew after a change of the key table.
    @Test func fileIsWhatTheKeyTableSays() throws {
        let expected = Configuration.commentedDefaults()
        if ProcessInfo.processInfo.environment["WAYPOST_WRITE_DEFAULTS"] == "1" {
            try Data(expected.utf8).write(to: file, options: .atomic)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == expected, "run the tests once with WAYPOST_WRITE_DEFAULTS=1")
    }

    @Test func fileAsItIsChangesNothing() throws {
        let loaded = try Configuration.load(path: file.path, paths: .service)
        #expect(loaded.configuration == Configuration(paths: .service))
        #expect(loaded.origins.isEmpty)
    }

    @Test func everyKeyIsThereWithItsDefault() throws {
        // A setting is a '#' that no space follows; prose has one.
        let text = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? String($0.dropFirst()) : String($0) }.joined(separator: "\n")
        let loaded = try readConfiguration(text)
        #expect(loaded.configuration == Configuration(paths: .service))
        let known = Configuration.sections.flatMap { section in section.keys.map { "\(section.header) \($0.name)" } }
        #expect(Set(loaded.origins.keys) == Set(known))
        #expect(known.count == Set(known).count)
    }

    @Test func everyKeyIsExplainedInOneLine() {
        for section in Configuration.sections {
            for key in section.keys {
                #expect(key.documentation.hasSuffix("."), "\(section.header) \(key.name)")
                #expect(!key.documentation.contains("\n"), "\(section.header) \(key.name)")
            }
        }
    }
}
