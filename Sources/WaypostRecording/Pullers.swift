import Waypost
import WaypostSystem

/// The pullers of a log, and how far each has read: what a puller has acknowledged has arrived.
///
/// With `keep_unpulled` nothing is deleted until every known puller has acknowledged it. Reading a log acknowledges nothing.
/// - Concurrency: any number of processes at once; none needs the recorder. Any process that may write to the log's folder may acknowledge.
public struct Pullers: Sendable {
    /// A program or person that fetches the log.
    public struct Puller: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// The sequence number of the last record that it has.
        public var cursor: UInt64

        /// Creates a puller that has everything up to that record.
        public init(name: String, cursor: UInt64) {
            self.name = name
            self.cursor = cursor
        }
    }

    /// The longest name.
    public static let maximumNameByteCount = 64
    /// How many pullers are remembered.
    public static let maximumCount = 256

    private let folder: LogFolder

    /// Creates the value for the log in a folder.
    public init(folder: LogFolder) {
        self.folder = folder
    }

    /// Whether a puller may have that name: 1 to 64 letters, digits, `.`, `_` and `-` of ASCII, the first neither `.` nor `-`.
    public static func isValid(name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= maximumNameByteCount else { return false }
        return first != UInt8(ascii: ".") && first != UInt8(ascii: "-")
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
                default: false
                }
            }
    }

    /// All known pullers, by name.
    ///
    /// - Errors: `cannotRead`; `damagedPullers` when the file is not valid: then nothing counts as pulled.
    public func all() throws(RecordingError) -> [Puller] {
        let bytes: [UInt8]?
        do {
            bytes = try Syscalls.contents(of: folder.pullersPath, as: .own)
        } catch {
            throw .cannotRead(path: folder.pullersPath, cause: error)
        }
        var pullers: [Puller] = []
        guard let text = bytes.map(SealedText.text(of:)) ?? [] else { throw .damagedPullers(path: folder.pullersPath) }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 2, Pullers.isValid(name: words[0]), let cursor = UInt64(words[1]),
                cursor <= JournalCodec.sequences.upperBound
            else {
                throw .damagedPullers(path: folder.pullersPath)
            }
            pullers.append(Puller(name: words[0], cursor: cursor))
        }
        return pullers.sorted { $0.name < $1.name }
    }

    /// Records that a puller has all records up to that number; this is on the disk when the call returns.
    ///
    /// A cursor before the known one changes nothing: what has arrived has arrived.
    /// - Returns: the puller's new state.
    /// - Errors: `invalidPuller`; `unknownCursor` for a record that does not exist; `tooManyPullers`; `cannotRead`, `cannotAcknowledge`
    ///   (also when there is no log), `damagedPullers`.
    @discardableResult
    public func acknowledge(_ cursor: UInt64, puller name: String) throws(RecordingError) -> Puller {
        guard Pullers.isValid(name: name) else { throw .invalidPuller(name: name) }
        let last = try folder.lastSequenceEver()
        guard cursor <= last else { throw .unknownCursor(cursor, last: last) }
        var known = Puller(name: name, cursor: cursor)
        try change { (pullers) throws(RecordingError) in
            if let index = pullers.firstIndex(where: { $0.name == name }) {
                guard pullers[index].cursor < cursor else {
                    known = pullers[index]
                    return false
                }
                pullers[index].cursor = cursor
            } else {
                guard pullers.count < Pullers.maximumCount else { throw .tooManyPullers(limit: Pullers.maximumCount) }
                pullers.append(known)
            }
            return true
        }
        return known
    }

    /// Forgets a puller that no longer comes, so that nothing is kept for it; false when it was not known.
    @discardableResult
    public func forget(_ name: String) throws(RecordingError) -> Bool {
        var isKnown = false
        try change { (pullers) throws(RecordingError) in
            isKnown = pullers.contains { $0.name == name }
            pullers.removeAll { $0.name == name }
            return isKnown
        }
        return isKnown
    }

    /// Changes the file under a lock; the body returns whether there is anything to store.
    private func change(_ body: (inout [Puller]) throws(RecordingError) -> Bool) throws(RecordingError) {
        let lock: FileLock
        do {
            try folder.checkJournalFolder()
            lock = try FileLock.wait(path: folder.pullersPath + ".lock")
        } catch {
            throw .cannotAcknowledge(path: folder.pullersPath, cause: error)
        }
        var pullers = try all()
        if try body(&pullers) {
            let lines = pullers.sorted { $0.name < $1.name }.map { "\($0.name) \($0.cursor)\n" }.joined()
            do {
                try AtomicFile.write(SealedText.seal(Array(lines.utf8)), to: folder.pullersPath, adoptsFolderOwner: true)
            } catch {
                throw .cannotAcknowledge(path: folder.pullersPath, cause: error)
            }
        }
        withExtendedLifetime(lock) {}
    }
}

extension LogFolder {
    /// The number of the newest record, or of the last one behind it that is known to be lost; 0 when there is none.
    ///
    /// - Cost: reads the end of the newest journals.
    public func lastSequence() throws(RecordingError) -> UInt64 {
        // What is gone, or in another copy of this log, was there, and its numbers do not come again.
        let removed = RemovedNumbers(in: self)
        let lost = [RemovedNumbers.Fate.removed, .lost, .elsewhere, .moved].compactMap { removed.ranges($0).last?.upperBound }
        let newest = max(try newestSequence(), lost.max() ?? 0)
        // Nothing is lost behind a journal that still grows.
        if try journals().last?.isOpen == true { return newest }
        var reader = LogReader(folder: self, from: .after(newest))
        while try reader.nextPassingOver() != nil {}
        return reader.cursor
    }

    /// The number of the newest record that can be read; 0 when there is none.
    private func newestSequence() throws(RecordingError) -> UInt64 {
        // A journal may be finished, or fetched and deleted, between the listing and here.
        for _ in 0..<100 {
            do {
                for journal in try journals().reversed() where Syscalls.oddFile(journal.path) == nil {
                    var reader = try JournalReader(path: journal.path)
                    if let last = try reader.lastRecord() { return last.sequence }
                }
                return 0
            } catch {
                guard case .cannotRead(_, let cause) = error, cause.isMissing else { throw error }
            }
        }
        return 0
    }

    /// The number of the newest record; without any journal, the last that may have been used, because a recorder may still use it.
    func lastSequenceEver() throws(RecordingError) -> UInt64 {
        let last = try lastSequence()
        if last > 0 { return last }
        do {
            return SequenceCounter.bound(try Syscalls.contents(of: sequencePath, as: .own)).map { $0 - 1 } ?? 0
        } catch {
            if error.isOddFile { return 0 }
            throw .cannotRead(path: sequencePath, cause: error)
        }
    }
}
