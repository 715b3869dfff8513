import Waypost
import WaypostSystem

/// Where the files of a log are, and their names.
///
/// ```
/// LOG/STEM.gpx                     finished tracks, read-only
/// LOG/STEM.TYPE.gpx                the same of further log types: source, raw, current, matched
/// LOG/SHA256SUMS                   the digests of the finished tracks, for sha256sum -c
/// LOG/journal/STEM.open.journal    a journal that has no finished track yet
/// LOG/journal/STEM.journal         one that has
/// LOG/journal/.next                room for the next journal, while a track ends
/// LOG/journal/.sequence            all sequence numbers below the one in it may have been used
/// LOG/journal/.pullers             how far each puller has read
/// LOG/journal/.destinations        where each destination continues when the outbox is lost; none at first
/// LOG/journal/.removed             numbers that no journal has, and why: most were deleted or erased with a whole journal
/// LOG/journal/.erased              stretches that were erased, until the tracker has forgotten them elsewhere
/// LOG/journal/.earlier             the folders of other logs from which something is still to be sent, and what could not be erased
/// LOG/journal/.unopened            the destinations of runs in which the outbox could not be opened, until it can
/// LOG/.lock                        held by the recorder, with its process id
/// ```
/// `STEM` is a `TrackStem`.
public struct LogFolder: Sendable, Hashable {
    /// The path of the folder.
    public let path: String
    var journalFolder: String { path + "/journal" }
    /// Whether a log has been kept here before.
    public var hasJournals: Bool { Syscalls.isFolder(journalFolder) }
    var lockPath: String { path + "/.lock" }
    var sequencePath: String { journalFolder + "/.sequence" }
    /// The next journal, before its first record determines its name.
    var nextJournalPath: String { journalFolder + "/.next" }

    var pullersPath: String { journalFolder + "/.pullers" }
    /// The folders of earlier logs, from which something is still to be sent.
    package var earlierPath: String { journalFolder + "/.earlier" }
    /// The destinations of runs without an outbox.
    package var unopenedPath: String { journalFolder + "/.unopened" }
    /// The numbers that no journal has.
    var removedPath: String { journalFolder + "/.removed" }
    /// Where the progress of the destinations is stored, for positions and events; written before the first journal, even without destinations.
    public var destinationsPath: String { journalFolder + "/.destinations" }

    /// More records than a journal of the greatest size has.
    private static let mostRecords: UInt64 = 1 << 24

    static let openSuffix = ".open.journal"
    static let finishedSuffix = ".journal"

    /// Creates the value for a folder, which need not exist yet.
    public init(path: String) {
        self.path = path
    }

    func openJournalPath(_ stem: String) -> String { "\(journalFolder)/\(stem)\(LogFolder.openSuffix)" }
    func finishedJournalPath(_ stem: String) -> String { "\(journalFolder)/\(stem)\(LogFolder.finishedSuffix)" }
    func trackPath(_ stem: String) -> String { "\(path)/\(LogFolder.trackName(stem))" }

    /// The name of a GPX file, of its journal's first type or of another one.
    static func trackName(_ stem: String, type: LogType? = nil) -> String { type.map { "\(stem).\($0.rawValue).gpx" } ?? "\(stem).gpx" }

    /// The stem of a GPX file with that name; nil when it is not one of ours.
    static func stem(ofTrack name: String) -> TrackStem? {
        guard name.hasSuffix(".gpx") else { return nil }
        let parts = name.dropLast(".gpx".count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 2 && LogType(rawValue: String(parts[1])) != nil else { return nil }
        return TrackStem(String(parts[0]))
    }

    /// The stems of the journals that have no finished track, oldest name first.
    func openStems() throws(SystemError) -> [String] {
        try Syscalls.names(inFolder: journalFolder).filter { $0.hasSuffix(LogFolder.openSuffix) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(LogFolder.openSuffix.count)) }
    }

    /// Locks the folder and removes what a crashed recorder left half written.
    ///
    /// - Parameters:
    ///   - creates: whether missing folders are created; otherwise they are `cannotPrepare`.
    ///   - note: is told what was found in place of files, see ``setOddFilesAside()``.
    func lock(creates: Bool, _ note: ([OddLogFile]) -> Void = { _ in }) throws(RecordingError) -> FileLock {
        let attempt: FileLock.Attempt
        do {
            try checkIsInNoLog()
            if creates { try Syscalls.createFolders(journalFolder) } else { _ = try Syscalls.names(inFolder: journalFolder) }
            try checkJournalFolder()
            attempt = try FileLock.acquire(path: lockPath)
        } catch {
            throw .cannotPrepare(folder: path, cause: error)
        }
        switch consume attempt {
        case .held(let holder):
            throw .alreadyInUse(folder: path, holder: holder)
        case .taken(let lock):
            note(setOddFilesAside())
            do {
                try removeTemporaryFiles()
            } catch {
                throw .cannotPrepare(folder: path, cause: error)
            }
            return lock
        }
    }

