/// What a fence file gave: the fences, and what was wrong with the rest.
public struct FenceFile: Sendable, Hashable {
    /// The fences, ids all different.
    public internal(set) var fences: [Geofence] = []
    /// What was dropped or doubtful, in the order of the file.
    public internal(set) var remarks: [FenceRemark] = []
    /// The format.
    public let format: FenceFormat

    init(format: FenceFormat) {
        self.format = format
    }

    /// Whether some entry was dropped.
    public var hasDropped: Bool { remarks.contains { $0.isDropped } }
}

/// The formats of fence files.
public enum FenceFormat: String, Sendable, Hashable, CaseIterable {
    /// GeoJSON with properties `name`, `radius`, `width`, `dwell_seconds`, `expires`, `notify`: waypost's own.
    case geojson
    /// Tealium's `geofences.json`.
    case tealium

    /// Reads a file of any of the formats; the contents tell which.
    ///
    /// - Parameters:
    ///   - now: the time from which a format's periods count, if it is known.
    ///   - maximumBytes: longer files are refused.
    /// - Cost: memory for the fences and one entry of the file beside its bytes.
    public static func read(
        _ bytes: [UInt8], now: UTCTime? = nil, maximumBytes: Int = FenceFormat.usualMaximumBytes
    ) throws(FenceFileError) -> FenceFile {
        guard bytes.count <= maximumBytes else { throw .tooLong(limit: maximumBytes) }
        var bytes = bytes
        let hadMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        // Spaces keep places in errors as they are.
        if hadMark { bytes.replaceSubrange(0..<3, with: [0x20, 0x20, 0x20]) }
        let commas = blankTrailingCommas(in: &bytes)
        var file: FenceFile
        switch bytes.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "["): file = try TealiumFences.read(bytes, now: now)
        case UInt8(ascii: "{"): file = try GeoJSONFences.read(bytes)
        case UInt8(ascii: "<"): throw .notFences("begins like HTML or XML")
        case nil: throw .notFences("is empty")
        default: throw .notFences("is neither GeoJSON nor a JSON list of fences")
        }
        if commas > 0 { file.remarks.insert(FenceRemark(problem: .trailingCommas(count: commas)), at: 0) }
        if hadMark { file.remarks.insert(FenceRemark(problem: .byteOrderMark), at: 0) }
        return file
    }

    /// A gigabyte of fences does not belong on a small box.
    public static let usualMaximumBytes = 256 << 20

    /// Makes spaces of commas before a closing bracket, outside strings; how many there were.
    private static func blankTrailingCommas(in bytes: inout [UInt8]) -> Int {
        var count = 0
        var comma: Int?
        var isInString = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: ","): comma = index
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let place = comma {
                    bytes[place] = 0x20
                    count += 1
                }
                comma = nil
            case 0x09, 0x0A, 0x0D, 0x20: break
            case UInt8(ascii: "\""):
                isInString = true
                comma = nil
            default: comma = nil
            }
        }
        return count
    }
}

/// Why a file is no fence file.
public enum FenceFileError: Error, Sendable, Hashable {
    /// It is longer than allowed.
    case tooLong(limit: Int)
    /// It is not JSON from some place on.
    case json(JSONError)
    /// It is something else; what it looks like.
    case notFences(String)
}

extension FenceFileError: CustomStringConvertible {
    /// The reason in words, for after the file's name.
    public var description: String {
        switch self {
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .json(let error): error.description
        case .notFences(let words): words
        }
    }
}
