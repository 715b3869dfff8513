import Waypost
import WaypostSystem

// How closely the device is followed: whose needs count, and when the source runs.
extension PositioningManager {
    /// The clients that need positions now, and how closely.
    public var clients: [PositioningClient] {
        var clients: [PositioningClient] = []
        forEachNeed { reason, need in clients.append(PositioningClient(reason: reason, need: need)) }
        return clients
    }

    /// How closely the device is followed at the moment.
    public var pace: PositioningPace {
        guard isRunning else { return .stopped }
        if let end = duty.sleepsUntil { return .asleep(for: .milliseconds(max(0, end - MonotonicClock.milliseconds))) }
        switch duty.demand {
        case .nothing: return .unneeded
        case .samples: return .sampling
        case .everything: return .everyFix
        }
    }

    /// What waypost, this manager and its source can do on this device.
    ///
    /// - Cost: reads the names of the serial devices from the system, a millisecond or so.
    public var capabilities: PositioningCapabilities {
        PositioningCapabilities(
            version: WaypostVersion.text,
            receivers: SerialDeviceCatalogue().devices().compactMap { device in
                device.knownReceiver.map { PositioningCapabilities.Receiver(path: device.path, name: $0) }
            },
            canPause: canPause, canSwitchReceiverOff: settings.power != nil, pausesAtRest: settings.restInterval != nil,
            matchesPositions: matcher != nil, playbackCount: source.playbackControls.count)
    }

    private func forEachNeed(_ body: (_ reason: String, _ need: PositioningNeed) -> Void) {
        if let ownNeed = life.ownNeed { body("started", ownNeed) }
        for hold in holds where !ignoresHolds {
            if let need = hold.need { body(hold.reason, need) }
        }
        for listener in listeners {
            body(listener.choice == nil ? "listener" : "live updates", listener.selection.need(isStationary: rest.isStationary))
        }
    }

    /// The sum of all needs: the demand, and how long after the last fix the next one is needed.
    private var summary: (demand: DutyCycle.Demand, milliseconds: Int64) {
        guard isRunning else { return (.nothing, 0) }
        let restMilliseconds = settings.restInterval?.milliseconds
        var shortest: Int64?
        var demand = DutyCycle.Demand.nothing
        forEachNeed { _, need in
            switch need {
            case .within(let interval):
                let milliseconds = interval.milliseconds
                shortest = min(shortest ?? .max, milliseconds)
                demand = max(demand, .samples)
            case .everyFix:
                shortest = min(shortest ?? .max, restMilliseconds ?? 0)
                demand = max(demand, restMilliseconds != nil && rest.isStationary ? .samples : .everything)
            }
        }
        if demand == .samples, !canPause { demand = .everything }
        // One fix that moved may be an outlier: the next one decides.
        return (demand, rest.isInDoubt ? 0 : shortest ?? 0)
    }

    private var canPause: Bool { source.sharing != .alone }

    /// Leaves the rest of the stop to the conductor.
    func beginStopping(after end: End?) {
        life = .stopped(after: end)
        isStopping = true
    }

    /// Adapts to changed needs.
    func reconsider() {
        if case .held = life, ignoresHolds || !holds.contains(where: { $0.need != nil }) { beginStopping(after: nil) }
        let now = MonotonicClock.milliseconds
        let before = duty.demand
        let (demand, milliseconds) = summary
        duty.need(demand, at: now)
        if demand == .nothing, before != .nothing, !canPause, activity.run?.isEnding == false { mustRestart = true }
        duty.reschedule(nextIn: milliseconds, at: now)
        if duty.demand == .everything, before != .everything {
            freshness.renew(at: now)
            watchForSilence()
        } else if !isWatched {
            watchdog?.cancel()
        }
        setTimer()
        conduct()
    }

    /// A position has come: if it is usable, the sample is over.
    func noteSample(_ position: Position) {
        activity.notePosition()
        reconsider()
        watchForSilence()
        if isUsable(position) { endSample(nextIn: summary.milliseconds) }
    }

    /// Whether a sample may end with this fix.
    ///
    /// A fix that is worse says little about where the device is: the receiver is still acquiring. The first fix of a sample may be the rest of
    /// a cycle, without an accuracy although the receiver reports one.
    private func isUsable(_ position: Position) -> Bool {
        guard position.time != nil else { return false }
        guard let accuracy = position.accuracy else { return activity.positionCount > 1 }
        return accuracy.radiusMetres <= DesiredAccuracy.acquiringMetres
    }

    /// The shortest pause for which a receiver is switched off: it takes half of that to get a fix again.
    private static let leastOff = Duration.seconds(60)

    func endSample(nextIn milliseconds: Int64) {
        duty.sampled(nextIn: milliseconds, at: MonotonicClock.milliseconds)
        setTimer()
        conduct()
    }

    // MARK: - The timer

