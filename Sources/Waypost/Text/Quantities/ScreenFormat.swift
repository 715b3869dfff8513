/// How quantities and times are written on a person's screen: in whose units, and by which clocks.
///
/// Files and JSON are in SI units and UTC whatever it says.
public struct ScreenFormat: Sendable, Equatable {
    /// The units of distances, heights and speeds.
    public var units: UnitSystem
    /// The clocks by which moments are shown.
    public var zone: TimeZoneRules

    /// Metres and UTC, unless something else is said.
    public init(units: UnitSystem = .metric, zone: TimeZoneRules = .utc) {
        self.units = units
        self.zone = zone
    }

    /// A moment by the clocks of the zone: `2026-11-22 16:25:01`, with its milliseconds unless they are none.
    public func moment(_ time: UTCTime) -> String { "\(day(time)) \(timeOfDay(time))" }

    /// The day of a moment: `2026-11-22`.
    public func day(_ time: UTCTime) -> String { String(shown(time).prefix(10)) }

    /// The time of day of a moment: `16:25:01`, `16:25:01.200`.
    public func timeOfDay(_ time: UTCTime) -> String { String(shown(time).dropFirst(11).dropLast()) }

    /// A moment that somebody gave as text of RFC 3339; the text itself where it is none.
    public func moment(_ text: String) -> String { UTCTime(rfc3339: text).map { moment($0) } ?? text }

    private func shown(_ time: UTCTime) -> String {
        var text = TextBuffer(capacity: 32)
        let local = time.advanced(byMilliseconds: Int64(zone.offsetSeconds(at: time)) * 1_000)
        // At the ends of the calendar there is no local time.
        text.append(local.hasFourDigitYear && time.hasFourDigitYear ? local : time, trimsMilliseconds: true)
        return text.string
    }
}
