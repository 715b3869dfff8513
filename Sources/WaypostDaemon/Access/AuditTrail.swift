import Logging
import Synchronization
import Waypost
import WaypostSystem

/// Who decided what about whom, and when: in the message log, and as lines of JSON in the file `audit` of the state folder.
///
/// The file is only for the daemon's user. At 256 kB it becomes `audit.1`, in place of the one before. Only what somebody decided, or who has been
/// given something, is in the file: whoever may know nothing must not be able to fill it. What a user may do as often as they like is written ten
/// times in an hour, for each purpose; a line at the end of the hour says how many there were more.
/// - Concurrency: from anywhere; only ``note(_:)`` waits for the disk.
final class AuditTrail: Sendable {
    /// Something that happened.
    struct Entry: Sendable {
        /// `grant`, `revoke`, `full`, `register`, ...
        var action: String
        /// Who did it.
        var userID: UInt32
        var processID: Int32
        /// To whom.
        var subject: AccessSubject?
        var level: AuthorisationLevel?
        var scope: AuthorisationScope?
        var purpose: String?
        var seconds: Int?
        var reason: String?
        /// How many more of these there were that are not written.
        var moreCount: Int?
        fileprivate var time = UTCTime(millisecondsSince1970: WallClock.milliseconds)

        init(_ action: String, userID: UInt32, processID: Int32) {
            (self.action, self.userID, self.processID) = (action, userID, processID)
        }

        init(_ action: String, by peer: PeerCredentials) {
            self.init(action, userID: peer.userID, processID: peer.processID)
        }
    }

    /// What a user does as often as they like.
    private struct Habit: Hashable {
        var userID: UInt32
        var action: String
        var purpose: String?
    }

    private struct State {
        /// What is to be written, in this order.
        var waiting: [Entry] = []
        /// How often that was done since when.
        var habits: [Habit: (count: Int, since: Int64)] = [:]
    }

    private let path: String
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())
    private let writing = Mutex(())
    private static let largestByteCount: Int64 = 256 << 10
    /// How many entries of a habit are written in an hour.
    private static let mostOfHabit = 10
    private static let hour: Int64 = 3_600_000

    /// - Parameter now: the milliseconds of a clock that never goes back.
    init(folder: String, now: @escaping @Sendable () -> Int64 = { BootClock.milliseconds }, logger: Logger) {
        (path, self.now, self.logger) = (folder + "/audit", now, logger)
    }

    /// Writes an entry into the message log only.
    func mention(_ entry: Entry) { logger.notice("access: \(entry.words)") }

    /// Writes an entry; where the file cannot be written the message log has it.
    func note(_ entry: Entry) {
        state.withLock { $0.waiting.append(entry) }
        write()
    }

    /// Writes an entry for something that its user may do as often as they like, unless it was done too often in this hour.
    ///
    /// - Concurrency: returns at once.
    func noteHabit(_ entry: Entry) {
        let habit = Habit(userID: entry.userID, action: entry.action, purpose: entry.purpose)
        let now = now()
        let isFirstTooMany = state.withLock { state in
            end(&state, at: now)
            let (count, since) = state.habits[habit] ?? (0, now)
            state.habits[habit] = (count + 1, since)
            if count < AuditTrail.mostOfHabit { state.waiting.append(entry) }
            return count == AuditTrail.mostOfHabit
        }
        Task { write() }
        guard isFirstTooMany else { return }
        Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(AuditTrail.hour + 1_000))  // Nobody cancels it.
            self?.tellMore()
        }
    }

    /// Writes what waits.
    func flush() { write() }

    /// Writes what is not written yet: the tracker ends.
    func end() {
        state.withLock { end(&$0, at: .max) }
        write()
    }

    /// Says how many more there were in the hours that are over.
    func tellMore() {
        let now = now()
        state.withLock { end(&$0, at: now) }
        write()
    }

    private func end(_ state: inout State, at now: Int64) {
        for (habit, (count, since)) in state.habits where now == .max || now - since >= AuditTrail.hour {
            state.habits[habit] = nil
            guard count > AuditTrail.mostOfHabit else { continue }
            var entry = Entry(habit.action, userID: habit.userID, processID: 0)
            (entry.purpose, entry.moreCount) = (habit.purpose, count - AuditTrail.mostOfHabit)
            state.waiting.append(entry)
        }
    }

    /// Writes what waits, in its order.
    private func write() {
        writing.withLock { _ in
            let entries = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            guard !entries.isEmpty else { return }
            var text = TextBuffer(capacity: 256)
            for entry in entries {
                mention(entry)
                text.appendJSON { json in json.object { entry.write(to: &$0) } }
                text.append(byte: UInt8(ascii: "\n"))
            }
            do throws(SystemError) {
                try Syscalls.append(text.bytes, to: path, largestByteCount: AuditTrail.largestByteCount)
            } catch {
                logger.error("access: \(path): cannot be written: \(error.reason)")
            }
        }
    }
}

extension AuditTrail.Entry {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("time", time)
        json.member("action", action)
        json.member("uid", Int(userID))
        if processID > 0 { json.member("pid", Int(processID)) }
        json.member("who", subject?.name)
        json.member("level", level?.rawValue)
        json.member("scope", scope?.rawValue)
        json.member("purpose", purpose)
        json.member("seconds", seconds)
        json.member("reason", reason)
        json.member("more", moreCount)
    }

    /// The entry for people.
    fileprivate var words: String {
        var words = "\(action) (user \(userID)"
        if processID > 0 { words += ", process \(processID)" }
        words += ")"
        if let subject { words += " \(subject.name)" }
        if let level { words += " \(level.rawValue)" }
        if let scope { words += " \(scope.rawValue)" }
        if let purpose { words += ", purpose \(purpose)" }
        if let seconds { words += ", for \(spanText(seconds: Int64(seconds)))" }
        if let moreCount { words += ", \(moreCount) more" }
        if let reason { words += ": \(oneLine(reason, limit: 500))" }
        return words
    }
}

extension AccessSubject {
    /// The subject of a text, `USER` or `@GROUP`; nil when this system has none.
    init?(_ text: String) {
        if text.hasPrefix("@") {
            guard let id = SystemAccounts.groupID(named: String(text.dropFirst())) ?? SystemAccounts.number(text.dropFirst()) else {
                return nil
            }
            self = .group(id)
        } else {
            guard let id = SystemAccounts.userID(named: text) else { return nil }
            self = .user(id)
        }
    }

    /// The name for people: `pi`, `@family`.
    var name: String {
        switch self {
        case .user(let id): SystemAccounts.name(ofUser: id)
        case .group(let id): "@" + SystemAccounts.name(ofGroup: id)
        }
    }
}
