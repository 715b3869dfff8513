import Waypost

/// The updates of a manager's source, for as long as a loop runs over them.
///
/// ```swift
/// for await update in manager.liveUpdates() {
///     if case .position(let position) = update { print(position.coordinate) }
/// }
/// ```
/// A loop starts the manager, and with it the source. While it runs, the device is followed as closely as its options demand. It ends after
/// ``PositioningUpdate/finished`` and ``PositioningUpdate/failed(_:)``, when the manager is stopped, and when its task is cancelled. After
/// that the receiver rests, unless another client needs it.
/// - A recording or a simulated drive waits for slow loops, at full speed too, so no update is lost. A loop that stops asking for updates
///   therefore holds up the recording for every client. A receiver does not wait: up to 64 updates are buffered, then the oldest are dropped
///   and counted by ``Iterator/droppedCount``.
/// - Each loop gets every update from its start on.
public struct LiveUpdates: AsyncSequence, Sendable {
    /// How many updates are buffered for a slow loop.
    static let limit = 64

    private let manager: PositioningManager
    private let choice: LiveChoice

    init(_ manager: PositioningManager, _ options: PositionSelection.Options) {
        self.manager = manager
        choice = LiveChoice(options)
    }

    /// Which positions the loops get.
    public var options: PositionSelection.Options { choice.value }

    /// Changes which positions the loops get, those that run and those that begin later.
    ///
    /// From then on the device is followed as closely as the new options demand.
    /// - Parameter options: which positions the loops get.
    public func change(to options: PositionSelection.Options) async {
        choice.value = options
        await manager.adopt(choice)
    }

    /// A loop of its own; it begins with the first update that is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(manager, choice) }

    /// Takes one update after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let manager: PositioningManager
        private let choice: LiveChoice
        private var updates: PositioningUpdates?

        fileprivate init(_ manager: PositioningManager, _ choice: LiveChoice) {
            self.manager = manager
            self.choice = choice
        }

        /// How many updates were dropped because this loop was slow; always 0 for a recording.
        public var droppedCount: Int { updates?.droppedCount ?? 0 }

        /// Waits for the next update; nil at the end.
        public mutating func next() async -> PositioningUpdate? {
            if let updates { return await updates.queue.next() }
            let begun = await manager.listen(choice)
            updates = begun
            return await begun.queue.next()
        }
    }
}

/// The options that the loops over one ``LiveUpdates`` share.
typealias LiveChoice = SharedOptions<PositionSelection.Options>

extension PositioningManager {
    /// The updates of the source, in a loop that starts the source and decides how closely the device is followed: see ``LiveUpdates``.
    ///
    /// - Parameter options: which positions the loop gets: every fix, or for example `.significantChanges`.
    public nonisolated func liveUpdates(_ options: PositionSelection.Options = .init()) -> LiveUpdates { LiveUpdates(self, options) }

    /// Begins a loop: it listens first, then starts the source, so that it misses nothing.
    func listen(_ choice: LiveChoice) -> PositioningUpdates {
        let updates = listen(choice.value, limit: LiveUpdates.limit, choice: choice)
        start(needing: nil)
        return updates
    }

    /// Applies the options that have changed.
    func adopt(_ choice: LiveChoice) {
        for index in listeners.indices where listeners[index].choice === choice {
            listeners[index].select(choice.value, lastKnown: lastKnown)
        }
        reconsider()
    }

    /// Waits until the loops have room, if the source is played.
    ///
    /// The turnstile stays free meanwhile, so the code in a loop may call anything of the manager, and stop it.
    func waitForLiveLoops() async {
        guard isPlayed, !turn.isCaller else { return }
        for listener in listeners where listener.choice != nil { await listener.queue.waitForRoom() }
    }
}
