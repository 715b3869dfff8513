import Waypost
import WaypostSystem

extension ValueKind<DestinationConfiguration.Cutoff?> {
    /// A time of day in a time zone, or an empty text.
    static var cutoff: ValueKind {
        ValueKind(
            unit: "\"HH:MM PLACE\"",
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a time of day such as \"04:00 Asia/Tokyo\"") }
                if text.isEmpty { return nil }
                let parts = text.split(separator: " ", omittingEmptySubsequences: false)
                let clock = parts[0].split(separator: ":", omittingEmptySubsequences: false)
                guard parts.count <= 2, clock.count == 2, clock.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(clock[0]),
                    let minute = Int(clock[1]), (0...23).contains(hour), (0...59).contains(minute)
                else { throw .invalid(reason: "must be a time of day such as \"04:00 Asia/Tokyo\"") }
                let place = parts.count == 2 ? String(parts[1]) : "UTC"
                guard let zone = TimeZoneFolder.rules(named: place) else { throw .noTimeZone(place) }
                return .init(text: text, moment: DailyMoment(minuteOfDay: hour * 60 + minute, zone: zone))
            },
            write: { tomlString($0?.text ?? "") })
    }
}
