import Glibc

extension ProcessIdentity {
    /// As root, continues with the rights of a folder's owner: files which that user put there are used with no more rights than the user has.
    ///
    /// Does nothing for other users, and in root's own folders.
    /// - Concurrency: affects the whole process; see ``actAsItself()``.
    public static func actAsOwner(ofFolder path: String) throws(SystemError) {
        var status = stat()
        guard geteuid() == 0, stat(path.cName, &status) == 0, status.st_uid != 0 else { return }
        try Syscalls.retrying("leave the groups of root for", path: path) { setgroups(0, nil) }
        // Root's group would have more rights than the owner.
        try Syscalls.retrying("take the group of", path: path) { setegid(status.st_gid != 0 ? status.st_gid : nobody) }
        try Syscalls.retrying("become the owner of", path: path) { seteuid(status.st_uid) }
    }

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
