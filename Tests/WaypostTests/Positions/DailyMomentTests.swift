import Foundation
import Testing

@testable import Waypost

/// Times of day at places, and the clocks that they are told by.
@Suite struct DailyMomentTests {
    private func time(_ text: String) throws -> UTCTime { try #require(UTCTime(rfc3339: text)) }

    /// Clocks that follow a rule alone, as those of a file without transitions.
    private func zone(_ posix: String) throws -> TimeZoneRules {
        let rule: DaylightRule = try #require(DaylightRule(posix: posix))
        return TimeZoneRules(first: 0, transitions: [], footer: rule)
    }

    @Test(arguments: [
        ("JST-9", "04:00", "2026-11-21T18:59:59Z", "2026-11-21T19:00:00Z", "2026-11-20T19:00:00Z"),
        ("JST-9", "04:00", "2026-11-21T19:00:00Z", "2026-11-22T19:00:00Z", "2026-11-21T19:00:00Z"),
        ("<-0930>9:30", "00:00", "2026-11-21T09:29:00Z", "2026-11-21T09:30:00Z", "2026-11-20T09:30:00Z"),
        // The clocks go from 02:00 to 03:00: half past two is half past three that day.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "02:30", "2026-03-29T00:00:00Z", "2026-03-29T01:30:00Z", "2026-03-28T01:30:00Z"),
        // From 03:00 to 02:00: half past two comes twice, the first one counts.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "02:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-24T00:30:00Z"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "02:30", "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z", "2026-10-25T00:30:00Z"),
    ])
    func comesEveryDayByTheClocksOfThePlace(posix: String, clock: String, now: String, next: String, last: String) throws {
        let parts = clock.split(separator: ":").compactMap { Int($0) }
        let moment = DailyMoment(minuteOfDay: parts[0] * 60 + parts[1], zone: try zone(posix))
        #expect(moment.next(after: try time(now)) == (try time(next)))
        #expect(moment.last(before: try time(now)) == (try time(last)))
    }

    @Test(arguments: [
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 11), ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 10),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -5), ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -4),
        ("XXX3EDT4,0/0,J365/23", "2026-06-01T00:00:00Z", -4), ("UTC0", "2026-06-01T00:00:00Z", 0),
    ])
    func followsARuleForEver(posix: String, now: String, hours: Int) throws {
        #expect(try zone(posix).offsetSeconds(at: try time(now)) == hours * 3_600)
    }

    @Test(arguments: [
        "", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x", "<CET-1", "CET-999",
    ])
    func refusesWhatIsNoRule(text: String) { #expect(DaylightRule(posix: text) == nil) }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "the system has no time zones"))
    func readsTheSystemsZonesAndNothingThatIsCutOff() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
        let zone = try #require(TimeZoneRules(file: bytes))
        for (now, hours) in [
            ("1985-12-01T00:00:00Z", 1), ("2026-07-01T00:00:00Z", 2), ("2026-10-25T00:59:59Z", 2), ("2026-10-25T01:00:00Z", 1),
            ("2060-07-01T00:00:00Z", 2), ("2060-12-01T00:00:00Z", 1),
        ] {
            #expect(zone.offsetSeconds(at: try time(now)) == hours * 3_600, "\(now)")
        }
        for count in 0..<bytes.count - 1 { #expect(TimeZoneRules(file: Array(bytes.prefix(count))) == nil) }
        // Whatever a byte is changed to: read or refused, and no crash.
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<3 { changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            if let zone = TimeZoneRules(file: changed) {
                #expect(abs(zone.offsetSeconds(at: try time("2026-07-01T00:00:00Z"))) < 100 * 86_400)
            }
        }
    }
}
