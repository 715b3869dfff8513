import Foundation
import Testing
import Waypost
import WaypostConfiguration

/// What the guides show of a configuration is one that is read without a mistake.
@Suite struct GuideExamplesTests {
    private static let guides = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Waypost/Waypost.docc")

    /// The guide that shows a policy instead.
    private static let policyGuide = "WhoMayKnow"

    /// Every guide that shows any.
    private static let names = [
        "ComingFromGPSD", "Diagnosing", "Dispatching", "FromAnEmptyCard", "OperatingATracker", "Privacy", "RaspberryPi", "RoadsAndRoutes",
        "SendingToKnownServers", "SharingPositions", "TheMapPage",
    ]

    /// All guides, in whatever folder they are.
    private static func all() throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: guides.path()).filter { $0.hasSuffix(".md") }.map { guides.appending(path: $0) }
    }

    private static func examples(named name: String) throws -> [String] {
        try examples(in: try #require(try all().first { $0.deletingPathExtension().lastPathComponent == name }))
    }

    private static func examples(in guide: URL) throws -> [String] {
        try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "\n```toml\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] + "\n" }
    }

    @Test(arguments: names) func showsConfigurationsThatAreRead(guide: String) throws {
        let examples = try Self.examples(named: guide)
        #expect(!examples.isEmpty)
        for example in examples { #expect(mistakes(in: example) == [], "\(example)") }
    }

    @Test func leavesNoGuideOut() throws {
        let withExamples = try Self.all().filter { try !Self.examples(in: $0).isEmpty }
        #expect(withExamples.map { $0.deletingPathExtension().lastPathComponent }.sorted() == (Self.names + [Self.policyGuide]).sorted())
    }

    @Test func showsAPolicyThatIsRead() throws {
        let examples = try Self.examples(named: Self.policyGuide)
        #expect(!examples.isEmpty)
        for example in examples {
            let (source, notices) = PolicyFile.read(Array(example.utf8), name: "policy.toml")
            // A machine need not have the users of the example.
            #expect(notices.allSatisfy { $0.contains(": there is no user ") || $0.contains(": there is no group ") }, "\(notices)")
            if case .broken(let reason) = source { Issue.record("\(reason)") }
        }
    }
}
