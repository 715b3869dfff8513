import Synchronization
import Waypost
import WaypostPositioning
import WaypostSystem

/// What a source delivered, in order, and when (milliseconds of the monotonic clock).
final class EventLog: Sendable {
    private let list = Mutex<[(event: PositionSourceEvent, at: Int64)]>([])

    var entries: [(event: PositionSourceEvent, at: Int64)] { list.withLock { $0 } }
    var events: [PositionSourceEvent] { entries.map(\.event) }
    var positions: [Position] { events.compactMap { if case .position(let position) = $0 { position } else { nil } } }
    var losses: [LossReason] { events.compactMap { if case .lost(let reason) = $0 { reason } else { nil } } }
    var warnings: [String] { events.compactMap { if case .status(.warning(let text)) = $0 { text } else { nil } } }

    /// Why there are no positions, each reason in its order.
    var reasons: [LossReason] {
        events.compactMap {
            switch $0 {
            case .lost(let reason), .status(.stillLost(let reason)): reason
            default: nil
            }
        }
    }
    var laterReasons: [LossReason] { events.compactMap { if case .status(.stillLost(let reason)) = $0 { reason } else { nil } } }

    func append(_ event: PositionSourceEvent) { list.withLock { $0.append((event, MonotonicClock.milliseconds)) } }

    /// Whether the condition comes true within that time.
    func waits(_ time: Duration = .seconds(10), until isTrue: (EventLog) -> Bool) async -> Bool {
        let end = ContinuousClock.now + time
        while !isTrue(self) {
            if ContinuousClock.now > end { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}

/// Runs the source beside the body, cancels it afterwards and waits for its end; gives how many milliseconds that took.
@discardableResult
func running(_ source: any PositionSource, _ body: (EventLog) async throws -> Void) async throws -> Int64 {
    let log = EventLog()
    let run = Task { try await source.run { log.append($0) } }
    let result: Result<Void, any Error>
    do { result = .success(try await body(log)) } catch { result = .failure(error) }
    let start = MonotonicClock.milliseconds
    run.cancel()
    try await run.value
    try result.get()
    return MonotonicClock.milliseconds - start
}
