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

    /// The process that listens on a Unix socket; nil when none does, or when the kernel does not tell (another PID namespace).
    ///
    /// - Cost: a connection, which is ended at once.
    package static func listener(at path: String) -> Int32? {
        guard let descriptor = try? UnixSocket.connect(path) else { return nil }  // Whoever asks has met the same error before.
        defer { Syscalls.close(descriptor) }
        var credentials = Wire(processID: 0, userID: 0, groupID: 0)
        var size = socklen_t(MemoryLayout<Wire>.size)
        guard getsockopt(descriptor, optionLevel, credentialsOption, &credentials, &size) == 0, credentials.processID > 0 else {
            return nil
        }
        return credentials.processID
    }

    /// The option that fills ``Wire``, at socket level.
    public static let credentialsOption = SO_PEERCRED
    /// The option that fills ``WireGroups``, at socket level.
    public static let groupsOption = SO_PEERGROUPS
    /// The level of both options.
    public static let optionLevel = SOL_SOCKET
}
