import ArgumentParser

/// A format that `convert` reads or writes.
enum ConversionFormat: String, CaseIterable, ExpressibleByArgument {
    case nmea, gpx, jsonl

    /// What can be read.
    static let readable: [ConversionFormat] = [.nmea, .jsonl]
    /// What can be written.
    static let writable: [ConversionFormat] = [.gpx, .jsonl]

    /// The format that a file's name tells.
    init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "nmea", "log", "txt": self = .nmea
        case "gpx": self = .gpx
        case "jsonl", "json": self = .jsonl
        default: return nil
        }
    }

    /// `nmea or jsonl`.
    static func list(_ formats: [ConversionFormat]) -> String {
        formats.map(\.rawValue).joined(separator: " or ")
    }
}
