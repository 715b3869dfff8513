import WaypostSystem

/// How much of the position a user may see.
package enum PeerAccess: Sendable, Hashable {
    /// Nothing of it: a watch is refused, `status` shows only the daemon's health.
    case none
    /// All of it.
    case full
}

/// Who may see the position: root, the daemon's own user, and the members of one group; nobody else.
package struct PeerPolicy: Sendable, Hashable {
    /// The daemon's user.
    package var ownUserID: UInt32
    /// The group whose members see everything; nil when the system has no such group.
    package var trustedGroupID: UInt32?

    /// The name of the trusted group.
    package static let trustedGroupName = "waypost"

    /// A policy from its parts.
    package init(ownUserID: UInt32, trustedGroupID: UInt32?) {
        self.ownUserID = ownUserID
        self.trustedGroupID = trustedGroupID
    }

    /// The policy for this process on this system, from the current group file.
    package static func standard() -> PeerPolicy {
        PeerPolicy(ownUserID: SystemAccounts.ownUserID, trustedGroupID: SystemAccounts.groupID(named: trustedGroupName))
    }

    /// The access of the given peer.
    package func access(of peer: PeerCredentials) -> PeerAccess {
        if peer.userID == 0 || peer.userID == ownUserID { return .full }
        if let trustedGroupID, peer.groupIDs.contains(trustedGroupID) { return .full }
        return .none
    }
}
