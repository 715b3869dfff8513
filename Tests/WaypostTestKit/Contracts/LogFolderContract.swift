import Glibc
import Synchronization
import Waypost
import WaypostRecording
import WaypostSystem

/// The contract of a log folder, whatever was done to its files: cards wear out, and people edit.
public enum LogFolderContract {
    private static let trackCount = 3
    private static let positionCount = 12

    /// The ways in which a log whose files were damaged breaks the contract.
    ///
    /// - A reader delivers nothing that was not written, and everything of each intact journal.
    /// - Recovery, verification and the pullers' file end with a result or with one of their errors; recovery loses no record.
    /// - A recorder continues after every number that can be read, or says why it does not.
    ///
    /// - Parameter input: the changes to the files that a kill left, five bytes each: the kind (0: changes a byte, 1: cuts the file off, 2:
    ///   removes it, 3: fills 64 bytes with one, 4: the file gets the rest of the input), which file, where (two bytes), and the bits or the byte.
    public static func violations(damaging input: [UInt8]) async -> [Violation] {
        do { return try await damage(input) } catch { return [Violation("it does not go on: \(error)")] }
    }

    private static func damage(_ input: [UInt8]) async throws -> [Violation] {
        let whole = try await killed()
        var files = whole.files
        let names = files.keys.sorted()
        var start = 0
        while start + 5 <= input.count {
            let name = names[Int(input[start + 1]) % names.count]
            let offset = Int(input[start + 2]) << 8 | Int(input[start + 3])
            let value = input[start + 4]
            start += 5
            guard var bytes = files[name] else { continue }
            switch input[start - 5] % 5 {
            case 1: bytes = Array(bytes.prefix(offset))
            case 2:
                files[name] = nil
                continue
            case 3: for place in (offset..<offset + 64).clamped(to: bytes.indices) { bytes[place] = value }
            case 4: (bytes, start) = (Array(input[start...]), input.count)
            default: if bytes.indices.contains(offset) { bytes[offset] ^= value }
            }
            files[name] = bytes
        }
        let folder = try Folder(files)
        defer { folder.remove() }
        return try await violations(of: folder.path, files, whole)
    }

    private static func violations(of path: String, _ files: [String: [UInt8]], _ whole: Whole) async throws -> [Violation] {
        let log = LogFolder(path: path)
        var violations: [Violation] = []
        let found = records(of: log)
        for (number, content) in found where whole.records[number] != content {
            violations.append(Violation("record \(number) was not written like that"))
        }
        for (name, numbers) in whole.numbers where files[name] == whole.files[name] {
            let missing = numbers.filter { found[$0] == nil }
            if !missing.isEmpty { violations.append(Violation("\(missing.count) records of a whole journal are not read: \(name)")) }
        }
        check(log)
        recover(log)
        let kept = records(of: log)
        for (number, content) in found where kept[number] != content { violations.append(Violation("recovery lost record \(number)")) }
        do {
            let number = try await goOn(in: path)
            if let last = kept.keys.max(), number <= last { violations.append(Violation("\(number) comes behind \(last)")) }
        } catch RecordingError.unsupportedVersion {
        } catch RecordingError.cannotFinish {
            // Something blocks the track's own file; the journal has the records.
        }
        return violations
    }

    /// Logs one more fix; returns its number.
    private static func goOn(in path: String) async throws -> UInt64 {
        let recorder = try TrackRecorder(folder: path)
        let outcome = try await recorder.record(position(10_000))
        _ = try await recorder.close()
        guard case .logged(let number, _) = outcome else { preconditionFailure("a fix is logged") }
        return number
    }

    private static func recover(_ log: LogFolder) {
        do { _ = try LogMaintenance(folder: log).recover() } catch {}  // An error with words is an answer.
    }

    /// What can be read; damage is skipped, and so are journals of another version.
    private static func records(of log: LogFolder) -> [UInt64: JournalRecord.Content] {
        var found: [UInt64: JournalRecord.Content] = [:]
        var reader = LogReader(folder: log)
        for _ in 0..<trackCount + 2 {
            if readOn(&reader, into: &found) { break }
        }
        return found
    }

