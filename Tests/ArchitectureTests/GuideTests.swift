import Foundation
import Testing

/// What the guides show is code that is built and run: each block of Swift stands in a file of `Tests/Examples`, word for word.
struct GuideTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: [
        "Waypost/Waypost.docc/Library/GettingStarted", "Waypost/Waypost.docc/Library/TestingWithRecordings",
        "Waypost/Waypost.docc/Library/WritingASource",
        "WaypostKit/WaypostKit.docc/GettingStarted", "WaypostKit/WaypostKit.docc/TalkingToTheTracker",
        "WaypostKit/WaypostKit.docc/Recording", "WaypostKit/WaypostKit.docc/Sending", "WaypostKit/WaypostKit.docc/Fences",
        "WaypostKit/WaypostKit.docc/TestingAtYourDesk", "WaypostKit/WaypostKit.docc/FromCoreLocation",
        "WaypostKit/WaypostKit.docc/FromTheHERESDK",
    ])
    func showsOnlyCodeOfTheExamples(guide: String) throws {
        let text = try String(contentsOf: Self.package.appending(path: "Sources/\(guide).md"), encoding: .utf8)
        let blocks = Self.blocks(in: text)
        #expect(!blocks.isEmpty)
        let examples = try Self.examples()
        for block in blocks {
            #expect(examples.contains { $0.contains("\n" + block) }, "in no example:\n\(block)")
        }
    }

    /// The consumer that a guide shows is the one that a proof runs.
    @Test func showsTheConsumerThatIsProved() throws {
        let text = try String(
            contentsOf: Self.package.appending(path: "Sources/Waypost/Waypost.docc/Sending/Dispatching.md"), encoding: .utf8)
        let script = try String(contentsOf: Self.package.appending(path: "Tests/Scripts/Tools/mqtt_consumer.py"), encoding: .utf8)
        #expect(Self.blocks(in: text, language: "python") == [script])
    }

    @Test func findsTheBlocksOfAGuide() {
        #expect(Self.blocks(in: "a\n```swift\nlet b = 1\n\nlet c = 2\n```\nd\n```\nno\n```\n") == ["let b = 1\n\nlet c = 2\n"])
    }

    /// What stands between ```` ```swift ```` and the next fence.
    private static func blocks(in text: String, language: String = "swift") -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().map { part in
            part.components(separatedBy: "\n```")[0] + "\n"
        }
    }

    /// The files, each with a line end before its first line.
    private static func examples() throws -> [String] {
        let folder = package.appending(path: "Tests/Examples")
        return try ["Sources", "Tests"].flatMap { part in
            try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: part).path()).filter { $0.hasSuffix(".swift") }
                .map { try "\n" + String(contentsOf: folder.appending(path: "\(part)/\($0)"), encoding: .utf8) }
        }
    }
}
