import Waypost
import WaypostSystem

// What the source reports, and what consumers and listeners get.
extension PositioningManager {
    func process(_ event: PositionSourceEvent, ofRun number: Int) async {
        await waitForLiveLoops()
        let start = MonotonicClock.milliseconds
        guard await turn.enter() else {
            // From a caller that is receiving an update right now: it is delivered after that.
            afterwards.append((event, number))
            return
        }
        if !Task.isCancelled { await deliver(event, ofRun: number) }
        freshness.noteTelling(from: start, to: MonotonicClock.milliseconds)
        await leave()
    }

    /// Delivers the events that came from consumers during a delivery, then lets the next task in.
    func leave() async {
        while !afterwards.isEmpty {
            let (event, number) = afterwards.removeFirst()
            await deliver(event, ofRun: number)
        }
        turn.leave()
    }

    private func deliver(_ event: PositionSourceEvent, ofRun number: Int) async {
        // What an old source still had on its way when a consumer replaced it comes after that.
        guard number == runNumber, !isStopping, !mustRestart, replacement == nil, activity.run?.isEnding != true else { return }
        switch event {
        case .position(let reported):
            var position = reported.sound
            // A fix that was on its way while its time was erased.
            if let time = position.time, erasures.covers(time, now: MonotonicClock.nanoseconds) {
                return freshness.renew(at: MonotonicClock.milliseconds)
            }
            let waiting = unread.waitingMilliseconds(of: position.time, readAt: MonotonicClock.milliseconds)
            let moment = BootClock.milliseconds - waiting
            position.moment.milliseconds = moments.moment(of: position.time, from: position.source, at: moment)
            await process(position, after: waiting)
        case .noFix(let report):
            freshness.noteOther()
            noteReason(.noFix)
            await deliver(.noFix(report))
            let moment = moments.moment(of: report.time, from: report.source, at: BootClock.milliseconds)
            if loss.addNoFix(at: report.time, moment: moment) { await lose(.noFix) }
        case .sky(let view):
            freshness.noteOther()
            sky = view
            await deliver(.sky(view))
        case .lost(let reason):
            if case .disconnected = reason { peer = nil }
            var mustBeTold = loss.lose()
            // Even when there was no position to lose: what is known from before is no longer reported.
            if case .withheld = reason { mustBeTold = true }
            if mustBeTold {
                await lose(reason)
            } else if let known = lossReason, known != reason {
                // The loss was noticed here before the source gave the reason.
                noteReason(reason)
                await deliver(.status(.stillLost(reason)))
            }
            if case .withheld = reason {
                // New listeners do not get it either; and it counts as a sample without a place.
                lastKnown = nil
                endSample(nextIn: DutyCycle.longestSleepMilliseconds)
            }
        case .status(let status):
            note(status)
            await deliver(.status(status))
        case .finished: await finish()
        }
    }

    /// The source has delivered everything.
    private func finish() async {
        if loss.lose() { await lose(.ended) }
        await end(End(failure: nil))
    }

    /// The source has ended by itself, perhaps without reporting it.
    func noteEnd(ofRun number: Int, _ failure: PositionSourceError?) async {
        guard await turn.enter() else { return }
        if isOver(number) { return await leave() }
        if activity.run?.isEnding == true || replacement != nil {
            // It has reported its end, or another source takes its place.
        } else if let failure {
            if rawPosition != nil, loss.lose() { await lose(.ended) }
            await end(End(failure: failure))
        } else {
            await finish()
        }
        if isOver(number) { return await leave() }
        activity = .idle
        await leave()
        reconsider()
        // Unless somebody has started it again already.
        if !isRunning { waitingForEnd.resumeAll() }
    }

    /// The run ends: tells everybody, who may start the source again at once, and lets the listeners end.
    private func end(_ end: End) async {
        activity.noteEnd()
        let wasHeld = if case .held = life { true } else { false }
        life = .ended(end, life.ownNeed)
        // Those who begin to listen while this is delivered wait for the next start.
        var listening = listeners
        listeners = []
        await tellConsumers(end.update)
        for index in listening.indices {
            listening[index].take(end.update)
            listening[index].queue.finish()
        }
        guard wasHeld, case .ended(let end, _) = life else { return }
        if replacement != nil { life = .held } else { beginStopping(after: end) }
        reconsider()
    }

    /// Whether a run is no longer the current one.
    private func isOver(_ number: Int) -> Bool { number != runNumber || Task.isCancelled || isStopping }

    private func note(_ status: SourceStatus) {
        switch status {
        case .connected(let name): peer = name
        case .warning: break
        case .stillLost(let reason):
            if case .disconnected = reason { peer = nil }
            noteReason(reason)
        case .shownAgain(let reason):
            guard case .withheld = lossReason else { break }
            // As after a start, unless more is known.
            place = reason.map(Place.lost) ?? .unknown
            if reason == nil { loss.begin() }
        case .members(let members):
            sourceMembers = members
            peer = members.first(where: \.isActive)?.peer
        case .switched(let change):
            lastSwitch = (change, MonotonicClock.milliseconds)
            loss.follow(change.rhythm)
            sky = nil
        }
    }

    /// The reason for the loss has changed, which is not a second loss.
    private func noteReason(_ reason: LossReason) {
        switch lossReason {
        case nil, .withheld: break
        default:
            place = .lost(reason)
            forgetSky(after: reason)
        }
    }

