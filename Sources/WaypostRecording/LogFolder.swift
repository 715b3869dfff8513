import Waypost
import WaypostSystem

/// Where the files of a log lie, and what they are called.
///
/// ```
/// LOG/STEM.gpx                     finished tracks, read-only
/// LOG/journal/STEM.open.journal    a journal that has no finished track yet
/// LOG/journal/STEM.journal         one that has
/// LOG/journal/.sequence            all sequence numbers below the one in it may have been used
/// LOG/.lock                        held by the recorder, with its process id
/// ```
/// `STEM` is the UTC time of the first fix, the first eight digits of the boot identity and the sequence number of the first record:
/// `20260502T032502Z-1f0c22d9-4711`. The number grows for ever, so no name comes twice, even after its file was fetched and deleted.
struct LogFolder: Sendable {
    let path: String
    var journalFolder: String { path + "/journal" }
    var lockPath: String { path + "/.lock" }
    var sequencePath: String { journalFolder + "/.sequence" }

    static let openSuffix = ".open.journal"
    static let finishedSuffix = ".journal"

    func openJournalPath(_ stem: String) -> String { "\(journalFolder)/\(stem)\(LogFolder.openSuffix)" }
    func finishedJournalPath(_ stem: String) -> String { "\(journalFolder)/\(stem)\(LogFolder.finishedSuffix)" }
    func trackPath(_ stem: String) -> String { "\(path)/\(stem).gpx" }

    /// The name of a journal that begins with a fix of that time.
    static func stem(time: UTCTime, bootIdentity: [UInt8], sequence: UInt64) -> String {
        var text = TextBuffer(capacity: 64)
        text.append(time.wholeSecond)
        var name = text.string.filter { $0 != "-" && $0 != ":" }
        name.removeLast(".000Z".count)
        let boot = bootIdentity.prefix(4).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        return "\(name)Z-\(boot)-\(sequence)"
    }

    /// The stems of the journals that have no finished track, oldest name first.
    func openStems() throws(SystemError) -> [String] {
        try Syscalls.names(inFolder: journalFolder).filter { $0.hasSuffix(LogFolder.openSuffix) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(LogFolder.openSuffix.count)) }
    }

    /// Creates what is missing, takes the lock and clears what a crashed recorder left half written.
    func take() throws(RecordingError) -> FileLock {
        let attempt: FileLock.Attempt
        do {
            try Syscalls.createFolders(journalFolder)
            attempt = try FileLock.take(path: lockPath)
        } catch {
            throw .cannotPrepare(folder: path, cause: error)
        }
        switch consume attempt {
        case .held(let holder):
            throw .alreadyInUse(folder: path, holder: holder)
        case .taken(let lock):
            do {
                try removeTemporaryFiles()
            } catch {
                throw .cannotPrepare(folder: path, cause: error)
            }
            return lock
        }
    }

    /// Whether any file has that stem.
    func isTaken(_ stem: String) -> Bool {
        [openJournalPath(stem), finishedJournalPath(stem), trackPath(stem)].contains { Syscalls.exists($0) }
    }

    /// One more than the largest number in any journal, for a folder whose counter is lost.
    func firstFreeSequence() throws(RecordingError) -> UInt64 {
        let names: [String]
        do {
            names = try Syscalls.names(inFolder: journalFolder)
        } catch {
            throw .cannotRead(path: journalFolder, cause: error)
        }
        var last: UInt64 = 0
        for name in names where name.hasSuffix(LogFolder.finishedSuffix) {
            var journal = try JournalReader(path: "\(journalFolder)/\(name)")
            while let record = try journal.next() { last = max(last, record.sequence) }
        }
        return last + 1
    }

    /// Removes half-written files of a process that is gone; call it with the lock held.
    func removeTemporaryFiles() throws(SystemError) {
        // The log may lie in a folder with other programs' files: only what is named as ours.
        for (folder, ending) in [(path, ".gpx"), (journalFolder, ".sequence")] {
            for name in try Syscalls.names(inFolder: folder) where AtomicFile.target(ofTemporary: name)?.hasSuffix(ending) == true {
                try Syscalls.remove("\(folder)/\(name)")
            }
        }
    }
}

extension UTCTime {
    fileprivate var wholeSecond: UTCTime {
        let rest = millisecondsSince1970 % 1_000
        return advanced(byMilliseconds: rest < 0 ? -rest - 1_000 : -rest)
    }
}
