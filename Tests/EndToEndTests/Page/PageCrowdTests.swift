import Testing

@testable import WaypostDaemon

/// Which connection makes room for a new one.
struct PageCrowdTests {
    /// The kind of each connection that goes, and its place, until nobody else goes: connections of these kinds, each used later than the one before it.
    private func leaving(_ crowd: [PageConnection.Need]) -> [String] {
        var members = crowd.enumerated().map { PageCrowd.Member(need: $0.element, lastUse: $0.offset) }
        var gone: [String] = []
        while let index = PageCrowd.leastNeeded(of: members) {
            let member = members.remove(at: index)
            gone.append("\(member.need) \(member.lastUse)")
        }
        return gone
    }

    private func several(_ need: PageConnection.Need, _ count: Int) -> [PageConnection.Need] { Array(repeating: need, count: count) }

    @Test func sendsGuestsAwayBeforeAFewStrangers() {
        #expect(
            leaving([.owner, .idleOwner, .stranger, .guest, .idleGuest, .stranger, .guest, .idleGuest, .idleOwner]) == [
                "idleGuest 4", "idleGuest 7", "guest 3", "guest 6", "stranger 2", "stranger 5", "idleOwner 1", "idleOwner 8",
            ])
        // The owner, who comes where guests have all there is.
        #expect(leaving(several(.guest, 63) + [.stranger]).prefix(2) == ["guest 0", "guest 1"])
        #expect(leaving(several(.guest, 32) + several(.stranger, 32)).first == "guest 0")
    }

    @Test func sendsManyStrangersAwayFirst() {
        // The oldest, until there are 32; the newest may be the owner.
        #expect(
            leaving([.idleGuest] + several(.stranger, 34) + [.owner]).prefix(4) == [
                "stranger 1", "stranger 2", "idleGuest 0", "stranger 3",
            ])
        #expect(leaving(several(.stranger, 64)).first == "stranger 0")
    }

    @Test func neverEndsWhatTheOwnerUses() {
        #expect(leaving(several(.owner, 64)).isEmpty)
        #expect(leaving(several(.owner, 63) + [.idleOwner]) == ["idleOwner 63"])
    }
}
