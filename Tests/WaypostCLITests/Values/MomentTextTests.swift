import Testing
import Waypost

@testable import WaypostCLI

/// Moments as people write them.
@Suite struct MomentTextTests {
    /// A Sunday in Berlin, ten past one at night.
    private func moment(_ form: String) throws -> UTCTime? {
        let now = try #require(UTCTime(rfc3339: "2026-11-22T00:10:00Z"))
        let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        return try MomentText(form)?.time(now: now, by: zone)
    }

    @Test(arguments: [
        ("2026-11-21T11:33:28Z", "2026-11-21T11:33:28Z"),
        ("2026-11-21T11:33:28+02:00", "2026-11-21T09:33:28Z"),
        // By the clocks of who writes it.
        ("2026-11-21T11:33:28", "2026-11-21T10:33:28Z"),
        ("2026-11-21 11:33:28", "2026-11-21T10:33:28Z"),
        ("2026-11-21 11:33:28.250", "2026-11-21T10:33:28.250Z"),
        ("2026-11-21T11:33", "2026-11-21T10:33:00Z"),
        ("2026-07-21T11:33", "2026-07-21T09:33:00Z"),
        // Seconds may be left out before a zone, too.
        ("2026-11-21T11:33Z", "2026-11-21T11:33:00Z"),
        ("2026-11-21T11:33+01:00", "2026-11-21T10:33:00Z"),
        ("2026-11-21 11:33-05:00", "2026-11-21T16:33:00Z"),
        ("2026-11-21", "2026-11-20T23:00:00Z"),
        ("today", "2026-11-21T23:00:00Z"),
        ("yesterday", "2026-11-20T23:00:00Z"),
        ("now", "2026-11-22T00:10:00Z"),
        // The last one there was.
        ("01:10", "2026-11-22T00:10:00Z"),
        ("01:11", "2026-11-21T00:11:00Z"),
        ("01:09:59", "2026-11-22T00:09:59Z"),
        ("01:10:00.500", "2026-11-21T00:10:00.500Z"),
        ("-1h", "2026-11-21T23:10:00Z"),
        ("-90 min", "2026-11-21T22:40:00Z"),
        ("-1.5d", "2026-11-20T12:10:00Z"),
    ]) func namesAMoment(form: String, moment: String) throws {
        #expect(try self.moment(form) == UTCTime(rfc3339: moment))
    }

    @Test(arguments: [
        "", "-", "-1", "1h", "25:00", "24:00", "15:60", "2026-13-01", "2026-11-22T", "tomorrow", "-1 fortnight", "20261122",
        "-99999999999d",
    ])
    func refusesWhatNamesNone(form: String) throws {
        #expect(MomentText(form) == nil)
    }

    @Test func takesAWholeNumberForACursor() throws {
        #expect(try LogMoment.parse("2026") == .cursor(2_026))
        #expect(try LogMoment.parse("2026-11-22T00:00:00Z") == .time(.moment(try #require(UTCTime(rfc3339: "2026-11-22T00:00:00Z")))))
        #expect(throws: ArgumentProblem.self) { try LogMoment.parse("-4711") }
    }
}
