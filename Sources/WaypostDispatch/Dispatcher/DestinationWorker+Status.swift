import Waypost
import WaypostSystem

// What a worker says of itself: its state, and what its server refused.
extension DestinationWorker {
    /// What a server has refused for good.
    struct Refused {
        /// How many records.
        private(set) var count = 0
        private var reason = ""

        /// Counts more of them, with the server's words about the last.
        mutating func note(_ more: Int, reason: String) {
            count += more
            self.reason = reason
        }

        /// What to tell of those since there were that many.
        func failure(of name: String, since before: Int) -> DispatchCompletion.Failure {
            let words = "refuses \(counted(count - before, "record")) for good: \(reason); see waypost dispatch list"
            return DispatchCompletion.Failure(destination: name, reason: words)
        }
    }

    /// Counts records that the server has refused for good, once that is stored.
    func noteRefused(_ count: Int, reason: String) { refused.note(count, reason: reason) }

    /// The state of the destination.
    func status() async throws(OutboxError) -> DestinationStatus {
        let progress = try await outbox.state(of: settings.name)
        let positionCount: Int?
        do throws(PositionSupplyError) { positionCount = try await supply.count(waitingFor: progress) } catch { positionCount = nil }
        let now = clock.bootMilliseconds()
        let failingTime = failure.map { Duration.milliseconds(now - $0.since) }
        let sendingTime = attemptSince.map { Duration.milliseconds(now - $0) }
        // An attempt that has not failed yet brings no more than one that has.
        let vainTime = max(failingTime ?? .zero, sendingTime ?? .zero)
        let isStalled = vainTime >= stallTime && (positionCount != 0 || progress.waitingEventCount > 0)
        return DestinationStatus(
            state: progress, isSending: state.run != nil, isOnDemand: schedule.settings.isManual, failure: failure?.reason,
            needsMending: failure?.needsMending ?? false,
            failingTime: failingTime, isStalled: isStalled,
            timeToNextAttempt: state.alarm.map { .milliseconds(max(0, $0.moment - now)) },
            timeSinceReceipt: lastReceipt.map { .milliseconds(now - $0) },
            timeSending: sendingTime, waitingPositionCount: positionCount)
    }

    /// How long without a receipt is more than a gap in the network.
    private var stallTime: Duration { max(.seconds(60), settings.schedule.interval * 2) }
}
