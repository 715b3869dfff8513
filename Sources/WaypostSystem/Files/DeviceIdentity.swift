import Glibc

/// Which device a path names, the same under every name, also in a container that has it under a name of its own.
public struct DeviceIdentity: Sendable, Hashable {
    private enum Kind: Hashable {
        /// A device by its numbers.
        case device(UInt64)
        /// A pseudo terminal, or what is no device, by its file: each container counts its pseudo terminals anew.
        case file(FileIdentity)
    }

    private let kind: Kind

    /// The identity of what a path names, links followed; nil when there is nothing.
    public init?(of path: String) {
        var status = stat()
        guard stat(path.cName, &status) == 0 else { return nil }
        let isDevice = status.st_mode & S_IFMT == S_IFCHR
        // Unix98 pseudo terminals: majors 136 to 143 (the kernel's devices.txt).
        let major = UInt64(status.st_rdev) >> 8 & 0xfff
        kind = isDevice && !(136...143).contains(major) ? .device(UInt64(status.st_rdev)) : .file(FileIdentity(status))
    }

    /// Whether a path may name a serial line or terminal: false for a device that the kernel knows as something else, such as `/dev/null`.
    package static func mayBeLine(_ path: String) -> Bool {
        var status = stat()
        guard stat(path.cName, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return true }
        let number = UInt64(status.st_rdev)
        let place = "/sys/dev/char/\(number >> 8 & 0xfff):\(number & 0xff | number >> 12 & 0xfff00)/subsystem"
        guard let subsystem = Syscalls.linkTarget(place)?.split(separator: "/").last else { return true }
        return subsystem == "tty"
    }
}
