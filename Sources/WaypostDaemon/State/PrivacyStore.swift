import Synchronization
import Waypost
import WaypostSystem

/// The privacy state in the state folder, only for the daemon's user.
///
/// It is the secret that moves the holes of privacy zones, and whether private mode is on.
///
/// If it cannot be read or written, the tracker stops, rather than showing what it should not.
final class PrivacyStore: Sendable {
    private let secretPath: String
    private let switchPath: String
    /// Whether private mode was switched on and could not be stored; nobody stores it behind the back of who switches it off.
    private let isUnkept = Mutex(false)

    init(folder: String) {
        secretPath = folder + "/privacy-secret"
        switchPath = folder + "/private"
    }

    /// The device's secret, made when there is none yet.
    func secret() throws(DaemonFailure) -> SipHash.Key {
        do throws(SystemError) {
            guard let stored = try Syscalls.contents(of: secretPath, as: .own) else { return try makeSecret() }
            if let key = SipHash.Key(hexadecimal: stored) { return key }
        } catch {
            throw DaemonFailure(.inputOutput, "\(secretPath): the secret of the privacy zones cannot be read or made: \(error.reason)")
        }
        throw DaemonFailure(
            .badData,
            "\(secretPath): is damaged: it must hold the secret of the privacy zones, 32 hexadecimal digits; restore it from a backup, or remove it for a new one, which moves the hidden areas"
        )
    }

    /// Whether private mode was left on.
    var isPrivate: Bool { Syscalls.exists(switchPath) }

    /// Saves over restarts whether private mode is on; it is on the disk when this returns.
    func setPrivate(_ isOn: Bool) throws(SystemError) {
        try isUnkept.withLock { (isUnkept) throws(SystemError) in
            isUnkept = isOn
            try store(isOn)
            isUnkept = false
        }
    }

    private func store(_ isOn: Bool) throws(SystemError) {
        if isOn {
            try AtomicFile.write(Array("waypost private off ends this\n".utf8), to: switchPath, mode: 0o600)
        } else if try Syscalls.remove(switchPath), let slash = switchPath.lastIndex(of: "/") {
            try Syscalls.synchronizeFolder(String(switchPath[..<slash]))
        }
    }

    /// Stores that private mode is on where that failed before; returns why it cannot be stored, for people.
    func keepPrivate() -> String? {
        // While it is being switched, on a disk that hangs say, nobody waits for that here.
        isUnkept.withLockIfAvailable { isUnkept -> String? in
            guard isUnkept else { return nil }
            do throws(SystemError) { try store(true) } catch {
                return "private mode is on only until the tracker ends: \(error.description)"
            }
            isUnkept = false
            return nil
        } ?? nil
    }

    /// The secret as stored; nil when there is none.
    var secretText: [UInt8]? { (try? Syscalls.contents(of: secretPath, as: .own)).flatMap { $0 } }  // It is needed only with zones.

    /// Writes everything again, into an empty folder.
    func writeAnew(isPrivate: Bool, secretText: [UInt8]?) throws(SystemError) {
        if isPrivate { try setPrivate(true) }
        if let secretText { try AtomicFile.write(secretText, to: secretPath, mode: 0o600) }
    }

    private func makeSecret() throws(SystemError) -> SipHash.Key {
        let text = Array(RandomDigits.make().utf8)
        try AtomicFile.write(text + [UInt8(ascii: "\n")], to: secretPath, mode: 0o600)
        guard let key = SipHash.Key(hexadecimal: text) else { preconditionFailure("32 digits are a key") }
        return key
    }
}

extension SipHash.Key {
    /// The key in 32 hexadecimal digits, with or without a line end.
    init?(hexadecimal text: [UInt8]) {
        let digits = text.prefix { $0 > UInt8(ascii: " ") }.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32, text.dropFirst(32).allSatisfy({ $0 <= UInt8(ascii: " ") }) else { return nil }
        self.init(stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
