/// Time and date.
///
///     $--ZDA,hhmmss.ss,dd,mm,yyyy,xx,xx*hh
///       0    1         2  3  4    5  6
///      1 UTC   2 day   3 month   4 year   5-6 local zone
struct ZDA {
    var millisecondOfDay: Int?
    var date: NMEADate?

    /// Nil when the sentence is too short to be a ZDA.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 5 else { return nil }
        millisecondOfDay = fields.millisecondOfDay(1, in: bytes)
        if let day = fields.integer(2, in: bytes), let month = fields.integer(3, in: bytes), let year = fields.integer(4, in: bytes) {
            date = NMEADate(year: year, month: month, day: day)
        }
    }
}
