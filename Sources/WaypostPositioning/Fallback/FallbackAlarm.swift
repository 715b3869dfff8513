import Synchronization
import WaypostSystem

/// Wakes a ``FallbackMailbox`` at a moment that moves.
final class FallbackAlarm: Sendable {
    private enum Next {
        case sleep(until: Int64)
        case ring
        case end
    }

    private struct State {
        var deadline: Int64?
        var sleeper: (task: Task<Void, Never>, wakesAt: Int64)?
    }

    private let state = Mutex(State())
    private let mailbox: FallbackMailbox

    init(mailbox: FallbackMailbox) {
        self.mailbox = mailbox
    }

    /// Sets the moment, in milliseconds of the monotonic clock; nil for never.
    ///
    /// - Cost: while the moment moves away, as it does with each position, the one sleeper sleeps on and checks again when it wakes.
    func set(to deadline: Int64?) {
        state.withLock { state in
            state.deadline = deadline
            guard let deadline else { return }
            if let sleeper = state.sleeper {
                if sleeper.wakesAt <= deadline { return }
                sleeper.task.cancel()
            }
            state.sleeper = (Task { await self.sleep(until: deadline) }, deadline)
        }
    }

    /// Never rings again.
    func stop() async {
        let sleeper = state.withLock { state in
            state.deadline = nil
            return state.sleeper.take()
        }
        sleeper?.task.cancel()
        await sleeper?.task.value
    }

    private func sleep(until first: Int64) async {
        var moment = first
        while true {
            try? await Task.sleep(for: .milliseconds(max(1, moment - MonotonicClock.milliseconds)))  // Cancelled: ends below.
            let next = state.withLock { state -> Next in
                // There is already another sleeper, or none is needed.
                if Task.isCancelled { return .end }
                if let deadline = state.deadline, deadline > MonotonicClock.milliseconds {
                    state.sleeper?.wakesAt = deadline
                    return .sleep(until: deadline)
                }
                state.sleeper = nil
                return state.deadline == nil ? .end : .ring
            }
            switch next {
            case .sleep(let later): moment = later
            case .ring: return mailbox.ring()
            case .end: return
            }
        }
    }
}
