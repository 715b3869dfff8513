import Waypost
import WaypostSystem

/// A journal in a log folder, finished or not.
public struct LogJournal: Sendable, Hashable {
    /// The name of its track's files, without folder and ending; a `TrackStem` unless the file was renamed.
    public let stem: String
    /// The path of its file.
    public let path: String
    /// Whether it has no finished track: a recorder appends to it, or it has not been recovered yet.
    public let isOpen: Bool
    /// The sequence number of its first record.
    public let firstSequence: UInt64
    /// The time of its first fix, to the second; nil when its name does not contain it.
    public let firstTime: UTCTime?

    /// Whether nothing was ever written to it: the tracker was killed right after it had made the file.
    ///
    /// - Errors: `cannotRead`.
    func isBlank() throws(RecordingError) -> Bool {
        do {
            let file = try FileReader(path: path, as: .own)
            var offset: Int64 = 0
            while let content = try file.content(from: offset) {
                let bytes = try file.read(at: content, upTo: JournalReader.pieceByteCount)
                if bytes.isEmpty { break }
                guard JournalCodec.endOfZeros(in: bytes, from: 0, to: bytes.count) == bytes.count else { return false }
                offset = content + Int64(bytes.count)
            }
            return true
        } catch {
            throw .cannotRead(path: path, cause: error)
        }
    }

    /// How many bytes it has without the room that a recorder has reserved at its end, in this run or in one that was killed.
    ///
    /// All bytes of one that cannot be read.
    /// - Cost: reads no more than that room.
    var writtenByteCount: Int64 {
        guard let byteCount = Syscalls.byteCount(of: path) else { return 0 }
        let least = byteCount - AppendOnlyFile.mostRoom
        do throws(SystemError) {
            let file = try FileReader(path: path, as: .own)
            var end = byteCount
            while end > max(0, least) {
                let start = max(0, end - Int64(JournalReader.pieceByteCount))
                let bytes = try file.read(at: start, upTo: Int(end - start))
                if JournalCodec.endOfZeros(in: bytes, from: 0, to: bytes.count) < bytes.count {
                    return start + Int64(bytes.lastIndex { $0 != 0 } ?? 0) + 1
                }
                end = start
            }
            return end
        } catch {
            return byteCount
        }
    }
}

extension LogFolder {
    /// The journals, in the order in which they were written.
    ///
    /// Several processes may list them while a recorder begins and finishes journals.
    /// - Errors: `cannotRead`; a missing folder, or one without journals, is not an error.
    /// - Cost: reads only the names, and the header of a journal whose name is not one of ours.
    public func journals() throws(RecordingError) -> [LogJournal] {
        var journals: [String: LogJournal] = [:]
        for name in try stableJournalNames() where name.hasSuffix(LogFolder.finishedSuffix) && !name.hasPrefix(".") {
            let isOpen = name.hasSuffix(LogFolder.openSuffix)
            let stem = String(name.dropLast(isOpen ? LogFolder.openSuffix.count : LogFolder.finishedSuffix.count))
            // Listed under both names: the second one was listed before the rename.
            if isOpen, journals[stem] != nil { continue }
            let path = "\(journalFolder)/\(name)"
            let track = TrackStem(stem)
            guard let first = track?.firstSequence ?? LogFolder.firstSequence(ofJournal: path) else { continue }
            journals[stem] = LogJournal(stem: stem, path: path, isOpen: isOpen, firstSequence: first, firstTime: track?.firstTime)
        }
        return journals.values.sorted { ($0.firstSequence, $0.stem) < ($1.firstSequence, $1.stem) }
    }

    /// The first number of the journal after this one; the largest possible number when none follows.
    ///
    /// Records from that number on were written again there, because they were not certain to have reached the disk.
    func firstSequence(after stem: String) throws(RecordingError) -> UInt64 {
        guard let first = TrackStem(stem)?.firstSequence else { return .max }
        return try journals().first { $0.firstSequence > first }?.firstSequence ?? .max
    }

    /// The first number in a journal's header; nil when the header cannot be read.
    private static func firstSequence(ofJournal path: String) -> UInt64? {
        guard let file = try? FileReader(path: path, as: .own),  // removed since, or not ours
            let bytes = try? file.read(upTo: JournalCodec.maximumHeaderByteCount),  // the same
            case .header(let header, _)? = try? JournalCodec.decodeHeader(bytes[...])  // of a later version
        else { return nil }
        return header.firstSequence
    }

    /// The names in the journal folder at one moment.
    ///
    /// A file that is renamed while its folder is read may be missed under both names, and a missed journal would be missing from an export;
    /// two readings that agree saw no rename.
    private func stableJournalNames() throws(RecordingError) -> [String] {
        do {
            try checkJournalFolder()
            var names = try Syscalls.names(inFolder: journalFolder)
            // Journals are renamed once per track, so the second reading nearly always agrees.
            for _ in 0..<100 {
                let again = try Syscalls.names(inFolder: journalFolder)
                if again == names { break }
                names = again
            }
            return names
        } catch {
            if error.isMissing { return [] }
            throw .cannotRead(path: journalFolder, cause: error)
        }
    }
}
