import Waypost
import WaypostSystem

/// Every kind of source: a new one is its file and a line here.
package enum SourceRegistry {
    /// In the order of help and reference.
    package static let all: [any SourceKind.Type] = [
        GPSDKind.self,
        SerialKind.self,
        NMEAKind.self,
        NMEATCPKind.self,
        NMEAUDPKind.self,
        GPXKind.self,
        CSVKind.self,
        KMLKind.self,
        JSONLinesKind.self,
        RouteKind.self,
        SimulationKind.self,
        ExecKind.self,
    ]

    /// The kind with that scheme; nil when there is none.
    package static func kind(_ scheme: some StringProtocol) -> (any SourceKind.Type)? { all.first { $0.scheme == scheme } }

    /// The kind of the source with that name; nil when there is none.
    package static func kind(named name: String) -> (any SourceKind.Type)? { kind(name.prefix { $0 != ":" }) }

    /// Whether the source with that name plays what was recorded or made up; nil when there is no such kind.
    ///
    /// A receiver may write NMEA into a FIFO.
    package static func isPlayed(named name: String) -> Bool? {
        guard let kind = kind(named: name) else { return nil }
        guard kind.isPlayed, kind == NMEAKind.self else { return kind.isPlayed }
        return Syscalls.kind(String(name.dropFirst(NMEAKind.scheme.count + 1))) != .other
    }

    /// The schemes, sorted.
    static let schemes = all.map { $0.scheme }.sorted()

    /// The schemes for people: `gpsd:, nmea: and serial:`.
    static var list: String { joined(schemes.map { "\($0):" }, by: "and") }

    /// The schemes of the sources that can be made stationary, put into a loss and restarted: `nmea:, gpx: or sim:`.
    package static var playedList: String { joined(all.filter { $0.isPlayed }.map { "\($0.scheme):" }, by: "or") }

    /// The schemes whose fixes may set a clock.
    package static let clockSchemes = all.filter { $0.isClock }.map { $0.scheme }

    /// Every form with its description, for a sentence: `gpsd://HOST:PORT[/DEVICE] (a gpsd), ...`.
    package static var sentence: String {
        joined(all.map { joined($0.forms, by: "or") + " (\($0.documentation))" }, by: "or")
    }

    /// A line for each kind: its forms and its description.
    package static var helpLines: [String] {
        all.map { kind in kind.forms.joined(separator: ", ") + ": " + kind.documentation }
    }

    /// The source that plays a recording, by the format in its name; nil for an unknown format or one that cannot be played.
    package static func playing(_ path: String) -> SourceURL? {
        guard let format = RecordingFormat(nameOf: path), let kind = kind(format.rawValue) else { return nil }
        // An encoded path always reads back.
        return (try? kind.init(afterScheme: PercentCoding.encode(path)[...])).map(SourceURL.init)  // See above.
    }

    /// The beginnings that a shell offers: each form up to the first part to fill in.
    package static var beginnings: [String] {
        all.flatMap { $0.forms }.map { form in String(form.prefix { !$0.isUppercase && $0 != "[" }) }
    }

    private static func joined(_ words: [String], by last: String) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " \(last) " + words[words.count - 1]
    }
}
