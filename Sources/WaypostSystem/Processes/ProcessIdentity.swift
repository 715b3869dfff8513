import Glibc

/// The user and the environment of this process, read once.
public struct ProcessIdentity: Equatable, Sendable {
    /// The effective user.
    public var userID: UInt32
    /// The effective user's name, nil when the system has none.
    public var userName: String?
    /// The environment variables; of those with the same name the first counts.
    public var environment: [String: String]

    /// This process, now.
    /// - Concurrency: nothing may change the environment meanwhile; call it before other threads start.
    public static func current() -> ProcessIdentity {
        let userID = geteuid()
        var environment: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(name: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, environment[String(pair[0])] == nil { environment[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return ProcessIdentity(userID: userID, userName: name(ofUser: userID), environment: environment)
    }

    private static func name(ofUser userID: UInt32) -> String? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(userID, &record, &text, text.count, &found) == 0, let name = found?.pointee.pw_name else { return nil }
        return String(cString: name)
    }
}

extension ProcessIdentity {
    /// As root, continues with the rights of a folder's owner: files which that user put there are used with no more rights than the user has.
    ///
    /// Does nothing for other users, and in root's own folders.
    /// - Concurrency: affects the whole process; see ``actAsItself()``.
    public static func actAsOwner(ofFolder path: String) throws(SystemError) {
        var status = stat()
        guard geteuid() == 0, stat(path.cName, &status) == 0, status.st_uid != 0 else { return }
        try act(asOwner: status.st_uid, status.st_gid, ofFolder: path)
    }

    /// The same at the end of a way, whatever is at its path meanwhile.
    public static func actAsOwner(of way: borrowing FolderWay, _ path: String) throws(SystemError) {
        guard geteuid() == 0, !way.isRoots else { return }
        try act(asOwner: way.userID, way.groupID, ofFolder: path)
    }

    private static func act(asOwner userID: UInt32, _ groupID: UInt32, ofFolder path: String) throws(SystemError) {
        try Syscalls.retrying("leave the groups of root for", path: path) { setgroups(0, nil) }
        // Root's group would have more rights than the owner.
        try Syscalls.retrying("take the group of", path: path) { setegid(groupID != 0 ? groupID : nobody) }
        try Syscalls.retrying("become the owner of", path: path) { seteuid(userID) }
    }

    /// Whether the process has the rights of root.
    public static var isRoot: Bool { geteuid() == 0 }

    /// As root, continues with the rights of a user.
    ///
    /// - Concurrency: affects the whole process; see ``actAsItself()``.
    static func act(as userID: UInt32, groups: Set<UInt32>) throws(SystemError) {
        let groups = Array(groups)
        try Syscalls.retrying("take the groups of a user") { setgroups(groups.count, groups) }
        // Root's group would have more rights than the user.
        try Syscalls.retrying("take the group of a user") { setegid(groups.first ?? nobody) }
        try Syscalls.retrying("become a user") { seteuid(userID) }
    }

    /// Restores the rights with which the process was started.
    public static func actAsItself() throws(SystemError) {
        guard geteuid() != getuid() else { return }
        try Syscalls.retrying("take back the rights of the user") { seteuid(getuid()) }
        try Syscalls.retrying("take back the group of the user") { setegid(getgid()) }
    }

    /// The group that owns no files.
    private static let nobody: gid_t = 65_534
}
