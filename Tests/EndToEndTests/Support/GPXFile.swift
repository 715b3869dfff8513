import Foundation
import Waypost

/// A GPX file, looked at from outside.
struct GPXFile {
    let path: String
    let text: String

    init(path: String) throws {
        self.path = path
        text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    var pointCount: Int { text.split(separator: "<trkpt").count - 1 }
    var segmentCount: Int { text.split(separator: "<trkseg>").count - 1 }

    /// The times of the points, in the order of the file.
    var times: [UTCTime] {
        text[(text.range(of: "<trk>")?.lowerBound ?? text.endIndex)...].split(separator: "<time>").dropFirst().compactMap {
            UTCTime(rfc3339: Array($0.utf8.prefix { $0 != UInt8(ascii: "<") }).span)
        }
    }

    /// What xmllint has against it, empty when it keeps to the schema (or, without the schema at hand, is XML).
    func objections() async throws -> String {
        let folder = try TestFolder()
        let schema = Package.schema.map { ["--schema", $0] } ?? []
        let finished = try await finish(["xmllint", "--noout", "--nonet"] + schema + [path], in: folder)
        return finished.code == 0 ? "" : finished.errors
    }
}
