import Synchronization

/// Carries events from the members of a ``FallbackSource`` to the one task that handles them; a member waits until its event is handled.
///
/// - Concurrency: any number of senders, one receiver.
final class FallbackMailbox: Sendable {
    /// One letter.
    struct Letter: Sendable {
        /// The run and the member that sent it.
        var sender: FallbackRun.ID
        var content: Content
        fileprivate var number = 0
    }

    enum Content: Sendable {
        case event(PositionSourceEvent)
        /// The run has returned, with the error it threw, if any.
        case returned(PositionSourceError?)
    }

    private struct State {
        var letters: [Letter] = []
        var senders: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
        var receiver: CheckedContinuation<Void, Never>?
        var isRung = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Delivers an event and waits until it is handled, or until nobody will handle it any more.
    func send(_ event: PositionSourceEvent, from sender: FallbackRun.ID) async {
        await withCheckedContinuation { continuation in
            let (receiver, isRefused) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Bool) in
                if state.isClosed { return (nil, true) }
                state.count += 1
                state.letters.append(Letter(sender: sender, content: .event(event), number: state.count))
                state.senders[state.count] = continuation
                return (state.receiver.take(), false)
            }
            receiver?.resume()
            if isRefused { continuation.resume() }
        }
    }

    /// Reports that a run has returned.
    func post(returned error: PositionSourceError?, from sender: FallbackRun.ID) {
        state.withLock { state in
            state.letters.append(Letter(sender: sender, content: .returned(error)))
            return state.receiver.take()
        }?.resume()
    }

    /// Wakes the receiver.
    func ring() {
        state.withLock { state in
            state.isRung = true
            return state.receiver.take()
        }?.resume()
    }

    /// The letters that have come, oldest first, maybe none after a ring; nil when the mailbox is closed.
    func next() async -> [Letter]? {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.letters.isEmpty, !state.isRung, !state.isClosed else { return false }
                state.receiver = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return state.withLock { state in
            defer {
                state.letters = []
                state.isRung = false
            }
            return state.isClosed ? nil : state.letters
        }
    }

    /// Lets the sender of the letter continue.
    func release(_ letter: Letter) {
        state.withLock { $0.senders.removeValue(forKey: letter.number) }?.resume()
    }

    /// Closes the mailbox: the receiver gets nil, and no sender waits any more.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.senders = [:] }
            return Array(state.senders.values) + [state.receiver.take()].compactMap(\.self)
        }
        for continuation in waiting { continuation.resume() }
    }
}
