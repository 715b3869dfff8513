/// The formats of recordings that can be read.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RecordingFormat: String, Sendable, Hashable, CaseIterable {
    /// NMEA 0183.
    case nmea
    /// GPX 1.0 and 1.1.
    case gpx
    /// Lines of JSON in gpsd's format.
    case jsonl
    /// Comma-separated values.
    case csv
    /// KML 2.2 with Google's tracks.
    case kml

    /// The format that a file's name indicates; `.gz` after the format's own ending is ignored.
    public init?(nameOf path: String) {
        var name = path.split(separator: "/").last ?? ""
        if name.lowercased().hasSuffix(".gz") { name = name.dropLast(".gz".count) }
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "nmea", "log", "txt": self = .nmea
        case "gpx": self = .gpx
        case "jsonl", "json": self = .jsonl
        case "csv": self = .csv
        case "kml": self = .kml
        default: return nil
        }
    }

    /// Makes a decoder for the format.
    ///
    /// - Parameters:
    ///   - fixesRollover: whether 1024 weeks are added to NMEA dates before 2020.
    ///   - keepsOtherElements: whether what only GPX has is kept.
    public func makeDecoder(fixesRollover: Bool = false, keepsOtherElements: Bool = false) -> any RecordingDecoder {
        switch self {
        case .nmea: NMEARecordingDecoder(fixesRollover: fixesRollover)
        case .gpx: PieceDecoder(GPXReader(keepsOtherElements: keepsOtherElements))
        case .jsonl: JSONLinesDecoder()
        case .csv: PieceDecoder(CSVReader())
        case .kml: PieceDecoder(KMLTrackReader())
        }
    }
}
