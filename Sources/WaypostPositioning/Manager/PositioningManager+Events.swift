import Waypost
import WaypostSystem

// What the source says, and what is told of it.
extension PositioningManager {
    func process(_ event: PositionSourceEvent, ofRun number: Int) async {
        let start = MonotonicClock.milliseconds
        await turn.enter()
        defer {
            freshness.noteTelling(from: start, to: MonotonicClock.milliseconds)
            turn.leave()
        }
        guard number == runNumber, !Task.isCancelled else { return }
        switch event {
        case .position(let position): await process(position)
        case .noFix(let report):
            freshness.noteOther()
            await deliver(.noFix(report))
            if loss.addNoFix(at: report.time) { await lose(.noFix) }
        case .sky(let view):
            freshness.noteOther()
            sky = view
            await deliver(.sky(view))
        case .lost(let reason):
            if case .disconnected = reason { peer = nil }
            if loss.lose() { await lose(reason) }
            if case .withheld = reason {
                // Not told to the next who asks either; and as good as a sample without a place.
                lastKnown = nil
                endSample(nextIn: DutyCycle.longestSleepMilliseconds)
            }
        case .status(let status):
            note(status)
            await deliver(.status(status))
        case .finished:
            if loss.lose() { await lose(.ended) }
            await deliver(.finished)
        }
    }

    private func note(_ status: SourceStatus) {
        switch status {
        case .connected(let name): peer = name
        case .warning: break
        case .members(let members):
            sourceMembers = members
            peer = members.first(where: \.isActive)?.peer
        case .switched(let change): lastSwitch = (change, MonotonicClock.milliseconds)
        }
    }

    private func process(_ position: Position) async {
        // The same fix again is no new one, whatever the source thinks.
        if let last = rawPosition, let time = position.time, time == last.time, position.coordinate == last.coordinate {
            return freshness.noteOther()
        }
        freshness.renew(at: MonotonicClock.milliseconds)
        if loss.addFix(at: position.time) { await lose(.silent) }
        lossReason = nil
        rawPosition = position
        lastKnown = (position, MonotonicClock.milliseconds)
        averageSpeed.process(position)
        let restHasChanged = rest.process(position)
        watchForSilence()
        await deliver(.position(position))
        await match(position)
        if restHasChanged { await deliver(.stationary(rest.isStationary)) }
        noteSample(position)
    }

    private func match(_ position: Position) async {
        guard let matcher else { return }
        mapMatchedPosition = await matcher.match(position)
        if let mapMatchedPosition { await deliver(.matched(mapMatchedPosition)) }
    }

    func lose(_ reason: LossReason) async {
        forgetPosition()
        lossReason = reason
        await matcher?.lose()
        await deliver(.lost(reason))
    }

    func forgetPosition() {
        rawPosition = nil
        mapMatchedPosition = nil
        averageSpeed.lose()
    }

    func deliver(_ update: PositioningUpdate) async {
        for consumer in consumers { await consumer.consume(update) }
        for index in listeners.indices { listeners[index].take(update) }
    }

    // MARK: - Silence

    /// Sees to it that fixes that stay away are noticed although the source says nothing.
    func watchForSilence() {
        if watchdog == nil, isWatched { watchdog = Task { await watch() } }
    }

    /// Whether a fix is due: the receiver is on, and what it was switched on for is every fix, or it has found itself.
    var isWatched: Bool {
        isStarted && rawPosition != nil && duty.receiverIsOn && (duty.demand == .everything || samplePositionCount > 0)
    }

    /// Sleeps until fixes could be overdue at the earliest, and ends with the position.
    private func watch() async {
        while isWatched, !Task.isCancelled {
            let wait = overdueMilliseconds
            if wait > 0 {
                try? await Task.sleep(for: .milliseconds(wait))  // Cancelled: the loop ends.
                continue
            }
            await turn.enter()
            if overdueMilliseconds <= 0, isWatched, !Task.isCancelled, loss.lose() { await lose(freshness.reason) }
            turn.leave()
        }
        watchdog = nil
        // Somebody may need every fix again by now.
        watchForSilence()
    }

    /// How long until a fix is overdue.
    private var overdueMilliseconds: Int64 { freshness.milliseconds(until: loss.timeoutMilliseconds, at: MonotonicClock.milliseconds) }
}
