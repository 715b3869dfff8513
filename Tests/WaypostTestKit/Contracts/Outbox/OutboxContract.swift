import Glibc
import Synchronization
import Waypost
import WaypostDispatch
import WaypostSystem

/// The contract of an outbox, whatever was done to its files.
public enum OutboxContract {
    /// The suffixes of an outbox's files after its path.
    private static let suffixes = ["", "-wal", "-tally"]
    private static let entryCount = 24

    /// What the log has besides its own commits.
    private enum LogLayout {
        case alone
        /// The rest of an earlier log is behind it.
        case overEarlier
        /// That, and everything in it is in the file, too.
        case merged
    }

    /// The ways in which an outbox whose files were damaged breaks the contract.
    ///
    /// - It opens, and its waiting entries can be read and moved.
    /// - Every entry is restored if the newest image of its page, in the file or the log, is unchanged (`OutboxImages`); but a last commit that
    ///   looks like one that a power cut has interrupted may be left out.
    /// - Waiting entries and reported losses together are no more than there were.
    /// - It accepts entries, and the next run finds it intact.
    ///
    /// - Parameter input: the changes to the files that a kill left, four bytes each: the kind (0 to 2: changes a byte of the file, the log,
    ///   the tally; 3: cuts one of them off; 4: fills a kilobyte of the file or the log with one byte), where (two bytes), and the bits to change,
    ///   the file to cut, or the byte. With one byte more at the end the log has begun anew over an earlier one, whose rest is behind it; with two,
    ///   what it has is in the file, too.
    public static func violations(damaging input: [UInt8]) async -> [Violation] {
        do { return try await damage(input) } catch { return [Violation("it does not go on: \(error)")] }
    }

    private static func damage(_ input: [UInt8]) async throws -> [Violation] {
        let folder = "/tmp/waypost-outbox-contract-\(getpid())-\(UInt32.random(in: 0...(.max)))"
        try Syscalls.createFolders(folder)
        defer {
            let names = (try? Syscalls.names(inFolder: folder)) ?? []  // What stays behind does no harm.
            for name in names { _ = unlink("\(folder)/\(name)") }
            _ = rmdir(folder)
        }
        let path = folder + "/outbox.sqlite"
        let layout: LogLayout = [1: .overEarlier, 2: .merged][input.count % 4] ?? .alone
        let (whole, images) = try await killed(in: folder, layout)
        var files = whole
        for start in stride(from: 0, to: input.count - 3, by: 4) {
            let offset = Int(input[start + 1]) << 8 | Int(input[start + 2])
            let value = input[start + 3]
            switch input[start] % 5 {
            case 3:
                let index = Int(value) % files.count
                files[index] = Array(files[index].prefix(offset))
            case 4:
                let index = offset % 2
                let stretch = (offset / 2 * 1_024..<(offset / 2 + 1) * 1_024).clamped(to: files[index].indices)
                for place in stretch { files[index][place] = value }
            case let index: if files[Int(index)].indices.contains(offset) { files[Int(index)][offset] ^= value }
            }
        }
        let wanted = images.entries(leftIn: files, isCounted: files[2] == whole[2])
        for name in try Syscalls.names(inFolder: folder) { try Syscalls.remove("\(folder)/\(name)") }
        for (suffix, bytes) in zip(suffixes, files) { try AtomicFile.write(bytes, to: path + suffix, mode: 0o600) }
        return try await violations(of: path, wanted)
    }

    /// What a kill leaves of an outbox with waiting entries, and where each of these is; the log holds most of them.
    ///
    /// Made once for all changes.
    private static func killed(in folder: String, _ layout: LogLayout) async throws -> (files: [[UInt8]], images: OutboxImages) {
        if let made = made.withLock({ $0[layout] }) { return made }
        let path = folder + "/outbox.sqlite"
        let outbox = try Outbox(path: path)
        _ = try await outbox.attach("home", newestPosition: 7)
        for number in 0..<entryCount {
            try await outbox.accept([call(number)])
            // Some are in the file, the rest is in the log.
            if number == entryCount / 2, layout == .alone { try await outbox.checkpoint() }
            // What is settled for good is written to the file; the log begins anew.
            if number == entryCount - 3, layout != .alone { try await outbox.setPaused(false, "home") }
        }
        if layout == .merged { try await outbox.setPaused(false, "home") }
        let files = try suffixes.map { try Syscalls.contents(of: path + $0, limit: 1 << 20) ?? [] }
        let images = try OutboxImages(file: files[0], log: files[1], folder: folder)
        made.withLock { $0[layout] = (files, images) }
        return (files, images)
    }

    private static let made = Mutex<[LogLayout: (files: [[UInt8]], images: OutboxImages)]>([:])

    private static func violations(of path: String, _ wanted: Set<String>) async throws -> [Violation] {
        var violations: [Violation] = []
        let first: OutboxRecovery?
        do {
            let outbox: Outbox
            // A version number that was changed by a flipped bit: the file is left as it is.
            do throws(OutboxError) { outbox = try Outbox(path: path) } catch .otherVersion { return [] } catch { throw error }
            first = await outbox.recovery
            let lost = first?.lostCount ?? 0
            let state = try await outbox.attach("home", newestPosition: 9)
            if state.waitingEventCount + lost > entryCount { violations.append(Violation("more waits and is lost than there was")) }
            let found = try SQLiteDatabase(path: path).rows("SELECT id FROM entry") { $0.text(0) }
            let missing = wanted.subtracting(found).count
            if missing > 0 { violations.append(Violation("\(missing) of \(wanted.count) whole entries did not come back")) }
            try await outbox.accept([call(entryCount)])
            if try await outbox.state(of: "home").waitingEventCount != state.waitingEventCount + 1 {
                violations.append(Violation("what was taken does not wait"))
            }
            _ = try await outbox.deadLetters()
            try await outbox.discard("home", newestPosition: 9)
            try await outbox.checkpoint()
        }
        // A loss is told again, and nothing else.
        let next = await (try Outbox(path: path)).recovery
        let isSame = next.map { first?.lostCount == $0.lostCount && first?.asidePath == $0.asidePath }
        if isSame != (first == nil || first?.lostCount == 0 ? nil : true) { violations.append(Violation("what was rescued is damaged")) }
        return violations
    }

    private static func call(_ number: Int) -> OutboxEntry {
        .track(TrackCall(name: "call", values: ["n": .integer(Int64(number))], time: nil, position: nil))
    }
}
