import Waypost
import WaypostControl
import WaypostSystem

/// Who may know what at the doors of `[share]`, and how exactly: the one place that every door asks.
///
/// Without a policy file, that an address is configured is the owner's word that whoever reaches it may know everything. With one, the door gives
/// what the file says below `[door]`, and nothing when it does not name the door. Of a program on the Unix socket the user is known: who has been
/// given something by name, or has been refused, gets that. What nobody may know, the privacy gate has withheld before.
struct ShareAccess: Sendable {
    /// Somebody at a door.
    enum Caller: Sendable {
        /// A program that connects over TCP, of which only the address is known; or whoever receives datagrams.
        case unknown
        /// A program of this machine, by its user.
        case known(PeerCredentials)
    }

    /// How much of the position somebody may know.
    enum Detail: Sendable, Equatable {
        /// Nothing: the door stays shut.
        case nothing
        /// Roughly where the device is, at most four times an hour.
        case coarse
        /// Every position as it is.
        case exact
    }

    let keeper: AccessKeeper

    /// What a caller may know now.
    func detail(for caller: Caller, at door: ShareDoorKind) -> Detail {
        keeper.lookNowAndThen()
        if case .known(let peer) = caller {
            let access = keeper.read { $0.access(of: AccessBook.Peer(peer), at: AccessKeeper.now) }
            if access.level != .notDetermined { return Detail(access.level) }
        }
        return Detail(keeper.level(of: door.accessDoor))
    }
}

extension ShareAccess.Detail {
    init(_ level: AuthorisationLevel) {
        switch level {
        case .full: self = .exact
        case .reduced: self = .coarse
        case .none, .notDetermined: self = .nothing
        }
    }
}

extension ShareDoorKind {
    /// The door in the policy.
    var accessDoor: AccessPolicy.Door {
        switch self {
        case .gpsd: .gpsd
        case .nmea: .nmea
        case .nmeaUDP: .nmeaUDP
        case .nmeaSocket: .nmeaSocket
        }
    }
}
