/// Lets one task at a time through a stretch of an actor's code that awaits, in the order in which they came.
///
/// An actor lets others in while it awaits; what tells one event after the other must not. Whoever is inside calls others by
/// ``calling(isolation:_:)``; when these come back to the actor they are not let in, as they would wait for themselves.
/// - Concurrency: it belongs to one actor and is only used there.
final class Turnstile {
    /// One way through.
    private final class Passage: Sendable {}

    /// Those that wait for what this task does.
    @TaskLocal private static var callers: [Passage] = []

    /// Whether this task was called from inside of one, whichever.
    static var isCalled: Bool { !callers.isEmpty }

    private var current: Passage?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whether the one inside has called whoever asks, and waits for it.
    var isCaller: Bool { current.map { current in Turnstile.callers.contains { $0 === current } } ?? false }

    /// Waits until nobody else is inside; false, at once, for whom the one inside has called.
    func enter(isolation: isolated any Actor = #isolation) async -> Bool {
        if isCaller { return false }
        if current != nil {
            // Whoever leaves hands over: nobody comes in between.
            await withCheckedContinuation { waiting.append($0) }
        }
        current = Passage()
        return true
    }

    /// Lets the next one in.
    func leave() {
        guard !waiting.isEmpty else {
            current = nil
            return
        }
        waiting.removeFirst().resume()
    }

    /// From inside: calls others, who may call the actor.
    func calling<Result>(isolation: isolated any Actor = #isolation, _ body: () async -> Result) async -> Result {
        guard let current else { return await body() }
        return await Turnstile.$callers.withValue(Turnstile.callers + [current], operation: body)
    }
}
