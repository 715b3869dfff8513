import Waypost

/// Names that stay the same on this machine, without revealing its own id.
public enum MachineIdentity {
    /// Digits made from the machine's id, or from its name where it has no id (many containers), from its board's serial number, where the
    /// device tree has one, and from a purpose: the same for ever for one machine and purpose, and impossible to trace back.
    ///
    /// With the serial number, boards that start from copies of one card differ.
    /// - Source: machine-id(5): the id itself must not be shown to a network.
    /// - Parameters:
    ///   - purpose: what the digits are for.
    ///   - digitCount: at most 64, hexadecimal.
    public static func digits(for purpose: String, digitCount: Int = 16) -> String {
        let bytes = id + boardSerial + Array("\n\(purpose)".utf8)
        var digest = SHA256()
        digest.update(bytes.span.bytes)
        return String(SHA256.hexadecimal(digest.finish()).prefix(digitCount))
    }

    private static var boardSerial: [UInt8] {
        let contents = try? Syscalls.contents(of: "/proc/device-tree/serial-number")  // Usually only root may read it.
        return (contents ?? []).prefix { $0 > 0x20 }
    }

    private static var id: [UInt8] {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/hostname"] {
            let contents = (try? Syscalls.contents(of: path)) ?? nil  // An unreadable id counts as missing.
            let word = (contents ?? []).prefix { $0 > 0x20 }
            // systemd says "uninitialized" while an image boots for the first time.
            if !word.isEmpty, !word.elementsEqual("uninitialized".utf8) { return Array(word) }
        }
        return []
    }
}
