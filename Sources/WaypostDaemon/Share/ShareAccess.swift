import WaypostSystem

/// Who may see what is shared, and how exactly: the one place that every door asks, once for each caller.
///
/// That an address is configured is the owner's word that whoever reaches it may read there. What nobody may see, the privacy gate has
/// withheld before.
struct ShareAccess: Sendable {
    /// Somebody at a door.
    enum Caller: Sendable {
        /// A program that connects over TCP, of which only the address is known; or whoever receives datagrams.
        case unknown
        /// A program of this machine, by its user.
        case known(PeerCredentials)
    }

    /// How much of the position somebody may see.
    enum Detail: Sendable, Equatable {
        /// Nothing: the door stays shut.
        case nothing
        /// Every position as it is.
        case exact
    }

    /// What a caller may see.
    func detail(for caller: Caller) -> Detail {
        switch caller {
        case .unknown, .known: .exact
        }
    }
}
