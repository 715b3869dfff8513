import Glibc

/// Which file a path names, whatever its content.
///
/// While a file is open, no other one gets its identity, even after it was removed.
public struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// The identity of what a path names, links followed; nil when there is nothing.
    public init?(of path: String) {
        var status = stat()
        guard stat(path.cName, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of an ordinary file without a second name; nil for anything else, such as a link.
    public init?(ofOwn path: String) {
        var status = stat()
        guard lstat(path.cName, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1 else { return nil }
        self.init(status)
    }

    /// The identity of an open ordinary file; nil for anything else, such as a terminal, which many programs read from and write to.
    public init?(ofFile descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// The identity that the system gave for an open file or a path.
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// The user to whom what a path names belongs, links followed; nil when there is nothing.
    public static func owner(of path: String) -> UInt32? {
        var status = stat()
        return stat(path.cName, &status) == 0 ? status.st_uid : nil
    }

    /// Whether both are on the same disk.
    public func isOnSameDisk(as other: FileIdentity) -> Bool { device == other.device }
}
