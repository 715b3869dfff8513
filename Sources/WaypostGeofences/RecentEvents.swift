import Waypost

/// The last events, and which of them may not have been delivered to everybody.
///
/// In doubt are those that no file has yet, those that were written a short while ago, and those that wait for a receiver that cannot accept
/// them now.
struct RecentEvents {
    private struct Entry {
        var event: TrackerEvent
        /// When it was first on the disk, in milliseconds of the monotonic clock; nil when it is not.
        var savedAt: Int64?
        /// Whether it happened in this run.
        var isNew = false
    }

    /// How many are remembered; more only while the disk cannot be written.
    private static let usualCount = 20
    private static let mostCount = 1_000
    /// After this time everybody who can write has the event on disk: a log waits ten seconds for that.
    private static let doubtMilliseconds: Int64 = 60_000

    private var entries: [Entry] = []
    /// The ids of those that wait for a receiver.
    var unheard: Set<String> = []

    /// All, the newest last.
    var events: [TrackerEvent] { entries.map(\.event) }

    /// How many of the newest happened in this run.
    var newCount: Int { entries.count(where: \.isNew) }

    init() {}

    /// What the previous run left; the newest `doubtfulCount` are in doubt.
    init(_ events: [TrackerEvent], doubtfulCount: Int, now: Int64) {
        entries = events.enumerated().map { index, event in
            Entry(event: event, savedAt: index >= events.count - doubtfulCount ? now : now - RecentEvents.doubtMilliseconds)
        }
    }

    mutating func append(_ events: [TrackerEvent]) {
        entries += events.map { Entry(event: $0, savedAt: nil, isNew: true) }
        let needed = count { $0.savedAt == nil }
        entries.removeFirst(max(0, entries.count - min(max(needed, RecentEvents.usualCount), RecentEvents.mostCount)))
    }

    /// How many of the newest are in doubt.
    func doubtfulCount(now: Int64) -> Int {
        count { entry in entry.savedAt.map { now - $0 < RecentEvents.doubtMilliseconds } ?? true }
    }

    /// How many there are from the first one on that meets the condition or is unheard.
    private func count(from isSo: (Entry) -> Bool) -> Int {
        entries.firstIndex { isSo($0) || unheard.contains($0.event.id) }.map { entries.count - $0 } ?? 0
    }

    /// Notes that all of them are on the disk.
    mutating func noteSaved(now: Int64) {
        for index in entries.indices where entries[index].savedAt == nil { entries[index].savedAt = now }
    }

    /// Notes that whoever receives these events has done with them: they are not in doubt.
    mutating func noteHeard(_ ids: Set<String>) {
        for index in entries.indices where ids.contains(entries[index].event.id) { entries[index].savedAt = .min / 2 }
    }

    /// Forgets what happened from the first time until the second one.
    mutating func forget(from: UTCTime, to: UTCTime) {
        entries.removeAll { entry in entry.event.time.map { from <= $0 && $0 < to } ?? false }
    }
}