    /// Writes, before the first journal, that there are no destinations yet: a log with journals and without that file has lost it.
    func noteNoDestinations() {
        guard !Syscalls.exists(destinationsPath), (try? journals().isEmpty) == true else { return }  // The first record reports the error.
        let bytes = SealedText.seal(Array("{\"destinations\":[]}\n".utf8))
        try? AtomicFile.write(bytes, to: destinationsPath, mode: 0o600, adoptsFolderOwner: true)  // See above.
    }

    /// Whether the journals belong to the owner of the log, or there are none.
    public var isOneOwners: Bool { !Syscalls.exists(journalFolder) || Syscalls.haveSameOwner(path, journalFolder) }

    /// Makes sure that the journals are in this folder: a link could lead root to any user's files.
    func checkJournalFolder() throws(SystemError) {
        guard Syscalls.exists(journalFolder), !Syscalls.isOwnFolder(journalFolder) else { return }
        throw SystemError.notOwnFolder(journalFolder)
    }

    /// Makes sure that this is not the journal folder of another log, or inside it: each of the two would take the other's files for its own.
    func checkIsInNoLog() throws(SystemError) {
        var existing = path[...]
        while !Syscalls.exists(String(existing)), let slash = existing.lastIndex(of: "/") { existing = existing[..<slash] }
        var names = Syscalls.resolvingLinks(String(existing)).split(separator: "/")
        while let name = names.popLast() {
            let log = "/" + names.joined(separator: "/")
            guard name == "journal", Syscalls.exists("\(log)/journal/.sequence") else { continue }
            throw SystemError.isMisplaced(path, "is in the journal folder of the log \(log); use a folder outside of it")
        }
    }

    /// Whether any file has this stem.
    func isTaken(_ stem: String) -> Bool {
        [openJournalPath(stem), finishedJournalPath(stem), trackPath(stem)].contains { Syscalls.exists($0) }
    }

    /// One more than the largest number in any journal, for a folder whose counter is lost.
    func firstFreeSequence() throws(RecordingError) -> UInt64 {
        var last: UInt64 = 0
        for journal in try journals() {
            // Whatever its name says, because the file may be a copy under another name.
            guard Syscalls.oddFile(journal.path) == nil else {
                // The journal may be elsewhere and come back: no journal has so many records.
                last = max(last, journal.firstSequence &+ LogFolder.mostRecords)
                continue
            }
            var reader = try JournalReader(path: journal.path)
            last = max(last, try reader.lastRecord()?.sequence ?? 0)
        }
        return max(last, newestFetched) + 1
    }

    /// One more than the largest number in the last journal, for a folder whose counter may be older than its journals.
    ///
    /// A journal that cannot be read, as one of another version, says nothing.
    func firstFreeSequenceOfLastJournal() throws(RecordingError) -> UInt64 {
        guard let journal = try journals().last, Syscalls.oddFile(journal.path) == nil,
            var reader = try? JournalReader(path: journal.path),  // See above.
            let last = try? reader.lastRecord()  // See above.
        else { return newestFetched + 1 }
        return max(last.sequence, newestFetched) + 1
    }

    /// The largest number that anyone has fetched: the record has existed, whatever became of it; an unreadable list is ignored.
    private var newestFetched: UInt64 { ((try? Pullers(folder: self).all()) ?? []).map(\.cursor).max() ?? 0 }  // See above.

    /// Removes half-written files of a process that has ended; call it while holding the lock.
    func removeTemporaryFiles() throws(SystemError) {
        // The log may share its folder with other programs' files: only our names are removed.
        try Syscalls.remove(nextJournalPath)
        let ours = [
            (path, ".gpx"), (path, "SHA256SUMS"), (journalFolder, ".sequence"), (journalFolder, ".destinations"),
            (journalFolder, ".erased"), (journalFolder, ".removed"), (journalFolder, ".earlier"), (journalFolder, ".unopened"),
            (journalFolder, ".journal"),
        ]
        for (folder, ending) in ours {
            for name in try Syscalls.names(inFolder: folder) where AtomicFile.target(ofTemporary: name)?.hasSuffix(ending) == true {
                try Syscalls.remove("\(folder)/\(name)")
            }
        }
    }
}
