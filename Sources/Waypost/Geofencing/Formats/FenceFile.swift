/// What a fence file gave: the fences, and what was wrong with the rest.
public struct FenceFile: Sendable, Hashable {
    /// The format.
    public let format: FenceFormat
    /// The fences, ids all different.
    public internal(set) var fences: [Geofence] = []
    /// What was dropped or doubtful, in the order of the file: the first ``listedRemarks``.
    public private(set) var remarks: [FenceRemark] = []
    /// How many entries the file has, those included that gave no fence.
    public internal(set) var entryCount = 0
    /// How many remarks there are of each severity, those included that are not listed.
    public private(set) var counts: [FenceRemark.Severity: Int] = [:]
    /// Where each fence stands in the file.
    var origins: [FenceOrigin] = []

    /// The most remarks that are kept; what comes after is counted.
    public static let listedRemarks = 1_000

    init(format: FenceFormat) {
        self.format = format
    }

    /// Whether some entry was dropped.
    public var hasDropped: Bool { counts[.error, default: 0] > 0 }

    /// How many remarks are counted, but not listed.
    public var unlistedCount: Int { counts.values.reduce(0, +) - remarks.count }

    mutating func add(_ remark: FenceRemark) {
        counts[remark.severity, default: 0] += 1
        if remarks.count < FenceFile.listedRemarks { remarks.append(remark) }
    }

    /// Puts the remarks in the order of the file; those of the whole file first, those of one entry as they came.
    mutating func sortRemarks() {
        remarks = remarks.enumerated().sorted { ($0.element.index ?? -1, $0.offset) < ($1.element.index ?? -1, $1.offset) }.map(\.element)
    }
}

/// Where a fence stands in its file.
struct FenceOrigin: Sendable, Hashable {
    /// The entry, counted from 0.
    var index: Int32
    /// Its line, counted from 1; 0 where a path tells the place.
    var line: Int32
}

/// Why a file cannot be read as a fence file.
public enum FenceFileError: Error, Sendable, Hashable {
    /// It is longer than the limit, in bytes.
    case tooLong(limit: Int)
    /// It has more entries than allowed.
    case tooManyEntries(limit: Int)
    /// It is not JSON from some place on.
    case json(JSONError)
    /// It is not XML from some place on; the line, and why.
    case xml(line: Int, String)
    /// It is something else; what it looks like.
    case notFences(String)
}

extension FenceFileError: CustomStringConvertible {
    /// The reason in words, for after the file's name.
    public var description: String {
        switch self {
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .tooManyEntries(let limit): "has more than \(limit) entries"
        case .json(let error): error.description
        case .xml(let line, let words): "line \(line): \(words)"
        case .notFences(let words): words
        }
    }
}
