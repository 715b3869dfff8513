/// Lets tasks one at a time, in the order of arrival, through a section of an actor's code that awaits.
///
/// An actor admits other calls while it awaits; code that delivers one event after the other must not. The task inside calls others by
/// ``calling(isolation:_:)``; when these call back into the actor they are not admitted, because they would wait for themselves.
/// - Concurrency: it belongs to one actor and is only used there.
final class Turnstile {
    /// One pass through the turnstile.
    private final class Passage: Sendable {}

    /// The passes that wait for this task to finish.
    @TaskLocal private static var callers: [Passage] = []

    /// Whether this task was called from inside any turnstile.
    static var isCalled: Bool { !callers.isEmpty }

    private var current: Passage?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whether the task inside has called the current task and waits for it.
    var isCaller: Bool { current.map { current in Turnstile.callers.contains { $0 === current } } ?? false }

    /// Waits until nobody else is inside; returns false at once if the task inside has called this one.
    func enter(isolation: isolated any Actor = #isolation) async -> Bool {
        if isCaller { return false }
        if current != nil {
            // Whoever leaves hands over directly, so nobody slips in between.
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

    /// Calls others from inside the turnstile; they may call the actor.
    func calling<Result>(isolation: isolated any Actor = #isolation, _ body: () async -> Result) async -> Result {
        guard let current else { return await body() }
        return await Turnstile.$callers.withValue(Turnstile.callers + [current], operation: body)
    }
}
