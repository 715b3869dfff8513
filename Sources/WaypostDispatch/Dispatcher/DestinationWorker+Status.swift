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

    // MARK: - Failures

    /// Notes why an attempt failed.
    func fail(_ reason: String, needsMending: Bool) {
        // A cancelled attempt is not the server's fault.
        guard !Task.isCancelled, !state.isStopped else { return }
        if failure?.reason != reason { notify(.failing(destination: settings.name, reason: reason, needsMending: needsMending)) }
        let start = failure?.since ?? vainSince.values.min() ?? vainAttempt ?? clock.bootMilliseconds()
        failure = Failure(reason: reason, needsMending: needsMending, since: start)
    }

    /// Notes that the server has accepted records and that this is stored: if it cannot be stored they are sent again, but not every second.
    ///
    /// A server that accepts events and no positions fails: what it says of the one lane is no answer for the other.
    /// - Parameter lane: the records' lane; nil for those that come from no lane any more.
    func noteReceipt(of lane: DispatchLane?) {
        retry.process(.reached, at: clock.bootMilliseconds(), using: &generator)
        lastReceipt = clock.bootMilliseconds()
        vainAttempt = nil
        if let lane { vainSince[lane] = nil }
        endFailure()
    }

    /// Ends the failure when no lane waits in vain any more.
    private func endFailure() {
        if failure != nil, vainSince.isEmpty {
            failure = nil
            notify(.recovered(destination: settings.name))
        }
    }

    // MARK: - State

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