    /// - Parameter waiting: for how long it was not read, in milliseconds.
    private func process(_ position: Position, after waiting: Int64) async {
        // A repeated fix is not new, whatever the source says.
        // It does not end a loss either: the position stays lost until the receiver has a new fix.
        if let lastFix, let time = position.time, time == lastFix.time, position.coordinate == lastFix.coordinate {
            return freshness.noteOther()
        }
        freshness.renew(at: MonotonicClock.milliseconds - waiting)
        let leap = leaps.leapMilliseconds(to: position.time, at: BootClock.milliseconds - waiting)
        let wasLost = loss.isLost
        let isOverdue = loss.addFix(at: position.time, moment: position.moment.milliseconds)
        if !tellsLosses {
            if let leap, isOverdue || moments.isLive && !wasLost {
                await deliver(.status(.warning("the receiver's time jumps ahead by \(spanText(seconds: Int(leap / 1_000)))")))
            } else if isOverdue {
                await lose(.silent)
            }
            if isStopping { return }
        }
        lastFix = position
        // The place and its road are known together: neither is ever seen with that of another fix.
        let match = matcher == nil ? Match.off : await match(position)
        if match != .off {
            if isStopping { return }
            if let time = position.time, erasures.covers(time, now: MonotonicClock.nanoseconds) { return }
        }
        place = .fix(position, match.place)
        lastKnown = (position, MonotonicClock.milliseconds - waiting)
        averageSpeed.process(position)
        let restHasChanged = rest.process(position)
        watchForSilence()
        await deliver(.position(position))
        if isStopping { return }
        if match != .off {
            // None of a matcher that has been replaced meanwhile.
            await deliver(.matched(mapMatchedPosition))
            if isStopping { return }
        }
        if restHasChanged { await deliver(.stationary(rest.isStationary)) }
        noteSample(position)
    }

    func lose(_ reason: LossReason) async {
        forgetPosition()
        place = .lost(reason)
        forgetSky(after: reason)
        if let matcher { await turn.calling { await matcher.lose() } }
        await deliver(.lost(reason))
    }

    /// The next fix has nothing to do with the previous ones.
    func forgetFixes() {
        (loss, lastFix, leaps, unread) = (PositionLossRule(), nil, TimeLeaps(), UnreadFixes())
    }

    /// Only a receiver that still reports has satellites in view.
    private func forgetSky(after reason: LossReason) {
        if reason != .noFix { sky = nil }
    }

    /// Forgets the positions of a period: the last position, and the current one until the next fix.
    ///
    /// For data that somebody has erased; no loss is reported. A fix of the period that was on its way is forgotten, too: every one that comes
    /// within two seconds, also where the period reaches into the future.
    public func forget(_ stretch: Range<UTCTime>) {
        erasures.add(stretch, now: MonotonicClock.nanoseconds)
        if let time = lastKnown?.position.time, stretch.contains(time) { lastKnown = nil }
        if let time = rawPosition?.time, stretch.contains(time) { forgetPosition() }
    }

    func forgetPosition() {
        place = .unknown
        averageSpeed.lose()
    }

    func deliver(_ update: PositioningUpdate) async {
        await tellConsumers(update)
        for index in listeners.indices { listeners[index].take(update) }
    }

    private func tellConsumers(_ update: PositioningUpdate) async {
        holdChanges.begin()
        await turn.calling {
            for member in consumers where member.isAttached { await member.consumer.consume(update) }
        }
        if holdChanges.end() { noteChangeOfHold() }
    }

    // MARK: - Silence

    /// Makes sure that missing fixes are noticed even when the source reports nothing.
    func watchForSilence() {
        guard watchdog == nil, isWatched else { return }
        // Without any task-local values, and without keeping an unused manager alive.
        let longest = Duration.milliseconds(2 * FixFreshness.deliveryMilliseconds)
        watchdog = Task.detached { [weak self] in
            while let wait = await self?.checkFreshness() {
                // While it is not urgent, it waits for the next wake-up of the tracker, or for the next fix, which may come early.
                let tolerance = wait > longest ? longest : .zero
                try? await Task.sleep(for: wait - tolerance, tolerance: tolerance)  // Cancelled: the check ends it.
            }
        }
    }

    /// Whether a fix is due: the receiver is on, and either every fix is needed or the receiver already has its fix.
    var isWatched: Bool {
        isRunning && !tellsLosses && rawPosition != nil && duty.receiverIsOn
            && (duty.demand == .everything || activity.positionCount > 0)
    }

    /// Reports a loss when a fix is overdue; returns the time until the next check, nil when there is nothing to watch.
    private func checkFreshness() async -> Duration? {
        unread.look(at: MonotonicClock.milliseconds)
        if let rest = untilLoss() { return rest }
        if isWatched, !Task.isCancelled {
            guard await turn.enter() else { return .zero }
            // Once more: a fix may have been delivered just now, with others behind it.
            let rest = untilLoss()
            if rest == nil, isWatched, !Task.isCancelled, !isStopping, loss.lose() { await lose(freshness.reason) }
            await leave()
            if let rest { return rest }
            if isWatched, !Task.isCancelled { return .zero }
        }
        watchdog = nil
        unread.expectLook(at: nil)
        // Every fix may be needed again now.
        watchForSilence()
        return nil
    }

    /// How long to wait before the last fix may be called overdue; nil when it may, or when nothing is watched.
    private func untilLoss() -> Duration? {
        guard isWatched, !Task.isCancelled else { return nil }
        let now = MonotonicClock.milliseconds
        let wait = freshness.milliseconds(until: loss.timeoutMilliseconds, at: now)
        let rest = wait > 0 ? wait : freshness.millisecondsToLook(at: now, lateness: -wait)
        unread.expectLook(at: rest.map { now + $0 })
        return rest.map { .milliseconds($0) }
    }
}
