import Testing
import Waypost

@testable import WaypostDispatch

@Suite struct HealthReportTests {
    @Test func tellsWhatIsKnownAndNothingElse() {
        var report = HealthReport(destination: "home", version: "1.2", uptimeSeconds: 90)
        #expect(
            report.json
                == .object([
                    "destination": .string("home"), "version": .string("1.2"), "uptime": .integer(90), "clock": .string("unknown"),
                    "fences": .integer(0),
                ]))
        report.waitingCount = 12
        report.oldestSeconds = 340
        report.deadLetterCount = 1
        report.droppedCount = 2
        report.diskFreeByteCount = 1 << 30
        report.clock = .certain
        report.fenceCount = 40
        report.fenceSet = "9f86d081884c7d65"
        #expect(report.json["waiting"]?.int == 12 && report.json["oldest_seconds"]?.int == 340)
        #expect(report.json["dead_letters"]?.int == 1 && report.json["dropped"]?.int == 2)
        #expect(report.json["disk_free"]?.int == 1 << 30 && report.json["clock"]?.string == "certain")
        #expect(report.json["fences"]?.int == 40 && report.json["fence_set"]?.string == "9f86d081884c7d65")
    }

    @Test func namesTheSameFencesAlikeInAnyOrder() throws {
        func feature(_ name: String, _ longitude: Int) -> String {
            #"{"type":"Feature","id":"\#(name)","properties":{"name":"\#(name)","radius":50},"#
                + #""geometry":{"type":"Point","coordinates":[\#(longitude),47]}}"#
        }
        let bytes = Array(#"{"type":"FeatureCollection","features":[\#(feature("a", 1)),\#(feature("b", 2))]}"#.utf8)
        let fences = try FenceFormat.read(bytes).fences
        #expect(fences.count == 2)
        #expect(HealthReport.fenceSet([]) == nil)
        let set = try #require(HealthReport.fenceSet(fences))
        #expect(set.count == 16 && set == HealthReport.fenceSet(fences.reversed()))
        #expect(set != HealthReport.fenceSet([fences[0]]))
    }

    @Test func isForTheDestinationWhoseQueueItTellsOf() {
        let report = HealthReport(destination: "home", version: "1", uptimeSeconds: 1)
        let record = DispatchRecord(id: "h", lane: .events, sequence: 1, age: nil, content: .health(report.json))
        #expect(record.isMeant(for: "home") && !record.isMeant(for: "work"))
        let open = DispatchRecord(id: "h", lane: .events, sequence: 1, age: nil, content: .health(.object([:])))
        #expect(open.isMeant(for: "work"))
    }

    @Test func tellsEachAtItsOwnInterval() {
        var schedule = HealthSchedule([("often", .seconds(10)), ("never", .zero), ("seldom", .seconds(3_600))], at: 0)
        #expect(schedule.milliseconds(at: 0) == 10_000)
        #expect(schedule.takeDue(at: 9_999) == [])
        #expect(schedule.takeDue(at: 10_000) == ["often"])
        #expect(schedule.milliseconds(at: 10_000) == 10_000)
        #expect(schedule.takeDue(at: 60_000) == ["often", "seldom"], "what was missed is told once")
        #expect(schedule.milliseconds(at: 60_000) == 10_000)
        #expect(schedule.takeDue(at: 3_600_000) == ["often"])
        #expect(schedule.takeDue(at: 3_660_000) == ["often", "seldom"])
    }

    @Test func wakesNobodyWhereNoneWantsToKnow() {
        #expect(HealthSchedule([("home", .zero), ("work", .milliseconds(999))], at: 0).milliseconds(at: 0) == nil)
    }
}
