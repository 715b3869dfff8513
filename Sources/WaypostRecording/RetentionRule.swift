import Waypost

/// Decides which finished tracks are deleted: always the oldest first, journal and GPX files together, never the open one.
///
/// - Older than ``maximumAge``, by the time of the last fix and a confirmed time: while no date is confirmed nothing is too old. A track counts
///   as no older than one recorded before it, whatever date its receiver reported.
/// - While the log has more than ``maximumByteCount``, or the disk less than ``minimumFreeByteCount`` free.
/// - With ``keepsUnpulled``, only what every known puller has acknowledged, and nothing while none is known: tracks that have not been fetched
///   are never deleted, and a full disk pauses logging instead.
public struct RetentionRule: Sendable, Hashable {
    /// A finished track.
    public struct Track: Sendable, Hashable {
        /// The name of its files.
        public var stem: String
        /// The number of its last record; nil when unknown.
        public var lastSequence: UInt64?
        /// The time of its last fix.
        public var lastTime: UTCTime?
        /// How many bytes deleting it frees.
        public var byteCount: Int64

        /// Creates a finished track.
        public init(stem: String, lastSequence: UInt64?, lastTime: UTCTime?, byteCount: Int64) {
            self.stem = stem
            self.lastSequence = lastSequence
            self.lastTime = lastTime
            self.byteCount = byteCount
        }
    }

    /// What the rule needs to know about the log and the disk.
    public struct Situation: Sendable, Hashable {
        /// The current time, when it is certain.
        public var confirmedTime: UTCTime?
        /// The free space on the disk in bytes; nil if unknown.
        public var freeByteCount: Int64?
        /// The bytes written to the unfinished journals.
        public var openByteCount: Int64
        /// How far each puller has read.
        public var pullers: [Pullers.Puller]

        /// Creates a situation from its parts.
        public init(confirmedTime: UTCTime?, freeByteCount: Int64?, openByteCount: Int64, pullers: [Pullers.Puller]) {
            self.confirmedTime = confirmedTime
            self.freeByteCount = freeByteCount
            self.openByteCount = openByteCount
            self.pullers = pullers
        }
    }

    /// Why a track is deleted.
    public enum Reason: Sendable, Hashable {
        /// Older than ``maximumAge``.
        case tooOld
        /// The log exceeds ``maximumByteCount``.
        case tooMuch
        /// The disk has less than ``minimumFreeByteCount`` free.
        case tooFull
    }

    /// How long tracks are kept; nil for forever.
    public var maximumAge: Duration?
    /// The largest size of the log in bytes; nil for any.
    public var maximumByteCount: Int64?
    /// How many bytes to leave free on the disk; nil for none.
    public var minimumFreeByteCount: Int64?
    /// Whether tracks are kept until every puller has them.
    public var keepsUnpulled = false

    /// Creates a rule that deletes nothing.
    public init() {}

    /// Whether the rule never deletes anything.
    public var isIdle: Bool { maximumAge == nil && maximumByteCount == nil && minimumFreeByteCount == nil }

    /// The tracks to delete, in order.
    ///
    /// - Parameters:
    ///   - tracks: all finished tracks, oldest first.
    ///   - situation: the state of the log and the disk, and the time.
    public func expired(_ tracks: [Track], in situation: Situation) -> [Track] { expiries(tracks, in: situation).map(\.track) }

    /// The same, with a reason for each.
    func expiries(_ tracks: [Track], in situation: Situation) -> [(track: Track, reason: Reason)] {
        var byteCount = tracks.reduce(situation.openByteCount) { $0 + $1.byteCount }
        var freeByteCount = situation.freeByteCount
        var expired: [(track: Track, reason: Reason)] = []
        var latest: UTCTime?
        for track in tracks {
            // A date in the future is as wrong as one long past, and proves nothing about later tracks.
            if let last = track.lastTime, situation.confirmedTime.map({ last <= $0 }) ?? false { latest = max(latest ?? last, last) }
            guard isDeletable(track, in: situation) else { continue }
            let isTooMuch = maximumByteCount.map { byteCount > $0 } ?? false
            let isTooFull = minimumFreeByteCount.flatMap { minimum in freeByteCount.map { $0 < minimum } } ?? false
            guard isTooMuch || isTooFull || isTooOld(track, notBefore: latest, in: situation) else { continue }
            expired.append((track, isTooMuch ? .tooMuch : isTooFull ? .tooFull : .tooOld))
            byteCount -= track.byteCount
            freeByteCount = freeByteCount.map { $0 + track.byteCount }
        }
        return expired
    }

    private func isDeletable(_ track: Track, in situation: Situation) -> Bool {
        guard keepsUnpulled else { return true }
        guard !situation.pullers.isEmpty, let lastSequence = track.lastSequence else { return false }
        return situation.pullers.allSatisfy { $0.cursor >= lastSequence }
    }

    private func isTooOld(_ track: Track, notBefore latest: UTCTime?, in situation: Situation) -> Bool {
        guard let maximumAge, let now = situation.confirmedTime, var last = track.lastTime else { return false }
        if let latest, last < latest { last = latest }
        return Duration.milliseconds(now.millisecondsSince1970 - last.millisecondsSince1970) > maximumAge
    }
}
