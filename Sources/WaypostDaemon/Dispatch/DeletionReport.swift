import WaypostDispatch
import WaypostRecording

/// Positions that limits deleted from the log before every destination had them; reported like other drops, for each key of a limit.
struct DeletionReport {
    private var reports: [String: DropReport] = [:]
    /// Positions that the outbox could not count yet, by the key of the limit.
    private(set) var uncounted: [String: [PositionCursor.Stretch]] = [:]

    /// The problems, in words for people.
    var problems: [String] { reports.sorted { $0.key < $1.key }.compactMap(\.value.problem) }

    /// Stands for the keys of all limits, where the log does not say which of them it was.
    static let anyLimit = "limits"

    /// Adds positions that the limits deleted in an earlier run, which could not count them, or in an outbox that is lost.
    mutating func add(_ numbers: [ClosedRange<UInt64>]) {
        if numbers.isEmpty { return }
        uncounted[DeletionReport.anyLimit, default: []] += numbers.map { .init(after: $0.lowerBound - 1, through: $0.upperBound) }
    }

    /// Adds the positions of tracks that are about to be deleted.
    mutating func add(_ tracks: [DeletedTrack]) {
        for track in tracks where !track.positions.isEmpty {
            uncounted[track.reason.key, default: []] += track.positions.map { .init(after: $0.lowerBound - 1, through: $0.upperBound) }
        }
    }

    /// Notes that the outbox has counted the first of a key.
    mutating func noteCounted(_ counted: [PositionCursor.Stretch], _ key: String) {
        // Two callers may have counted the same ones.
        if uncounted[key]?.starts(with: counted) == true { uncounted[key]?.removeFirst(counted.count) }
        if uncounted[key]?.isEmpty == true { uncounted[key] = nil }
    }

    /// Notes what the outbox has counted; returns the lines to log.
    mutating func note(_ gone: [String: GonePositions]) -> [String] {
        for key in reports.keys where gone[key] == nil { _ = reports[key]?.note(0) }
        return gone.sorted { $0.key < $1.key }.compactMap { key, gone in
            reports[key, default: .positions(deletedBy: key)].note(gone.count, grownBefore: gone.age)
        }
    }
}
