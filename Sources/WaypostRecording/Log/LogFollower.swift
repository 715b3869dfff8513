import Waypost
import WaypostSystem

/// Reads a log to its end, and on when there is more: over rotations, restarts of the recorder, erased stretches, and folders that are moved away
/// and made anew.
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
/// Numbers grow from record to record. They begin anew only with another log in the place of this one: one with a journal that was not there before,
/// that has numbers of ours, and begins later than all that was read. Copies of older journals are passed over.
/// - Cost: between the records nothing; a look at the folder's names for each write of the recorder.
/// - Concurrency: one owner.
public struct LogFollower: ~Copyable {
    /// What cannot be watched is looked at so often, and everything once a minute: a mount, or a disk of the network, says nothing by itself.
    private static let pollMilliseconds: (unwatched: Int32, watched: Int32) = (1_000, 60_000)

    /// What reads; its header and damage are those of the journals read.
    public private(set) var reader: LogReader
    /// How many times another log was found in the place of the one before.
    public private(set) var replacementCount = 0

    private let folder: LogFolder
    private let watch: FolderWatch?
    private var isWatched = false
    private var knownStems: Set<String>
    private var lastTime: UTCTime?

    /// Follows the log in that folder.
    ///
    /// - Errors: `cannotRead`.
    public init(folder: LogFolder, from start: LogReader.Start) throws(RecordingError) {
        self.folder = folder
        // Without one it looks every second.
        do throws(SystemError) { watch = try FolderWatch() } catch { watch = nil }
        reader = LogReader(folder: folder, from: start)
        knownStems = Set(try folder.journals().map(\.stem))
    }

    /// What is polled for reading until there may be more; nil when nothing can be watched.
    public var descriptor: Int32? { watch?.descriptor }

    /// How long to wait at most.
    public var timeoutMilliseconds: Int32 { isWatched ? LogFollower.pollMilliseconds.watched : LogFollower.pollMilliseconds.unwatched }

    /// Makes sure that what happens from now on wakes the waiting; call it before reading to the end.
    public mutating func look() { isWatched = watch?.look(at: folder.watchedPlaces) ?? false }

    /// Takes what woke the waiting; whether there may be more.
    public func clear() -> Bool { watch?.clear() ?? true }

    /// The next record; nil at the end for now.
    ///
    /// - Errors: as those of ``LogReader/next()``.
    public mutating func next() throws(RecordingError) -> JournalRecord? {
        while true {
            if let record = try reader.next() {
                if case .position(let position) = record.content, let time = position.time { lastTime = max(lastTime ?? time, time) }
                return record
            }
            let journals = try folder.journals()
            let newcomer = journals.first { isOfAnotherLog($0) }
            knownStems.formUnion(journals.map(\.stem))
            guard newcomer != nil else { return nil }
            replacementCount += 1
            reader = LogReader(folder: folder)
        }
    }

    private func isOfAnotherLog(_ journal: LogJournal) -> Bool {
        guard let lastTime, !knownStems.contains(journal.stem), journal.firstSequence <= reader.cursor, let first = journal.firstTime else {
            return false
        }
        // Names have whole seconds; what a recorder writes a second time, into its next journal, is not later than what was read.
        return first.millisecondsSince1970 / 1_000 > lastTime.millisecondsSince1970 / 1_000
    }
}

extension LogFolder {
    /// Where something may happen to the log: in it, and to the folders that it is in.
    fileprivate var watchedPlaces: [FolderWatch.Place] {
        var places = [FolderWatch.Place(folder: journalFolder), FolderWatch.Place(folder: path, name: "journal")]
        var child = String(path.reversed().drop { $0 == "/" }.reversed())
        // The folder above it, and above all that is missing.
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
