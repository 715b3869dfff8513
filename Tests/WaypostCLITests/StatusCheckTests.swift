import Testing
import WaypostControl

@testable import WaypostCLI

/// What the tracker says is wrong, and the doctor has no check for.
@Suite struct StatusCheckTests {
    private func reports(_ change: (inout StatusReport) -> Void) throws -> [(check: String, report: CheckReport)] {
        var status = StatusReport()
        change(&status)
        let system = try FakeSystem()
        try system.write(String(decoding: status.line, as: UTF8.self) + "\n", to: "/commands/status.json")
        return system.examine()
    }

    @Test func findsWhatMakesTheTrackerDegraded() throws {
        let report = try #require(
            try reports { ($0.health, $0.problems) = (.degraded, ["the files of the map page are not installed: /x", "more"]) }.last?.report
        )
        let finding = try #require(report.findings.first)
        #expect(finding.level == .fault && finding.evidence.count == 2)
        #expect(finding.what == "the tracker is degraded: the files of the map page are not installed: /x, and 1 more problem")
    }

    @Test func hasNothingToSayOfOneThatIsWellOrTellsNothing() throws {
        #expect(try reports { ($0.health, $0.problems) = (.healthy, []) }.last?.report == .well)
        let hidden = try reports { ($0.health, $0.problems) = (.degraded, nil) }.last?.report
        #expect(hidden == .notChecked("the tracker tells this user no problems"))
    }
}
