import Glibc

/// Whose a file is, and who may write it.
public struct FileOwner: Sendable, Hashable {
    /// The user.
    public let userID: UInt32
    /// Whether every user may write it.
    public let mayBeWrittenByAnybody: Bool

    /// The owner of an open file: not of what may have its name by now.
    init(of descriptor: Int32) throws(SystemError) {
        var status = stat()
        try Syscalls.retrying("look at") { fstat(descriptor, &status) }
        (userID, mayBeWrittenByAnybody) = (status.st_uid, status.st_mode & S_IWOTH != 0)
    }
}
