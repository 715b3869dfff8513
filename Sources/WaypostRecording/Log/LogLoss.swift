import Waypost
import WaypostSystem

/// Numbers of a log whose records are gone because the journal that had them is damaged.
public struct LogLoss: Sendable, Hashable {
    /// The damaged journal.
    public var path: String
    /// Where in it the damage begins, in bytes from its start.
    public var offset: Int64
    /// The records after this number are gone.
    public var after: UInt64
    /// The last number that is gone.
    public var through: UInt64
    /// Whether every number in between had a record.
    ///
    /// Without its track, nobody knows how many records a journal had whose end is gone: a tracker that was killed leaves numbers out.
    public var isCounted: Bool

    /// The part of it after one number and up to another; nil when it has none there.
    public func part(after number: UInt64, through last: UInt64) -> LogLoss? {
        var part = self
        (part.after, part.through) = (max(after, number), min(through, last))
        return part.after < part.through ? part : nil
    }

    /// How many records are gone; at least that many when they are not counted.
    public var count: Int { isCounted ? Int(clamping: through - after) : 1 }
}

/// What was not readable since the last record of a log.
struct LogGap {
    /// The journal.
    let journal: LogJournal
    /// Where the damage begins in it.
    let offset: Int64
    /// Whether it reaches the end of the journal.
    let reachesEnd: Bool

    /// What is gone with it, between a record that was read and the next one; nil for nothing.
    func loss(after number: UInt64, before next: UInt64, in folder: LogFolder) -> LogLoss? {
        let after = max(number, max(1, journal.firstSequence) - 1)
        guard after < next, next - after > 1 else { return nil }
        var loss = LogLoss(path: journal.path, offset: offset, after: after, through: next - 1, isCounted: true)
        guard reachesEnd else { return loss }
        guard let count = folder.recordCount(ofTrack: journal.stem) else {
            loss.isCounted = false
            return loss
        }
        // Its track has what the journal had when it was finished.
        return loss.part(after: after, through: max(1, journal.firstSequence) - 1 + count)
    }
}

extension LogFolder {
    /// How many records went into the GPX file of a track, with the breaks before its segments; nil when there is no such file.
    fileprivate func recordCount(ofTrack stem: String) -> UInt64? {
        let tags = ["<trkpt ", "<trkseg>", "<wpt "].map { Array($0.utf8) }
        guard let file = try? FileReader(path: trackPath(stem), as: .own) else { return nil }  // Without it nothing can be counted.
        var (count, pending): (UInt64, [UInt8]) = (0, [])
        while true {
            guard let bytes = try? file.read() else { return nil }  // See above.
            pending += bytes
            // A tag may continue in the next piece.
            let end = bytes.isEmpty ? pending.count : max(0, pending.count - 8)
            for place in 0..<end where pending[place] == UInt8(ascii: "<") {
                if tags.contains(where: { pending[place...].starts(with: $0) }) { count += 1 }
            }
            pending.removeFirst(end)
            if bytes.isEmpty { return count }
        }
    }
}
