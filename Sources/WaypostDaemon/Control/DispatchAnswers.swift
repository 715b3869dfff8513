import Waypost
import WaypostControl
import WaypostDispatch

// What the dispatcher says, as the control socket tells it.

extension DispatchOutcome {
    init(_ completion: DispatchCompletion) {
        self.init(
            Completion(completion.word.rawValue),
            failures: completion.failures.map { Failure(destination: $0.destination, reason: $0.reason) },
            receipts: completion.receipts.map { Receipt(destination: $0.destination, count: $0.count) })
    }
}

extension DestinationReport {
    init(_ status: DestinationStatus) {
        self.init()
        name = status.state.name
        state = status.word
        eventCount = status.state.waitingEventCount
        positionCount = status.waitingPositionCount
        deadLetterCount = status.state.deadLetterCount
        dueDeadLetterCount = status.state.dueDeadLetterCount
        sentCount = status.state.sentCount
        droppedCount = status.state.droppedCount
        lateCount = status.state.lateCount
        isOnDemand = status.isOnDemand
        nextSeconds = status.timeToNextAttempt.map { Int($0.components.seconds) }
        receiptSecondsAgo = status.timeSinceReceipt.map { Int($0.components.seconds) }
        sendingSeconds = status.timeSending.map { Int($0.components.seconds) }
        reason = status.isOptedOut ? nil : status.word == .idle ? nil : status.failure
    }
}

extension DispatchService {
    /// The state of the destinations with the age of what waits, for people and programs.
    func reports() async throws(OutboxError) -> [DestinationReport] {
        var reports: [DestinationReport] = []
        for status in try await statuses() {
            var report = DestinationReport(status)
            // What the log cannot tell now is left out.
            let age = try? await dispatcher?.oldestAge(of: report.name)  // See above.
            report.oldestSeconds = age.map { Int($0 / .seconds(1)) }
            reports.append(report)
        }
        return reports
    }
}

extension DeadLetterEntry {
    init(_ letter: DeadLetter) {
        self.init()
        number = Int(letter.number)
        destination = letter.destination
        id = letter.record.id
        kind = letter.record.kind
        name = letter.record.name
        lane = letter.record.lane.rawValue
        sequence = letter.record.sequence
        time = letter.record.time
        reason = letter.reason
        isRetrying = letter.isDue
    }
}

extension DestinationStatus {
    /// One word.
    fileprivate var word: DestinationReport.State {
        if !isAttached { return .unconfigured }
        if isOptedOut { return .optedOut }
        if state.isPaused { return .paused }
        if isSending { return .sending }
        if needsMending { return .failing }
        // After a failure there may be nothing left to send: it was discarded.
        let isWaiting = state.waitingEventCount > 0 || waitingPositionCount != 0 || state.dueDeadLetterCount > 0
        if failure != nil, isWaiting || state.deadLetterCount > 0 { return .retrying }
        return isWaiting ? .waiting : .idle
    }

    /// What is wrong, for people; empty when nothing is.
    var problems: [String] {
        let letters = counted(state.deadLetterCount, "record")
        let refused = "destination \(state.name) has refused \(letters) for good: waypost dispatch list, then retry or drop"
        return [failing, state.deadLetterCount > 0 ? refused : nil].compactMap { $0 }
    }

    private var failing: String? {
        if needsMending, let failure { return "destination \(state.name): \(failure)" }
        guard isStalled, let time = failingTime ?? timeSending else { return nil }
        let words = failure ?? "it has not answered yet"
        // Others of its records may arrive: those of events, while it takes no position.
        let amount = timeSinceReceipt.map { $0 < time } == true ? "only some of its records" : "nothing"
        return "destination \(state.name) has taken \(amount) for \(spanText(seconds: time.components.seconds)): \(words)"
    }
}
