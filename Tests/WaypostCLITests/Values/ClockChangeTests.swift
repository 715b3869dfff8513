import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostCLI

/// Times that people type, on the days on which the clocks are set; the C library says what the clocks show.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Zurich"), "the system has no time zones"))
struct ClockChangeTests {
    private static let zones = [
        ("Europe/Zurich", 2026), ("America/St_Johns", 2010), ("America/St_Johns", 2026), ("Australia/Lord_Howe", 2026),
        ("Africa/Cairo", 2026), ("America/Havana", 2026), ("Europe/Dublin", 2026), ("Asia/Tokyo", 2026),
        ("CET-1CEST,M3.5.0,M10.5.0/3", 2026), ("STD0DST-1,J100,J330/12:30", 2026), ("STD0DST-1,J330/2,J340", 2026),
        ("<-0930>9:30<-0830>,M3.2.0/0,M11.1.0/0", 2027), ("AEST-10AEDT,M10.1.0,M4.1.0/3", 2028),
    ]

    private func time(_ seconds: Int64) -> UTCTime { UTCTime(millisecondsSince1970: seconds * 1_000) }
    private func time(_ text: String) throws -> UTCTime { try #require(UTCTime(rfc3339: text)) }

    @Test(arguments: zones) func findsEachMomentOfAYear(setting: String, year: Int) throws {
        let clocks = try #require(try LibraryClocks(setting, year: year))
        let first = try time("\(year)-01-01T00:00:00Z").secondsSince1970
        var wrong: [Int64] = []
        for shown in stride(from: first, to: first + 365 * 86_400, by: 1_800) {
            // Each half hour around a change, and one of each seven elsewhere.
            guard shown % 12_600 == 0 || clocks.changes.contains(where: { abs($0 - shown) < 2 * 86_400 }) else { continue }
            let expected = clocks.moments[shown] ?? []
            let found: [UTCTime] =
                switch clocks.zone.reading(of: time(shown)) {
                case .once(let moment): [moment]
                case .twice(let first, let second): [first, second]
                case .never(let change): clocks.changes.contains { (0..<1_800).contains($0 - change.secondsSince1970) } ? [] : [change]
                }
            if found != expected.map(time) { wrong.append(shown) }
        }
        #expect(clocks.showings.count > 17_000)
        #expect(wrong.isEmpty, "\(setting): \(wrong.prefix(5))")
    }

    @Test(arguments: zones) func takesATimeOfDayForItsMostRecentOccurrence(setting: String, year: Int) throws {
        let clocks = try #require(try LibraryClocks(setting, year: year))
        let first = try time("\(year)-01-01T00:00:00Z").secondsSince1970
        var (wrong, refused) = ([(Int64, Int64)](), 0)
        // Around each change every few hours and minutes; a change and a quiet day where there is none.
        for change in clocks.changes.filter({ $0 > first }) + [first + 20 * 86_400] {
            for now in stride(from: change - 26 * 3_600, to: change + 50 * 3_600, by: 7_500) {
                for secondOfDay in stride(from: Int64(0), to: 86_400, by: 1_800) {
                    let found = try? MomentText.timeOfDay(milliseconds: secondOfDay * 1_000).time(now: time(now), by: clocks.zone)
                    if found == nil { refused += 1 }
                    if found != clocks.lastMoment(at: secondOfDay, until: now).map(time) { wrong.append((now, secondOfDay)) }
                }
            }
        }
        #expect(wrong.isEmpty, "\(setting): \(wrong.prefix(5))")
        #expect((refused > 0) == clocks.changes.contains { $0 > first })
    }

    /// The times of the tester who saw an hour too much erased.
    @Test(arguments: [
        ("STD0DST-1,J100,J330/12:30", "2026-11-26T11:32:26Z", "11:31", "2026-11-26T11:31:00Z"),
        ("STD0DST-1,J100,J330/12:30", "2026-11-26T11:32:26Z", "11:31:59.500", "2026-11-26T11:31:59.500Z"),
        ("STD0DST-1,J100,J330/12:30", "2026-11-26T11:32:26Z", "11:40", "2026-11-26T10:40:00Z"),
        ("STD0DST-1,J100,J330/3", "2026-11-26T11:32:26Z", "02:30", "2026-11-26T02:30:00Z"),
        // Midnight that comes twice, or never, begins the day all the same.
        ("America/Havana", "2026-11-01T12:00:00Z", "today", "2026-11-01T04:00:00Z"),
        ("Africa/Cairo", "2026-04-24T12:00:00Z", "today", "2026-04-23T22:00:00Z"),
        ("Africa/Cairo", "2026-04-25T12:00:00Z", "yesterday", "2026-04-23T22:00:00Z"),
        ("Africa/Cairo", "2026-04-25T12:00:00Z", "2026-04-24", "2026-04-23T22:00:00Z"),
        ("Europe/Zurich", "2026-10-26T12:00:00Z", "yesterday", "2026-10-24T22:00:00Z"),
        // The day that Samoa left out.
        ("Pacific/Apia", "2011-12-30T20:00:00Z", "yesterday", "2011-12-29T10:00:00Z"),
    ])
    func readsWhatWasTyped(setting: String, now: String, text: String, moment: String) throws {
        let zone = try #require(TimeZoneFolder.rules(ofSetting: setting))
        #expect(try MomentText(text)?.time(now: time(now), by: zone) == time(moment))
    }

    @Test(arguments: [
        (
            "STD0DST-1,J330/2,J340", "2026-11-26T11:32:26Z", "02:30",
            "2026-11-26 02:30:00: they go from 2026-11-26 02:00:00 to 2026-11-26 03:00:00"
        ),
        (
            "Europe/Zurich", "2026-11-26T11:32:26Z", "2026-03-29T02:59",
            "2026-03-29 02:59:00: they go from 2026-03-29 02:00:00 to 2026-03-29 03:00:00"
        ),
        (
            "Australia/Lord_Howe", "2026-11-26T11:32:26Z", "2026-10-04 02:15",
            "2026-10-04 02:15:00: they go from 2026-10-04 02:00:00 to 2026-10-04 02:30:00"
        ),
        (
            "Pacific/Apia", "2026-11-26T11:32:26Z", "2011-12-30",
            "2011-12-30 00:00:00: they go from 2011-12-30 00:00:00 to 2011-12-31 00:00:00"
        ),
    ])
    func refusesATimeThatNeverCame(setting: String, now: String, text: String, words: String) throws {
        let zone = try #require(TimeZoneFolder.rules(ofSetting: setting))
        let moment = try #require(MomentText(text))
        let problem = #expect(throws: ArgumentProblem.self) { try moment.time(now: try time(now), by: zone) }
        #expect(problem?.description == "the clocks never show \(words); write that, or a time before the change")
    }

    @Test func asksWhichOfTwoTimesIsMeant() throws {
        let zone = try #require(TimeZoneFolder.rules(ofSetting: "Europe/Zurich"))
        let moment = try #require(MomentText("2026-10-25T02:30"))
        #expect(try moment.time(by: zone, ofTwo: .first) == time("2026-10-25T00:30:00Z"))
        #expect(try moment.time(by: zone, ofTwo: .last) == time("2026-10-25T01:30:00Z"))
        let problem = #expect(throws: ArgumentProblem.self) { try moment.time(by: zone, ofTwo: .refused) }
        let forms = ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]
        #expect(problem?.description.hasSuffix("; write \(forms[0]) or \(forms[1])") == true)
        for (form, time) in zip(forms, ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]) {
            #expect(try MomentText(form)?.time(by: zone, ofTwo: .refused) == self.time(time))
        }
    }

    @Test func namesAStretchByTheClocksOfEachEnd() throws {
        let format = ScreenFormat(zone: try #require(TimeZoneFolder.rules(ofSetting: "Europe/Zurich")))
        let (first, second, third) = (
            try time("2026-10-25T00:30:00Z"), try time("2026-10-25T01:30:00Z"), try time("2026-10-25T23:00:00Z")
        )
        #expect(format.stretch(from: first, until: second) == "from 2026-10-25 02:30:00 (UTC+2) until 2026-10-25 02:30:00 (UTC+1)")
        #expect(format.stretch(from: second, until: third) == "from 2026-10-25 02:30:00 until 2026-10-26 00:00:00 (UTC+1)")
    }
}
