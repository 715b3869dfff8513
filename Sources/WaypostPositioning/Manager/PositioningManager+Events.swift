import Waypost
import WaypostSystem

// What the source says, and what is told of it.
extension PositioningManager {
    func process(_ event: PositionSourceEvent, ofRun number: Int) async {
        let start = MonotonicClock.milliseconds
        guard await turn.enter() else {
            // From somebody who is told something just now: it comes behind that.
            afterwards.append((event, number))
            return
        }
        if !Task.isCancelled { await deliver(event, ofRun: number) }
        freshness.noteTelling(from: start, to: MonotonicClock.milliseconds)
        await leave()
    }

    /// Tells what came meanwhile from those who were told something, and lets the next one in.
    func leave() async {
        while !afterwards.isEmpty {
            let (event, number) = afterwards.removeFirst()
            await deliver(event, ofRun: number)
        }
        turn.leave()
    }

    private func deliver(_ event: PositionSourceEvent, ofRun number: Int) async {
        guard number == runNumber, !isStopping else { return }
        switch event {
        case .position(let position): await process(position)
        case .noFix(let report):
            freshness.noteOther()
            noteReason(.noFix)
            await deliver(.noFix(report))
            if loss.addNoFix(at: report.time) { await lose(.noFix) }
        case .sky(let view):
            freshness.noteOther()
            sky = view
            await deliver(.sky(view))
        case .lost(let reason):
            if case .disconnected = reason { peer = nil }
            var mustBeTold = loss.lose()
            // Also when there was no position to be lost: what is known from before is not told any more.
            if case .withheld = reason { mustBeTold = true }
            if mustBeTold {
                await lose(reason)
            } else if let known = lossReason, known != reason {
                // It was noticed here before the source has said why.
                noteReason(reason)
                await deliver(.status(.stillLost(reason)))
            }
            if case .withheld = reason {
                // Not told to the next who asks either; and as good as a sample without a place.
                lastKnown = nil
                endSample(nextIn: DutyCycle.longestSleepMilliseconds)
            }
        case .status(let status):
            note(status)
            await deliver(.status(status))
        case .finished: await finish()
        }
    }

    /// The source has said everything.
    private func finish() async {
        activity.noteFinish()
        if loss.lose() { await lose(.ended) }
        await deliver(.finished)
    }

    /// The source has ended by itself, which it may not have said.
    func noteEnd(ofRun number: Int, _ failure: PositionSourceError?) async {
        guard await turn.enter() else { return }
        if isOver(number) { return await leave() }
        if let failure {
            if rawPosition != nil, loss.lose() { await lose(.ended) }
            await deliver(.failed(failure))
        } else if activity.run?.hasFinished != true {
            await finish()
        }
        if isOver(number) { return await leave() }
        let wasHeld = if case .held = life { true } else { false }
        life = .ended(End(failure: failure), life.ownNeed)
        activity = .idle
        endListeners()
        await leave()
        if wasHeld, case .ended(let end, _) = life { beginStopping(after: end) }
        reconsider()
        waitingForEnd.resumeAll()
    }

    /// Whether a run is not the one that counts any more.
    private func isOver(_ number: Int) -> Bool { number != runNumber || Task.isCancelled || isStopping }

    private func note(_ status: SourceStatus) {
        switch status {
        case .connected(let name): peer = name
        case .warning: break
        case .stillLost(let reason):
            if case .disconnected = reason { peer = nil }
            noteReason(reason)
        case .members(let members):
            sourceMembers = members
            peer = members.first(where: \.isActive)?.peer
        case .switched(let change):
            lastSwitch = (change, MonotonicClock.milliseconds)
            sky = nil
        }
    }

    /// What keeps positions away has changed: that is no second loss.
    private func noteReason(_ reason: LossReason) {
        switch lossReason {
        case nil, .withheld: break
        default:
            place = .lost(reason)
            forgetSky(after: reason)
        }
    }

