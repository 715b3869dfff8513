import Waypost
import WaypostSystem

/// Reads a log to its end and waits for more.
///
/// It follows the log over rotations, restarts of the recorder, erased stretches, and folders that are moved away and created anew.
///
/// ```swift
/// var follower = try LogFollower(folder: LogFolder(path: "/var/log/waypost"), from: .oldest)
/// while true {
///     follower.look()
///     while let record = try follower.next() { ... }
///     // poll(follower.descriptor), for follower.timeoutMilliseconds at most
/// }
/// ```
///
/// Numbers grow from record to record. They start again only when another log replaces this one, or an older copy of it does that a recorder
/// goes on with: when a new journal has a number that was read already at a later time than everything read. It then continues with the first
/// new journal. Copies of older journals are skipped.
/// - Cost: nothing between records; a listing of the folder's names for each write of the recorder.
/// - Concurrency: one owner.
package struct LogFollower: ~Copyable {
    /// How often to check places that cannot be watched, and how often everything: mounts and network disks report no changes.
    private static let pollMilliseconds: (unwatched: Int32, watched: Int32) = (1_000, 60_000)

    /// The reader; its header and damage are those of the journals read.
    package private(set) var reader: LogReader
    /// How many times another log was found in place of the previous one.
    package private(set) var replacementCount = 0

    private let folder: LogFolder
    private let watch: FolderWatch?
    private var isWatched = false
    private var knownStems: Set<String>
    private var lastTime: UTCTime?

    /// Creates a follower of the log in a folder.
    ///
    /// - Errors: `cannotRead`.
    package init(folder: LogFolder, from start: LogReader.Start) throws(RecordingError) {
        let journals = try folder.journals()
        knownStems = Set(journals.map(\.stem))
        // What is in the log already is not later than what was read, even before it is read.
        lastTime = journals.last.flatMap { LogFollower.lastTime(of: $0) }
        self.folder = folder
        reader = LogReader(folder: folder, from: start)
        // Without a watch it checks every second.
        do throws(SystemError) { watch = try FolderWatch() } catch { watch = nil }
    }

    /// The descriptor to poll for reading until there may be more; nil when nothing can be watched.
    package var descriptor: Int32? { watch?.descriptor }

    /// The longest time to wait, in milliseconds.
    package var timeoutMilliseconds: Int32 { isWatched ? LogFollower.pollMilliseconds.watched : LogFollower.pollMilliseconds.unwatched }

    /// Starts watching for changes from now on; call it before reading to the end.
    package mutating func look() { isWatched = watch?.look(at: folder.watchedPlaces) ?? false }

    /// Clears the event that ended the wait; returns whether there may be more.
    package func clear() -> Bool { watch?.clear() ?? true }

    /// The next record; nil at the end for now.
    ///
    /// - Errors: like ``LogReader/next()``.
    package mutating func next() throws(RecordingError) -> JournalRecord? {
        while true {
            if let record = try reader.next() {
                if case .position(let position) = record.content, let time = position.time { lastTime = max(lastTime ?? time, time) }
                return record
            }
            let newcomers = try folder.journals().filter { !knownStems.contains($0.stem) }
            let signs = newcomers.map { isOfAnotherLog($0) }
            let isReplaced = signs.contains(true)
            for (journal, sign) in zip(newcomers, signs) where isReplaced || sign != nil { knownStems.insert(journal.stem) }
            guard isReplaced, let first = newcomers.first else { return nil }
            replacementCount += 1
            reader = LogReader(folder: folder, from: .after(max(1, first.firstSequence) - 1))
        }
    }

    /// Whether a journal that is new has a record that would have been read, were it of the same log; nil while it is open and has no position.
    ///
    /// Records that a recorder writes again, into its next journal, are not later than what was read.
    private func isOfAnotherLog(_ journal: LogJournal) -> Bool? {
        guard let lastTime, journal.firstSequence <= reader.cursor else { return false }
        guard var file = try? JournalReader(path: journal.path) else { return false }  // Its reader reports what is wrong with it.
        var isDecided = !journal.isOpen
        while let record = try? file.next(), record.sequence <= reader.cursor {  // See above.
            guard case .position(let position) = record.content, let time = position.time else { continue }
            if time > lastTime { return true }
            isDecided = true
        }
        return isDecided ? false : nil
    }

    /// The time of the last positions in a journal; nil when there are none.
    private static func lastTime(of journal: LogJournal) -> UTCTime? {
        guard var file = try? JournalReader(path: journal.path) else { return nil }  // Its reader reports what is wrong with it.
        return (try? file.lastRecords())?.time  // See above.
    }
}

extension LogFolder {
    /// The places where the log may change: the log folder, and the folders above it.
    fileprivate var watchedPlaces: [FolderWatch.Place] {
        var places = [FolderWatch.Place(folder: journalFolder), FolderWatch.Place(folder: path, name: "journal")]
        var child = String(path.reversed().drop { $0 == "/" }.reversed())
        // The parent folder, and the parent of every missing one.
        repeat {
            let slash = child.lastIndex(of: "/")
            let name = String(slash.map { child[child.index(after: $0)...] } ?? child[...])
            if name.isEmpty || name == "." { break }
            child = slash.map { $0 == child.startIndex ? "/" : String(child[..<$0]) } ?? "."
            places.append(FolderWatch.Place(folder: child, name: name))
        } while !Syscalls.exists(child)
        return places
    }
}
