import ArgumentParser
import Waypost

/// A format that `convert` reads or writes.
enum ConversionFormat: String, CaseIterable, ExpressibleByArgument {
    case nmea, gpx, jsonl, geojson, csv, kml

    /// The formats that can be read.
    static var readable: [ConversionFormat] { allCases.filter { $0.recording != nil } }
    /// The formats that can be written: all.
    static var writable: [ConversionFormat] { allCases }

    /// The same format for reading; nil when it is only written.
    var recording: RecordingFormat? { RecordingFormat(rawValue: rawValue) }

    /// Makes the encoder of the format.
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

    /// The format of a file's extension; `.gz` after it is ignored.
    init?(extensionOf path: String) {
        let lowercased = path.lowercased()
        if let format = RecordingFormat(nameOf: path) {
            self.init(rawValue: format.rawValue)
        } else if lowercased.hasSuffix(".geojson") || lowercased.hasSuffix(".geojson.gz") {
            self = .geojson
        } else {
            return nil
        }
    }

    /// `nmea, gpx or jsonl`.
    static func list(_ formats: [ConversionFormat]) -> String {
        let names = formats.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}

/// A format that `--from` names: one that is read.
struct InputFormat: ExpressibleByArgument {
    let format: ConversionFormat

    static var allValueStrings: [String] { ConversionFormat.readable.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    init?(argument: String) {
        guard let format = ConversionFormat(rawValue: argument), ConversionFormat.readable.contains(format) else { return nil }
        self.format = format
    }
}
