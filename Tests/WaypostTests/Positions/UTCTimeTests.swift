import Testing
import Waypost

@Suite struct UTCTimeTests {
    @Test func knowsTheEpochAndLeapDays() {
        #expect(UTCTime(year: 1970, month: 1, day: 1)?.millisecondsSince1970 == 0)
        #expect(UTCTime(year: 2000, month: 2, day: 29)?.millisecondsSince1970 == 951_782_400_000)
        #expect(UTCTime(year: 1900, month: 2, day: 29) == nil)
        #expect(UTCTime(year: 2026, month: 13, day: 1) == nil)
        #expect(UTCTime(year: 2026, month: 4, day: 31) == nil)
    }

    @Test func goesToTheCalendarAndBack() {
        for day in stride(from: -700_000, to: 2_900_000, by: 37) {
            let time = UTCTime(millisecondsSince1970: Int64(day) * 86_400_000 + 45_296_789)
            let calendar = time.calendar
            let back = UTCTime(
                year: calendar.year, month: calendar.month, day: calendar.day, millisecondOfDay: calendar.millisecondOfDay)
            #expect(back == time)
        }
    }

    @Test func knowsTheYearsThatHaveATextForm() throws {
        let first = try #require(UTCTime(year: 1, month: 1, day: 1))
        let last = try #require(UTCTime(year: 9_999, month: 12, day: 31, millisecondOfDay: 86_399_999))
        #expect(first.hasFourDigitYear && last.hasFourDigitYear)
        #expect(!first.advanced(byMilliseconds: -1).hasFourDigitYear && !last.advanced(byMilliseconds: 1).hasFourDigitYear)
    }
}
