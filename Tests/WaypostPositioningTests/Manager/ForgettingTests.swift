import Testing
import Waypost
import WaypostPositioning

/// Positions of a period that somebody has erased.
@Suite struct ForgettingTests {
    /// A period that reaches into the future says nothing of what is still to happen.
    @Test func forgetsNothingThatIsStillToHappen() async throws {
        // The second one was on its way.
        let manager = PositioningManager(source: ScriptedSource([100, 99, 104, 105].map { .position(fix($0)) }))
        let forgetter = Forgetter(manager)
        await manager.attach(forgetter)
        await manager.start()
        try await manager.waitUntilFinished()
        #expect(await forgetter.seen == [fix(100), fix(104), fix(105)].map(\.time))
    }
}

/// Forgets the minute before the first position, and the hour after it.
private actor Forgetter: PositioningConsumer {
    private(set) var seen: [UTCTime?] = []
    private weak var manager: PositioningManager?

    init(_ manager: PositioningManager) {
        self.manager = manager
    }

    func consume(_ update: PositioningUpdate) async {
        guard case .position(let position) = update, let time = position.time else { return }
        seen.append(time)
        if seen.count == 1 { await manager?.forget(time.advanced(byMilliseconds: -60_000)..<time.advanced(byMilliseconds: 3_600_000)) }
    }
}
