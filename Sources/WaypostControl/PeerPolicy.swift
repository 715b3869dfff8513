import Waypost
import WaypostSystem

/// Says who may know the position, and who may operate the tracker.
package protocol PeerAuthority: Sendable {
    /// What a client may know and do now.
    ///
    /// - Concurrency: called on the server's event loop, so it must return at once.
    func access(of peer: PeerCredentials) -> PeerAccess
}

/// The access of each user without any policy or grant: root, the daemon's own user, and the members of one group; nobody else.
package struct PeerPolicy: PeerAuthority, Hashable {
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
        AccessBook(ownUserID: ownUserID, trustedGroupID: trustedGroupID).access(of: AccessBook.Peer(peer), at: 0)
    }
}

extension AccessBook.Peer {
    /// The user and groups at the other end of a socket.
    package init(_ peer: PeerCredentials) {
        self.init(userID: peer.userID, groupIDs: peer.groupIDs)
    }
}
