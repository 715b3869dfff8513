import Waypost

/// The last events, and which of them somebody may not have heard of: those that no file has yet, those that were written a short while ago, and
/// those that wait for somebody who can take none now.
struct RecentReports {
    private struct Entry {
        var report: FenceReport
        /// When it was first on the disk, milliseconds of the monotonic clock; nil when it is not.
        var savedAt: Int64?
    }

    /// So many are remembered, more only while the disk takes none.
    private static let usualCount = 20
    private static let mostCount = 1_000
    /// After so long everybody has an event on his disk who could write: a log waits ten seconds for that.
    private static let doubtMilliseconds: Int64 = 60_000

    private var entries: [Entry] = []
    /// The ids of those that wait for somebody.
    var unheard: Set<String> = []

    /// All, the newest last.
    var reports: [FenceReport] { entries.map(\.report) }

    init() {}

    /// What a run before has left; so many, the newest, are in doubt.
    init(_ reports: [FenceReport], doubtfulCount: Int, now: Int64) {
        entries = reports.enumerated().map { index, report in
            Entry(report: report, savedAt: index >= reports.count - doubtfulCount ? now : now - RecentReports.doubtMilliseconds)
        }
    }

    mutating func append(_ reports: [FenceReport]) {
        entries += reports.map { Entry(report: $0, savedAt: nil) }
        let needed = count { $0.savedAt == nil }
        entries.removeFirst(max(0, entries.count - min(max(needed, RecentReports.usualCount), RecentReports.mostCount)))
    }

    /// How many of the newest are in doubt.
    func doubtfulCount(now: Int64) -> Int {
        count { entry in entry.savedAt.map { now - $0 < RecentReports.doubtMilliseconds } ?? true }
    }

    /// How many there are from the first one on that is so, or unheard.
    private func count(from isSo: (Entry) -> Bool) -> Int {
        entries.firstIndex { isSo($0) || unheard.contains($0.report.id) }.map { entries.count - $0 } ?? 0
    }

    /// All of them are on the disk.
    mutating func noteSaved(now: Int64) {
        for index in entries.indices where entries[index].savedAt == nil { entries[index].savedAt = now }
    }

    /// Forgets what happened from the first time until the second one; whether there was something.
    mutating func forget(from: UTCTime, to: UTCTime) -> Bool {
        let count = entries.count
        entries.removeAll { entry in entry.report.time.map { from <= $0 && $0 < to } ?? false }
        return entries.count < count
    }
}