    /// Whether the end was reached; otherwise another call continues after the journal that cannot be read.
    private static func readOn(_ reader: inout LogReader, into found: inout [UInt64: JournalRecord.Content]) -> Bool {
        do {
            while let record = try reader.next() { found[record.sequence] = record.content }
            return true
        } catch {
            return false
        }
    }

    private static func check(_ log: LogFolder) {
        do throws(RecordingError) {
            let verifier = LogVerifier(folder: log)
            _ = try verifier.digestFaults()
            for journal in try log.journals() { _ = try verifier.faults(of: journal) }
        } catch {}  // An error with words is an answer, here and below.
        do throws(RecordingError) {
            _ = try Pullers(folder: log).acknowledge(try log.lastSequence(), puller: "laptop")
        } catch {}
    }

    // MARK: - What is damaged

    private struct Whole {
        var files: [String: [UInt8]] = [:]
        var records: [UInt64: JournalRecord.Content] = [:]
        /// The numbers of the records of each journal.
        var numbers: [String: [UInt64]] = [:]
    }

    /// What a kill leaves of a log: finished tracks and one that was being recorded.
    ///
    /// Made once for all changes.
    private static func killed() async throws -> Whole {
        if let made = made.withLock({ $0 }) { return made }
        let folder = try Folder([:])
        defer { folder.remove() }
        let recorder = try TrackRecorder(folder: folder.path)
        for track in 0..<trackCount {
            for second in 0..<positionCount { try await recorder.record(position(track * 100 + second)) }
            if track < trackCount - 1 { _ = try await recorder.finishTrack() }
        }
        let log = LogFolder(path: folder.path)
        _ = try Pullers(folder: log).acknowledge(5, puller: "laptop")
        var whole = Whole(files: try folder.files(), records: records(of: log))
        for journal in try log.journals() {
            var reader = try JournalReader(path: journal.path)
            var numbers: [UInt64] = []
            while let record = try reader.next() { numbers.append(record.sequence) }
            whole.numbers[String(journal.path.dropFirst(folder.path.count + 1))] = numbers
        }
        made.withLock { $0 = whole }
        return whole
    }

    private static let made = Mutex<Whole?>(nil)

    private static func position(_ second: Int) -> Position {
        guard let place = Coordinate(latitudeDegrees: 47 + Double(second) / 10_000, longitudeDegrees: 9) else {
            preconditionFailure("a place")
        }
        var position = Position(time: UTCTime(millisecondsSince1970: 1_777_692_302_000 + Int64(second) * 1_000), coordinate: place)
        position.mode = .twoDimensional
        return position
    }

    /// A folder in memory, with the files in it, including those of `journal/`.
    private struct Folder {
        let path: String

        init(_ files: [String: [UInt8]]) throws {
            let parent = Syscalls.isFolder("/dev/shm") ? "/dev/shm" : "/tmp"
            path = "\(parent)/waypost-log-contract-\(getpid())-\(UInt32.random(in: 0...(.max)))"
            try Syscalls.createFolders(path + (files.isEmpty ? "" : "/journal"))
            for (name, bytes) in files { try AtomicFile.write(bytes, to: "\(path)/\(name)", mode: 0o600) }
        }

        func files() throws -> [String: [UInt8]] {
            var files: [String: [UInt8]] = [:]
            for folder in ["", "journal/"] {
                for name in try Syscalls.names(inFolder: "\(path)/\(folder)") where !Syscalls.isFolder("\(path)/\(folder)\(name)") {
                    files[folder + name] = try Syscalls.contents(of: "\(path)/\(folder)\(name)", limit: 1 << 24)
                }
            }
            return files
        }

        func remove() {
            for folder in ["journal/", ""] {
                let names = (try? Syscalls.names(inFolder: "\(path)/\(folder)")) ?? []  // What stays behind does no harm.
                for name in names { _ = unlink("\(path)/\(folder)\(name)") }
                _ = rmdir("\(path)/\(folder)")
            }
        }
    }
}
