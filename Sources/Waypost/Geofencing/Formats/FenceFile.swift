/// The contents of a fence file: the fences, and the problems with the rest.
public struct FenceFile: Sendable, Hashable {
    /// The format.
    public let format: FenceFormat
    /// The fences, all with different ids.
    public internal(set) var fences: [Geofence] = []
    /// What was dropped or doubtful, in the order of the file: the first ``listedRemarks``.
    public private(set) var remarks: [FenceRemark] = []
    /// How many entries the file has, including those without a fence.
    public internal(set) var entryCount = 0
    /// How many remarks there are of each severity, including those not listed.
    public private(set) var counts: [FenceRemark.Severity: Int] = [:]
    /// Where each fence is in the file.
    var origins: [FenceOrigin] = []

    /// The most remarks that are kept; further ones are only counted.
    public static let listedRemarks = 1_000

    init(format: FenceFormat) {
        self.format = format
    }

    /// Whether any entry was dropped.
    public var hasDropped: Bool { counts[.error, default: 0] > 0 }

    /// How many remarks are counted but not listed.
    public var unlistedCount: Int { counts.values.reduce(0, +) - remarks.count }

    mutating func add(_ remark: FenceRemark) {
        counts[remark.severity, default: 0] += 1
        if remarks.count < FenceFile.listedRemarks { remarks.append(remark) }
    }

    /// Sorts the remarks in the order of the file; those on the whole file come first, those on one entry keep their order.
    mutating func sortRemarks() {
        remarks = remarks.enumerated().sorted { ($0.element.index ?? -1, $0.offset) < ($1.element.index ?? -1, $1.offset) }.map(\.element)
    }
}

/// Where a fence is in its file.
struct FenceOrigin: Sendable, Hashable {
    /// The entry, counted from 0.
    var index: Int32
    /// Its line, counted from 1; 0 where a path is the place.
    var line: Int32
}

/// Why a file cannot be read as a fence file.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FenceFileError: Error, Sendable, Hashable {
    /// The file is longer than the limit, in bytes.
    case tooLong(limit: Int)
    /// The file has more entries than allowed.
    case tooManyEntries(limit: Int)
    /// The file is not JSON from some place on.
    case json(JSONError)
    /// The file is not XML from some place on; the line and the reason.
    case xml(line: Int, String)
    /// The file is something else; what it looks like.
    case notFences(String)
}

extension FenceFileError: CustomStringConvertible {
    /// The reason in words that follow the file's name.
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
