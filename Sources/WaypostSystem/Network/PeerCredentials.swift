import Glibc

/// Who is at the other end of a Unix socket, as the kernel saw it when the connection was made.
public struct PeerCredentials: Sendable, Hashable {
    /// The peer's process, 0 when the kernel does not report it (another PID namespace).
    public var processID: Int32
    /// The peer's effective user.
    public var userID: UInt32
    /// The peer's effective group and its supplementary groups; group 0 is among them only when it is the effective one.
    public var groupIDs: Set<UInt32>

    /// Credentials from their parts.
    public init(processID: Int32, userID: UInt32, groupIDs: Set<UInt32>) {
        self.processID = processID
        self.userID = userID
        self.groupIDs = groupIDs
    }

    /// Credentials from what the two socket options returned; the list of groups is padded with zeros.
    public init(_ credentials: Wire, supplementaryGroups: WireGroups?) {
        processID = credentials.processID
        userID = credentials.userID
        groupIDs = [credentials.groupID]
        guard let supplementaryGroups else { return }
        // A zero may be group 0 or padding; it is left out, so that nobody gets more rights than were granted.
        for index in supplementaryGroups.indices where supplementaryGroups[index] != 0 { groupIDs.insert(supplementaryGroups[index]) }
    }

    /// The memory that `SO_PEERCRED` fills: `struct ucred`, three 32-bit integers.
    public struct Wire: Sendable {
        /// `pid_t pid`.
        public var processID: Int32
        /// `uid_t uid`.
        public var userID: UInt32
        /// `gid_t gid`.
        public var groupID: UInt32
    }

    /// The memory that `SO_PEERGROUPS` fills; for a peer with more groups the kernel returns ERANGE.
    public typealias WireGroups = [1024 of UInt32]

    /// The option that fills ``Wire``, at socket level.
    public static let credentialsOption = SO_PEERCRED
    /// The option that fills ``WireGroups``, at socket level.
    public static let groupsOption = SO_PEERGROUPS
    /// The level of both options.
    public static let optionLevel = SOL_SOCKET
}

/// Users and groups of this system.
public enum SystemAccounts {
    /// The effective user of this process.
    public static var ownUserID: UInt32 { geteuid() }

    /// The number of a user, given by name or as a number; nil when there is no user of that name.
    public static func userID(named name: String) -> UInt32? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &room, room.count, &found) == 0, found != nil else { return UInt32(name) }
        return entry.pw_uid
    }

    /// The number of a group, or nil when there is no group of that name.
    public static func groupID(named name: String) -> UInt32? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        // The members' names are stored in here; a group too large for it is looked up again with more room.
        var room = [CChar](repeating: 0, count: 4_096)
        while true {
            let code = getgrnam_r(name, &entry, &room, room.count, &found)
            if code == ERANGE, room.count < 1 << 20 {
                room = [CChar](repeating: 0, count: room.count * 2)
            } else if code != EINTR {
                return code == 0 && found != nil ? entry.gr_gid : nil
            }
        }
    }
}
