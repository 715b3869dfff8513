import ArgumentParser

/// A format that `convert` reads or writes.
enum ConversionFormat: String, CaseIterable, ExpressibleByArgument {
    case nmea, gpx, jsonl, geojson, csv, kml

    /// What can be read.
    static var readable: [ConversionFormat] { allCases.filter { $0.makeDecoder(fixesRollover: false) != nil } }
    /// What can be written: all.
    static var writable: [ConversionFormat] { allCases }

    /// What reads the format, nil when it cannot be read.
    ///
    /// - Parameter keepsOtherElements: whether the target has a place for what only GPX has.
    func makeDecoder(fixesRollover: Bool, keepsOtherElements: Bool = false) -> (any ReportDecoder)? {
        switch self {
        case .nmea: NMEAReportDecoder(fixesRollover: fixesRollover)
        case .jsonl: TPVLineDecoder()
        case .gpx: GPXReportDecoder(keepsOtherElements: keepsOtherElements)
        case .kml: KMLReportDecoder()
        case .csv: CSVReportDecoder()
        case .geojson: nil
        }
    }

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
        var name = path.split(separator: "/").last ?? ""
        if unpacks, name.lowercased().hasSuffix(".gz") { name = name.dropLast(".gz".count) }
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "nmea", "log", "txt": self = .nmea
        case "gpx": self = .gpx
        case "jsonl", "json": self = .jsonl
        case "geojson": self = .geojson
        case "csv": self = .csv
        case "kml": self = .kml
        default: return nil
        }
    }

    /// `nmea or jsonl`.
    static func list(_ formats: [ConversionFormat]) -> String {
        formats.map(\.rawValue).joined(separator: " or ")
    }
}
