/// Corrects dates of receivers whose ten-bit GPS week number has overflowed, which sets some of them back by 1024 weeks.
package enum WeekRollover {
    /// 1024 weeks in milliseconds.
    package static let periodMilliseconds: Int64 = 1_024 * 7 * 86_400_000
    /// The earliest date possible for a receiver that runs with this program: 2020-01-01T00:00:00Z.
    ///
    /// A constant in the source and not the build date, so that the same input always yields the same output.
    package static let floor = UTCTime(millisecondsSince1970: 1_577_836_800_000)

    /// The time 1024 weeks later, or nil if it needs no correction or one period does not correct it.
    package static func corrected(_ time: UTCTime) -> UTCTime? {
        guard time < floor else { return nil }
        let later = time.advanced(byMilliseconds: periodMilliseconds)
        return later >= floor ? later : nil
    }
}