    private func process(_ position: Position) async {
        // The same fix again is no new one, whatever the source thinks.
        // Nor does it end a loss: what was lost stays lost until the receiver has found itself again.
        if let lastFix, let time = position.time, time == lastFix.time, position.coordinate == lastFix.coordinate {
            return freshness.noteOther()
        }
        freshness.renew(at: MonotonicClock.milliseconds)
        let leap = leaps.leapMilliseconds(to: position.time, at: BootClock.milliseconds)
        if loss.addFix(at: position.time), !source.tellsLosses {
            if let leap {
                await deliver(.status(.warning("the receiver's time jumps ahead by \(spanText(seconds: Int(leap / 1_000)))")))
            } else {
                await lose(.silent)
            }
            if isStopping { return }
        }
        lastFix = position
        // On its old road until it is matched anew.
        place = .fix(position, mapMatchedPosition)
        lastKnown = (position, MonotonicClock.milliseconds)
        averageSpeed.process(position)
        let restHasChanged = rest.process(position)
        watchForSilence()
        await deliver(.position(position))
        if isStopping { return }
        await match(position)
        if isStopping { return }
        if restHasChanged { await deliver(.stationary(rest.isStationary)) }
        noteSample(position)
    }

    private func match(_ position: Position) async {
        guard let matcher else { return }
        let number = matcherNumber
        let match = await turn.calling { await matcher.match(position) }
        guard number == matcherNumber else { return }
        place.match(match)
        if let match { await deliver(.matched(match)) }
    }

    func lose(_ reason: LossReason) async {
        forgetPosition()
        place = .lost(reason)
        forgetSky(after: reason)
        if let matcher { await turn.calling { await matcher.lose() } }
        await deliver(.lost(reason))
    }

    /// What comes next has nothing to do with what came before.
    func forgetFixes() {
        (loss, lastFix, leaps) = (PositionLossRule(), nil, TimeLeaps())
    }

    /// Only a receiver that still reports has satellites in view.
    private func forgetSky(after reason: LossReason) {
        if reason != .noFix { sky = nil }
    }

    /// Forgets what is known of a stretch of time: the last position, and the current one until the next fix.
    ///
    /// For what somebody has erased; nobody is told of a loss.
    public func forget(_ stretch: Range<UTCTime>) {
        if let time = lastKnown?.position.time, stretch.contains(time) { lastKnown = nil }
        if let time = rawPosition?.time, stretch.contains(time) { forgetPosition() }
    }

    func forgetPosition() {
        place = .unknown
        averageSpeed.lose()
    }

    func deliver(_ update: PositioningUpdate) async {
        holdChanges.begin()
        await turn.calling {
            for consumer in consumers { await consumer.consume(update) }
        }
        if holdChanges.end() { noteChangeOfHold() }
        for index in listeners.indices { listeners[index].take(update) }
    }

    // MARK: - Silence

    /// Sees to it that fixes that stay away are noticed although the source says nothing.
    func watchForSilence() {
        guard watchdog == nil, isWatched else { return }
        // Nobody's task-local values, and no hold on a manager that is dropped.
        let longest = Duration.milliseconds(2 * FixFreshness.deliveryMilliseconds)
        watchdog = Task.detached { [weak self] in
            while let wait = await self?.checkFreshness() {
                // Together with what wakes the tracker anyway, the next fix, also one that comes early, while it is not urgent.
                let tolerance = wait > longest ? longest : .zero
                try? await Task.sleep(for: wait - tolerance, tolerance: tolerance)  // Cancelled: the check ends it.
            }
        }
    }

    /// Whether a fix is due: the receiver is on, and what it was switched on for is every fix, or it has found itself.
    var isWatched: Bool {
        isRunning && !source.tellsLosses && rawPosition != nil && duty.receiverIsOn
            && (duty.demand == .everything || activity.positionCount > 0)
    }

    /// Loses a fix that is overdue; how long until the next look, nil when there is nothing to be watched.
    private func checkFreshness() async -> Duration? {
        if isWatched, !Task.isCancelled {
            let wait = overdueMilliseconds
            if wait > 0 { return .milliseconds(wait) }
            guard await turn.enter() else { return .zero }
            if overdueMilliseconds <= 0, isWatched, !Task.isCancelled, !isStopping, loss.lose() { await lose(freshness.reason) }
            await leave()
            if isWatched, !Task.isCancelled { return .zero }
        }
        watchdog = nil
        // Somebody may need every fix again by now.
        watchForSilence()
        return nil
    }

    /// How long until a fix is overdue.
    private var overdueMilliseconds: Int64 { freshness.milliseconds(until: loss.timeoutMilliseconds, at: MonotonicClock.milliseconds) }
}
