/// Which connection makes room for a new one when there are as many as there may be.
///
/// A connection whose first request has not been read yet is a stranger's for that moment, whoever it is. So strangers make room first only where they
/// are many: those who hold guests' links could otherwise keep the owner out, who would be the only stranger.
struct PageCrowd {
    /// A connection that there is.
    struct Member {
        var need: PageConnection.Need
        /// The count of uses when it was used last, or came.
        var lastUse: Int
    }

    /// How many strangers there may be before they make room for everybody else.
    static let strangers = 32

    /// The index of the connection that makes room, of several alike the one that was not used for longest; nil when the owner is using all of them.
    static func leastNeeded(of members: [Member]) -> Int? {
        let hasManyStrangers = members.count { $0.need == .stranger } > strangers
        let order: [PageConnection.Need] =
            hasManyStrangers ? [.stranger] : [.idleGuest, .guest, .stranger, .idleOwner]
        for need in order {
            let oldest = members.indices.filter { members[$0].need == need }.min { members[$0].lastUse < members[$1].lastUse }
            if let oldest { return oldest }
        }
        return nil
    }
}
