/// Lets one task at a time through a stretch of an actor's code that awaits, in the order in which they came.
///
/// An actor lets others in while it awaits; what tells one event after the other must not.
/// - Concurrency: it belongs to one actor and is only used there.
final class Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits until nobody else is inside.
    func enter(isolation: isolated any Actor = #isolation) async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the next one in.
    func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
