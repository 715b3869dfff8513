import Waypost
import WaypostPositioning

/// A consumer that does something to its manager now and then, while the source waits for it.
actor Meddler: PositioningConsumer {
    private weak let manager: PositioningManager?
    private var generator: SeededGenerator

    init(_ manager: PositioningManager, seed: UInt64) {
        self.manager = manager
        generator = SeededGenerator(seed: seed)
    }

    func consume(_ update: PositioningUpdate) async {
        var own = SeededGenerator(seed: generator.next())
        guard let manager, Int.random(in: 0..<10, using: &own) == 0 else { return }
        // It must not wait for itself.
        let act = Act.any(&own)
        guard act != .listens else { return }
        Lives.count("from a consumer")
        await act.run(on: manager, &own)
    }
}