    private func setTimer() {
        guard dutyTimer?.deadline != duty.deadline else { return }
        dutyTimer?.task.cancel()
        dutyTimer = duty.deadline.map { deadline in
            let wait = Duration.milliseconds(max(0, deadline - MonotonicClock.milliseconds))
            return (
                deadline,
                Task.detached { [weak self] in
                    try? await Task.sleep(for: wait)  // Cancelled: see below.
                    await self?.fire(at: deadline)
                }
            )
        }
    }

    private func fire(at deadline: Int64) async {
        guard !Task.isCancelled, dutyTimer?.deadline == deadline else { return }
        dutyTimer = nil
        if duty.tick(at: MonotonicClock.milliseconds), activity.positionCount == 0 {
            guard await turn.enter() else { return }
            if !isStopping, loss.lose() { await lose(.noFix) }
            await leave()
        }
        setTimer()
        conduct()
    }

    // MARK: - The source's runs

    /// Starts, ends or replaces the source, as the current state demands.
    func conduct() {
        guard conductor == nil, !isSettled else { return }
        // The caller may be a consumer, whose task-local values would lock the conductor out.
        conductor = Task.detached { [weak self] in
            while await self?.takeStep() == true {}
        }
    }

    private var wantsRun: Bool { isRunning && duty.receiverIsOn }
    private var wantsPause: Bool { isRunning && !duty.receiverIsOn && (activity.isPaused || runNumber > 0) }
    private var isSettled: Bool {
        guard !isStopping, !mustRestart, replacement == nil else { return false }
        // What follows the end of a run begins when that has been told to everybody.
        return activity.run?.isEnding == true || wantsRun == (activity.run != nil) && wantsPause == activity.isPaused
    }

    /// Takes the next step; false when everything is as wanted.
    private func takeStep() async -> Bool {
        if isSettled {
            // Somebody changed his mind, or the run ends by itself.
        } else if case .running(let run) = activity, isStopping || mustRestart || replacement != nil || !wantsRun {
            run.task.cancel()
            await run.task.value
            activity = .idle
            // What is played begins anew, perhaps with the last fix.
            if !canPause { forgetFixes() }
            // Its last event is delivered; nothing of this run follows.
            runNumber += 1
            mustRestart = false
        } else if mustRestart {
            mustRestart = false
        } else if isStopping {
            await finishStopping()
        } else if let next = replacement {
            await replace(with: next)
        } else if wantsPause != activity.isPaused {
            if wantsPause { await pause() } else { await resume() }
        } else if wantsRun, case .idle = activity {
            begin()
        }
        if isSettled { conductor = nil }
        return conductor != nil
    }

    private func begin() {
        runNumber += 1
        freshness.renew(at: MonotonicClock.milliseconds)
        isPlayed = !source.playbackControls.isEmpty
        tellsLosses = source.tellsLosses
        let task = Task.detached { [weak self, source, number = runNumber] in
            var failure: PositionSourceError?
            do throws(PositionSourceError) {
                try await source.run { [weak self] event in await self?.process(event, ofRun: number) }
            } catch {
                failure = error
            }
            await self?.noteEnd(ofRun: number, failure)
        }
        activity = .running(Run(task: task))
    }

    /// Forgets everything, once the delivery under way has ended.
    private func finishStopping() async {
        guard await turn.enter() else { return }
        forgetPosition()
        (sky, peer, sourceMembers) = (nil, nil, [])
        forgetFixes()
        rest = StationaryRule()
        endListeners()
        isStopping = false
        await leave()
        waitingForEnd.resumeAll()
    }

    private func replace(with next: any PositionSource) async {
        replacement = nil
        guard await turn.enter() else { return }
        if rawPosition != nil, loss.lose() { await lose(.replaced) }
        source = next
        forgetFixes()
        (rest, duty) = (StationaryRule(), DutyCycle())
        (sky, peer, sourceMembers, lastSwitch) = (nil, nil, [], nil)
        life.forgetEnd()
        await leave()
        reconsider()
    }

    private func pause() async {
        activity = .paused(receiverIsOff: false)
        guard await turn.enter() else { return }
        loss.pause()
        leaps = TimeLeaps()
        let pause = duty.sleepsUntil.map { Duration.milliseconds(max(0, $0 - MonotonicClock.milliseconds)) }
        await deliver(.paused(pause))
        if pause ?? .seconds(86_400) >= PositioningManager.leastOff, let power = settings.power {
            activity = .paused(receiverIsOff: true)
            await turn.calling { await power.setReceiver(isOn: false) }
        }
        await leave()
    }

    private func resume() async {
        let receiverWasOff = activity.receiverIsOff
        activity = .idle
        guard await turn.enter() else { return }
        if receiverWasOff, let power = settings.power { await turn.calling { await power.setReceiver(isOn: true) } }
        if isRunning { await deliver(.resumed) }
        await leave()
    }
}

/// How closely a manager follows the device.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PositioningPace: Sendable, Hashable {
    /// Not started, or the source has ended.
    case stopped
    /// Nobody needs positions.
    case unneeded
    /// Every fix.
    case everyFix
    /// The receiver is on for one sample.
    case sampling
    /// The receiver sleeps for about this long.
    case asleep(for: Duration)
}
