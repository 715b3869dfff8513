import Logging
import Synchronization
import Waypost
import WaypostSystem

/// Who decided what about whom, and when: in the message log, and as lines of JSON in the file `audit` of the state folder.
///
/// The file is only for the daemon's user. At 256 kB it becomes `audit.1`, in place of the one before. Only what somebody decided, or who has been
/// given something, is in the file: whoever may know nothing must not be able to fill it.
/// - Concurrency: from anywhere but event loops, as it waits for the disk.
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

        init(_ action: String, userID: UInt32, processID: Int32) {
            (self.action, self.userID, self.processID) = (action, userID, processID)
        }

        init(_ action: String, by peer: PeerCredentials) {
            self.init(action, userID: peer.userID, processID: peer.processID)
        }
    }

    private let path: String
    private let logger: Logger
    private let writing = Mutex(())
    private static let largestByteCount: Int64 = 256 << 10

    init(folder: String, logger: Logger) {
        (path, self.logger) = (folder + "/audit", logger)
    }

    /// Writes an entry into the message log only.
    func mention(_ entry: Entry) { logger.notice("access: \(entry.words)") }

    /// Writes an entry; where the file cannot be written the message log has it.
    func note(_ entry: Entry) {
        mention(entry)
        var text = TextBuffer(capacity: 256)
        text.appendJSON { json in
            json.object { json in
                json.member("time", UTCTime(millisecondsSince1970: WallClock.milliseconds))
                json.member("action", entry.action)
                json.member("uid", Int(entry.userID))
                if entry.processID > 0 { json.member("pid", Int(entry.processID)) }
                json.member("who", entry.subject?.name)
                json.member("level", entry.level?.rawValue)
                json.member("scope", entry.scope?.rawValue)
                json.member("purpose", entry.purpose)
                json.member("seconds", entry.seconds)
                json.member("reason", entry.reason)
            }
        }
        text.append(byte: UInt8(ascii: "\n"))
        do throws(SystemError) {
            try writing.withLock { (_) throws(SystemError) in
                try Syscalls.append(text.bytes, to: path, largestByteCount: AuditTrail.largestByteCount)
            }
        } catch {
            logger.error("access: \(path): cannot be written: \(error.reason)")
        }
    }
}

extension AuditTrail.Entry {
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
        if let reason { words += ": \(oneLine(reason, limit: 500))" }
        return words
    }
}

extension AccessSubject {
    /// The subject of a text, `USER` or `@GROUP`; nil when this system has none.
    init?(_ text: String) {
        if text.hasPrefix("@") {
            guard let id = SystemAccounts.groupID(named: String(text.dropFirst())) ?? UInt32(text.dropFirst()) else { return nil }
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
