import Synchronization
import Waypost
import WaypostSystem

/// Serves one destination: wakes when it is due, sends what waits, and keeps what became of it.
///
/// Nothing runs while nothing waits: what comes sets an alarm, and an empty queue has none.
actor DestinationWorker {
    let settings: DestinationSettings
    let destination: any Destination
    let outbox: Outbox
    let supply: any PositionSupply
    let clock: DispatchClock
    let device: String
    private let notify: @Sendable (DispatchNotice) -> Void
    private let reached: @Sendable () -> Void

    private var state = State.idle(next: nil)
    private let waitingForRun = WaitingTasks()
    /// Whether something new waits that no run has looked for yet.
    private let hasNews = Atomic(false)
    private var schedule: DispatchSchedule
    private var retry = RetryRule()
    private var generator = SystemRandomNumberGenerator()
    /// Whether somebody has opted out of sending at all.
    private var isSilent: Bool
    /// How many callers are changing what waits.
    private var suspensionCount = 0

    /// How far the destination is, as the outbox has it.
    private(set) var progress: DestinationState
    var reading = Reading()
    /// The names of the records that are on their way.
    var inFlight: Set<String> = []
    private var failure: Failure?
    private var lastReceipt: Int64?

    init(
        _ destination: any Destination, _ settings: DestinationSettings, progress: DestinationState, outbox: Outbox,
        supply: any PositionSupply, clock: DispatchClock, device: String, isSilent: Bool,
        notify: @escaping @Sendable (DispatchNotice) -> Void,
        reached: @escaping @Sendable () -> Void
    ) {
        self.settings = settings
        self.destination = destination
        self.progress = progress
        self.outbox = outbox
        self.supply = supply
        self.clock = clock
        self.device = device
        self.isSilent = isSilent
        self.notify = notify
        self.reached = reached
        schedule = DispatchSchedule(settings.schedule)
    }

    // MARK: - What happens

    /// Something waits; call it from anywhere, as often as you like.
    nonisolated func noteWaiting() {
        guard !hasNews.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { await self.process(.waiting) }
    }

    /// Passes an event on to the schedule, and sets the alarm that follows from it.
    func process(_ input: DispatchSchedule.Input) {
        setCutoff()
        schedule.process(input, at: clock.bootMilliseconds())
        setAlarm()
    }

    /// Sets the schedule's next cutoff, as far as it is known what time it is.
    private func setCutoff() {
        guard let cutoff = settings.cutoff, let now = clock.confirmedTime() else { return }
        let left = cutoff.next(after: now).millisecondsSince1970 - now.millisecondsSince1970
        schedule.process(.cutoff(clock.bootMilliseconds() + left), at: clock.bootMilliseconds())
    }

    /// Sends everything that waits, now; the pause after a failure is cut short, the interval stays as it is.
    func dispatch() async -> DispatchCompletion {
        retry.allowNow()
        destination.hurry()
        return await send(upTo: .max, until: .max)
    }

    /// Sends at once what somebody had to do something about, which is done now; not what is sent only on demand.
    func retryMended() async {
        guard failure?.needsMending == true, !schedule.settings.isManual else { return }
        _ = await dispatch()
    }

    /// Sends the next batch.
    func dispatchNext() async -> DispatchCompletion {
        retry.allowNow()
        destination.hurry()
        return await send(upTo: 1, until: .max)
    }

    /// Sends until nothing waits, something fails, or a moment of the boot clock.
    func drain(until deadline: Int64) async -> DispatchCompletion {
        retry.allowNow()
        let deadlineTimer = Task {
            // The millisecond that has begun counts as over.
            try? await Task.sleep(for: .milliseconds(max(0, deadline - clock.bootMilliseconds()) + 1))  // Cancelled: nobody waits.
            if !Task.isCancelled { state.run?.cancel() }
        }
        defer { deadlineTimer.cancel() }
        return await send(upTo: .max, until: deadline)
    }

    func setPaused(_ isPaused: Bool) async throws(OutboxError) {
        try await outbox.setPaused(isPaused, settings.name)
        progress.isPaused = isPaused
        if isPaused { state.run?.cancel() }
        setAlarm()
    }

    /// Sends nothing any more, or begins again.
    func setSilent(_ isSilent: Bool) {
        self.isSilent = isSilent
        if isSilent { state.run?.cancel() }
        setAlarm()
    }

    /// Sends nothing until it is resumed, once for each time; nothing is on its way when this returns.
    func suspend() async {
        suspensionCount += 1
        state.run?.cancel()
        _ = await state.run?.value
    }

    /// Goes on, with what waits now.
    func resume() async throws(OutboxError) {
        // Suspended until it knows: what was settled by the old progress would jump over what was brought.
        defer {
            suspensionCount -= 1
            setAlarm()
        }
        try await reload()
    }

    /// Forgets what was read: somebody changed the queue.
    func reload() async throws(OutboxError) {
        _ = await state.run?.value
        reading = Reading()
        progress = try await outbox.state(of: settings.name)
        hasNews.store(false, ordering: .releasing)
        noteWaiting()
    }

    /// Ends what is on its way; what was not confirmed is sent again in the next run.
    func stop() async {
        state.stop()
        _ = await state.run?.value
    }

    func status() async throws(OutboxError) -> DestinationStatus {
        let progress = try await outbox.state(of: settings.name)
        var positionCount: Int? = 0
        if settings.sendsPositions {
            do throws(PositionSupplyError) { positionCount = try await supply.count(waitingFor: progress) } catch { positionCount = nil }
        }
        let now = clock.bootMilliseconds()
        let failing = failure.map { now - $0.since }
        let isStalled = (failing ?? 0) >= stallMilliseconds && (positionCount != 0 || progress.waitingEventCount > 0)
        return DestinationStatus(
            state: progress, isSending: state.run != nil, isOnDemand: schedule.settings.isManual, failure: failure?.reason,
            needsMending: failure?.needsMending ?? false,
            failingMilliseconds: failing, isStalled: isStalled,
            nextAttemptMilliseconds: state.alarm.map { max(0, $0.moment - now) }, lastReceiptMilliseconds: lastReceipt.map { now - $0 },
            waitingPositionCount: positionCount)
    }

    /// So long without a receipt is more than a gap in the network.
    private var stallMilliseconds: Int64 { max(60_000, min(settings.schedule.intervalMilliseconds, .max / 2) * 2) }

    // MARK: - The alarm

    /// When it sends next by itself; nil when nothing waits, something forbids it, or only on demand.
    private var nextAttempt: Int64? {
        guard obstacle == nil, !schedule.settings.isManual, let wake = schedule.wake else { return nil }
        // After a failure the retry's moment counts, sooner or later than the interval's.
        if let notBefore = retry.notBefore, notBefore > clock.bootMilliseconds() { return notBefore }
        return wake
    }

    private func setAlarm() {
        let moment = nextAttempt
        guard moment != state.alarm?.moment else { return }
        state.setAlarm(
            moment.map { moment in
                let wait = max(0, moment - clock.bootMilliseconds())
                // A second more or less wakes nobody for it alone.
                let tolerance = min(1_000, wait / 10)
                return Alarm(
                    moment: moment,
                    task: Task {
                        try? await Task.sleep(for: .milliseconds(wait), tolerance: .milliseconds(tolerance))  // Cancelled: see below.
                        if !Task.isCancelled { await self.ring(moment) }
                    })
            })
    }

    private func ring(_ moment: Int64) async {
        guard state.alarm?.moment == moment else { return }
        state.noteRing()
        _ = await send(upTo: .max, until: .max)
    }

    // MARK: - Sending

    /// One run at a time; who calls meanwhile waits for it and then gets their own.
    ///
    /// A caller that is cancelled waits no longer, and what it has begun ends: what has no receipt is sent again.
    private func send(upTo batchCount: Int, until deadline: Int64) async -> DispatchCompletion {
        while case let mark = waitingForRun.mark, state.run != nil {
            guard await waitingForRun.wait(since: mark) else { return .error(settings.name, "cancelled") }
            // It was ended at this caller's deadline, and the next one may have begun already.
            guard clock.bootMilliseconds() < deadline else { return .error(settings.name, "the time was over before it was sent") }
        }
        if let obstacle { return .error(settings.name, obstacle) }
        let run = Task {
            let completion = await self.run(upTo: batchCount, until: deadline)
            // Before anybody hears of its end: who waits for it would find it still there, and never let go of the actor.
            state.endRun()
            waitingForRun.resumeAll()
            setAlarm()
            return completion
        }
        state.begin(run)
        return await withTaskCancellationHandler {
            await run.value
        } onCancel: {
            run.cancel()
        }
    }

    /// Why nothing is sent, whoever asks; nil when it can be.
    private var obstacle: String? {
        if state.isStopped { return "the tracker ends" }
        if progress.isPaused { return "paused; resume with waypost dispatch resume --to \(settings.name)" }
        if isSilent { return "nothing is sent while private mode or opt_out is on; see waypost private and [dispatch] opt_out" }
        return suspensionCount > 0 ? "what waits is being changed; try again" : nil
    }

    private func run(upTo batchCount: Int, until deadline: Int64) async -> DispatchCompletion {
        var sentBatches = 0
        var ending = RunEnding.sent
        var isFirst = true
        attempts: while sentBatches < batchCount, clock.bootMilliseconds() < deadline, !Task.isCancelled, !state.isStopped {
            if isFirst || hasNews.load(ordering: .acquiring) { noteMore() }
            isFirst = false
            ending = await sendNext()
            switch ending {
            case .sent: sentBatches += 1
            case .refused, .skipped: continue
            case .empty, .dryRun, .failed, .denied: break attempts
            }
        }
        return finish(ending, sentBatches: sentBatches)
    }

    /// There may be more in every lane: while a month goes out, new positions and events come, and go first.
    private func noteMore() {
        // What comes from here on is news again.
        hasNews.store(false, ordering: .releasing)
        for lane in reading.queues.keys { reading.queues[lane]?.noteMore() }
    }

    private func finish(_ ending: RunEnding, sentBatches: Int) -> DispatchCompletion {
        let now = clock.bootMilliseconds()
        var completion = sentBatches > 0 ? DispatchCompletion.good : .noData
        switch ending {
        case .sent, .skipped, .refused: break
        case .empty:
            schedule.process(.empty, at: now)
            // It may have come while the last batch was on its way.
            if hasNews.load(ordering: .acquiring) { schedule.process(.waiting, at: now) }
        case .dryRun(let count):
            notify(.dryRun(destination: settings.name, count: count))
        case .failed(let reason, let isUnreachable, let retryAfter):
            // A cancelled one was not the server's fault.
            if !Task.isCancelled { retry.process(.temporary(retryAfter: retryAfter), at: now, using: &generator) }
            fail(reason, needsMending: false)
            completion = .error(settings.name, reason)
            if isUnreachable { completion.word = .noData }
        case .denied(let reason):
            retry.process(.denied, at: now, using: &generator)
            fail(reason, needsMending: true)
            completion = .error(settings.name, reason)
        }
        setCutoff()
        schedule.process(.attempted, at: now)
        if sentBatches > 0 { reached() }
        return completion
    }

    private func fail(_ reason: String, needsMending: Bool) {
        // A cancelled one was not the server's fault.
        guard !Task.isCancelled, !state.isStopped else { return }
        if failure?.reason != reason { notify(.failing(destination: settings.name, reason: reason, needsMending: needsMending)) }
        failure = Failure(reason: reason, needsMending: needsMending, since: failure?.since ?? clock.bootMilliseconds())
    }

    /// Notes that the server has taken something, and that this is kept: what cannot be kept is sent again, and not every second.
    func noteReceipt() {
        retry.process(.reached, at: clock.bootMilliseconds(), using: &generator)
        lastReceipt = clock.bootMilliseconds()
        if failure != nil {
            failure = nil
            notify(.recovered(destination: settings.name))
        }
    }

    /// Keeps what became of records, and goes on from there once the outbox has it.
    func settle(_ settlement: Settlement) async throws(OutboxError) {
        var positions = progress.positions
        positions.settle(settlement.lane, through: settlement.through)
        let known = progress.settledAhead(in: settlement.lane)
        var ahead = known
        for stretch in settlement.settled.stretches { ahead.insert(stretch) }
        if settlement.lane == .events {
            ahead.forget(through: max(progress.eventCursor, settlement.through))
        } else {
            ahead.forget(settledBy: positions)
        }
        do throws(OutboxError) {
            try await outbox.settle(
                settlement, positions == progress.positions ? nil : positions, ahead == known ? nil : ahead, for: settings.name)
        } catch {
            // What was settled is not: it is read and sent again, under its ids.
            reading.queues[settlement.lane] = nil
            throw error
        }
        progress.positions = positions
        if settlement.lane == .events { progress.settledEvents = ahead } else { progress.settledPositions = ahead }
        // Behind a stretch that is done another one begins.
        if settlement.lane == .history, reading.queues[.history]?.items.isEmpty == true { reading.queues[.history] = nil }
        switch settlement.lane {
        case .events: progress.eventCursor = max(progress.eventCursor, settlement.through)
        case .live: progress.liveSequence += settlement.count
        case .history: progress.historySequence += settlement.count
        }
        if let last = settlement.refused.last {
            notify(.buried(destination: settings.name, count: settlement.refused.count, reason: last.reason))
        }
    }

    /// Leaves positions for later, so that the newest go first.
    func leaveForLater(through number: UInt64) async throws(OutboxError) {
        var positions = progress.positions
        positions.leaveForLater(through: number)
        try await outbox.keep(positions, for: settings.name)
        progress.positions = positions
        reading.queues[.live] = nil
        reading.queues[.history]?.noteMore()
    }
}
