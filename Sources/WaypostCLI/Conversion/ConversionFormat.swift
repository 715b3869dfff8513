import ArgumentParser
import Waypost

/// A format that `convert` reads or writes.
enum ConversionFormat: String, CaseIterable, ExpressibleByArgument {
    case nmea, gpx, jsonl, geojson, csv, kml

    /// What can be read.
    static var readable: [ConversionFormat] { allCases.filter { $0.recording != nil } }
    /// What can be written: all.
    static var writable: [ConversionFormat] { allCases }

    /// The same as a format of recordings that are read; nil when it is only written.
    var recording: RecordingFormat? { RecordingFormat(rawValue: rawValue) }

    /// What writes the format.
    func makeEncoder() -> any ReportEncoder {
        switch self {
        case .gpx: GPXEncoder()
        case .jsonl: JSONLinesEncoder()
        case .geojson: GeoJSONEncoder()
        case .csv: CSVEncoder()
        case .kml: KMLEncoder()
        case .nmea: NMEAEncoder()
        }
    }

    /// The format that a file's name tells.
    ///
    /// - Parameter unpacks: whether `.gz` behind the format's own ending is passed over, as for what is read.
    init?(extensionOf path: String, unpacks: Bool = false) {
        let lowercased = path.lowercased()
        if lowercased.hasSuffix(".gz"), !unpacks { return nil }
        if let format = RecordingFormat(nameOf: path) {
            self.init(rawValue: format.rawValue)
        } else if lowercased.hasSuffix(".geojson") || lowercased.hasSuffix(".geojson.gz") {
            self = .geojson
        } else {
            return nil
        }
    }

    /// `nmea or jsonl`.
    static func list(_ formats: [ConversionFormat]) -> String {
        formats.map(\.rawValue).joined(separator: " or ")
    }
}
