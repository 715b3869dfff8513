import Foundation
import Testing

/// What the guides show of a configuration is one that is read without a mistake.
@Suite struct GuideExamplesTests {
    private static let guides = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Waypost/Waypost.docc")

    /// Every guide that shows any.
    private static let names = [
        "ComingFromGPSD", "Diagnosing", "Dispatching", "FromAnEmptyCard", "OperatingATracker", "Privacy", "RaspberryPi",
        "SendingToKnownServers", "SharingPositions", "TheMapPage",
    ]

    private static func examples(in guide: URL) throws -> [String] {
        try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "\n```toml\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] + "\n" }
    }

    @Test(arguments: names) func showsConfigurationsThatAreRead(guide: String) throws {
        let examples = try Self.examples(in: Self.guides.appending(path: "\(guide).md"))
        #expect(!examples.isEmpty)
        for example in examples { #expect(mistakes(in: example) == [], "\(example)") }
    }

    @Test func leavesNoGuideOut() throws {
        let all = try FileManager.default.contentsOfDirectory(at: Self.guides, includingPropertiesForKeys: nil)
        let withExamples = try all.filter { try $0.pathExtension == "md" && !Self.examples(in: $0).isEmpty }
        #expect(withExamples.map { $0.deletingPathExtension().lastPathComponent }.sorted() == Self.names)
    }
}
