import Waypost

/// The data layer of Tealium's location module, byte for byte: names and values, all of them text.
///
/// | | fence event | track call | position |
/// |---|---|---|---|
/// | `tealium_event` | `geofence_entered`, `geofence_exited`, `geofence_dwell` | its name | `location_updated` |
/// | `geofence_transition_type`, `geofence_name` | yes | | |
/// | `latitude`, `longitude` | with a fix | with a fix | yes |
/// | `location_accuracy`, `location_accuracy_extended` | with a fix | yes | yes |
/// | `movement_speed`, `location_timestamp` | with a fix | | yes |
/// | its values | | yes | |
///
/// Without a fix a fence event has only its three keys. A pass is an enter and an exit. Health cannot be expressed.
/// - Units: degrees as the shortest decimal that reads back as the same number, with a point (`0.0`, `37.0`); metres per second (`40.0`, unknown
///   `-1.0`); `location_timestamp` is `2020-01-15 06:31:00 +0000`, UTC in any time zone of the device, seconds cut.
/// - Source: the names and forms of Tealium's public Location module; `location_updated` is ours, as the module sends no positions on its own.
public struct TealiumDataLayer: Sendable, Hashable {
    /// Whether every fix is followed, rather than only significant changes.
    public var isHighAccuracy: Bool
    /// The configured accuracy.
    public var desiredAccuracy: DesiredAccuracy

    /// The data layer of a tracker with this configuration.
    public init(isHighAccuracy: Bool, desiredAccuracy: DesiredAccuracy) {
        self.isHighAccuracy = isHighAccuracy
        self.desiredAccuracy = desiredAccuracy
    }

    /// A name and its value.
    public struct Entry: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// An entry.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The entries for a record: no list, one, or two for a pass; no name occurs twice in a list.
    public func entries(for content: DispatchRecord.Content) -> [[Entry]] {
        switch content {
        case .position(let position): return [[Entry("tealium_event", "location_updated")] + place(of: position) + movement(of: position)]
        case .event(let event):
            return (TealiumDataLayer.transitions[event.kind] ?? []).map { transition in
                let three = [
                    Entry("tealium_event", transition), Entry("geofence_transition_type", transition), Entry("geofence_name", event.name),
                ]
                return three + (event.position.map { place(of: $0) + movement(of: $0) } ?? [])
            }
        case .track(let call):
            let ours = [Entry("tealium_event", call.name)] + (call.position.map(coordinates) ?? []) + level
            let names = Set(ours.map(\.name))
            let values = call.values.sorted { $0.key < $1.key }.compactMap { name, value in
                names.contains(name) ? nil : TealiumDataLayer.text(of: value).map { Entry(name, $0) }
            }
            return [ours + values]
        case .health, .waypoints: return []
        }
    }

    // MARK: - Parts

    private static let transitions = [
        "enter": ["geofence_entered"], "exit": ["geofence_exited"], "dwell": ["geofence_dwell"],
        "pass": ["geofence_entered", "geofence_exited"],
    ]

    private func place(of position: Position) -> [Entry] { coordinates(of: position) + level }

    private func coordinates(of position: Position) -> [Entry] {
        [
            Entry("latitude", position.coordinate.latitudeDegrees.description),
            Entry("longitude", position.coordinate.longitudeDegrees.description),
        ]
    }

    /// The configured level of accuracy.
    private var level: [Entry] {
        [
            Entry("location_accuracy", isHighAccuracy ? "high" : "low"),
            Entry("location_accuracy_extended", TealiumDataLayer.name(of: desiredAccuracy)),
        ]
    }

    private func movement(of position: Position) -> [Entry] {
        var entries = [Entry("movement_speed", (position.speedMetresPerSecond ?? -1).description)]
        if let time = position.time { entries.append(Entry("location_timestamp", TealiumDataLayer.text(of: time))) }
        return entries
    }

    private static func name(of accuracy: DesiredAccuracy) -> String {
        switch accuracy {
        case .bestForNavigation: "best_for_navigation"
        case .best: "best"
        case .nearestTenMeters: "nearest_ten_meters"
        case .nearestHundredMeters: "nearest_hundred_meters"
        case .withinOneKilometer: "within_one_kilometer"
        case .withinThreeKilometers: "within_three_kilometers"
        case .reduced: "reduced"
        }
    }

    /// `2020-01-15 06:31:00 +0000`.
    private static func text(of time: UTCTime) -> String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        let parts = text.string.split { $0 == "T" || $0 == "." }
        return "\(parts[0]) \(parts[1]) +0000"
    }

    /// A value as text; nil for null.
    private static func text(of value: JSONValue) -> String? {
        switch value {
        case .null: return nil
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return "\(value)"
        case .number(let value): return value.description
        case .string(let value): return value
        case .array, .object:
            var text = TextBuffer(capacity: 64)
            text.appendJSON { $0.element(value) }
            return text.string
        }
    }
}
