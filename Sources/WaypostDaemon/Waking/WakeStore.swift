import Logging
import Waypost
import WaypostSystem

/// The registrations and the events that wait, in the file `registrations` of the state folder, only for the daemon's user.
///
/// What cannot be read is set aside before anything is written in its place, and told until the next start.
struct WakeStore {
    private let folder: String
    private let logger: Logger
    /// What is on the disk; nil when that is not known.
    private var savedText: [UInt8]? = []
    /// Whether the file must be set aside before it is written.
    private var isDamaged = false
    private var damage: String?
    private var failure: String?

    init(folder: String, logger: Logger) {
        (self.folder, self.logger) = (folder, logger)
    }

    private static let name = "registrations"
    private var path: String { "\(folder)/\(WakeStore.name)" }

    /// What is wrong, for people.
    var problems: [String] { [damage, failure].compactMap { $0 } }

    /// Why the last text could not be written, for people; nil when it could.
    var obstacle: String? { failure }

    /// The registrations of earlier runs.
    mutating func load() -> WakeLedger {
        var text: [UInt8] = []
        do throws(SystemError) { text = try Syscalls.contents(of: path, limit: 32 << 20, as: .own) ?? [] } catch {
            return note("cannot be read: \(error.reason)", WakeLedger())
        }
        savedText = text
        let (ledger, damagedCount) = WakeLedger.read(text)
        return damagedCount == 0 ? ledger : note("\(counted(damagedCount, "line")) damaged", ledger)
    }

    private mutating func note(_ reason: String, _ ledger: WakeLedger) -> WakeLedger {
        let words = "registrations \(path): \(reason); register these programs again: waypost register"
        (isDamaged, damage) = (true, words)
        logger.error("\(words)")
        return ledger
    }

    /// Whether a ledger is on the disk as it is.
    func has(_ ledger: WakeLedger) -> Bool { text(of: ledger) == savedText }

    /// Writes a ledger unless it is on the disk as it is; returns false when it cannot be written.
    mutating func save(_ ledger: WakeLedger) -> Bool {
        let text = text(of: ledger)
        guard text != savedText else {
            failure = nil
            return true
        }
        do throws(SystemError) {
            // What a person may still want to read is not overwritten.
            if isDamaged, Syscalls.exists(path) {
                let aside = try Syscalls.setAside(path)
                damage = damage.map { "\($0); the file is now \(aside)" }
            }
            isDamaged = false
            try AtomicFile.write(text, to: path, mode: 0o600)
            (savedText, failure) = (text, nil)
            return true
        } catch {
            let words = "registrations \(path): cannot be written: \(error.reason)"
            if failure != words { logger.error("\(words)") }
            failure = words
            return false
        }
    }

    /// Removes files that were set aside: nobody knows of which time they are.
    mutating func removeAside() throws(SystemError) {
        for name in try Syscalls.names(inFolder: folder) where name.hasPrefix("\(WakeStore.name).damaged-") {
            _ = try Syscalls.remove("\(folder)/\(name)")
        }
    }

    /// Forgets what is on the disk: the state folder is another one.
    mutating func forgetFile() { (savedText, isDamaged) = ([], false) }

    /// Most devices have no registrations, and need no file.
    private func text(of ledger: WakeLedger) -> [UInt8] { ledger.entries.isEmpty && savedText == [] ? [] : ledger.text }
}
