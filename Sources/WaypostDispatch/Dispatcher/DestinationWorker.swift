import Synchronization
import Waypost
import WaypostSystem

/// Serves one destination: wakes when it is due, sends the waiting records, and keeps their fate.
///
/// Nothing runs while nothing waits: a new record sets an alarm, and an empty queue has none.
actor DestinationWorker {
    let settings: DestinationSettings
    let destination: any Destination
    let outbox: Outbox
    let supply: any PositionSupply
    /// The positions that cannot be read in this run, in order: they are left for a later one.
    let absent: [PositionCursor.Stretch]
    let clock: DispatchClock
    let device: String
    let notify: @Sendable (DispatchNotice) -> Void
    private let reached: @Sendable () -> Void

    private(set) var state = State.idle(next: nil)
    private let waitingForRun = WaitingTasks()
    /// Whether there are new waiting records that no run has looked at yet.
    private let hasNews = Atomic(false)
    /// The time of day minus the boot clock for which the cutoff is planned, milliseconds; `.min` while the time is unknown.
    private let plannedOffset = Atomic(Int64.min)
    private(set) var schedule: DispatchSchedule
    var retry = RetryRule()
    var generator = SystemRandomNumberGenerator()
    /// Whether sending is switched off altogether.
    private var silence: Silence?
    /// How many callers are changing the queue.
    private var suspensionCount = 0
    /// Why the run that is under way was ended from here.
    private var interruption: String?

    /// The destination's progress, as stored in the outbox.
    private(set) var progress: DestinationState
    var reading = Reading()
    var turns = SendingTurns()
    /// The ids of the records that are on their way.
    var inFlight: Set<String> = []
    var failure: Failure?
    var lastReceipt: Int64?
    /// The moment of the boot clock since which a batch is on its way; nil while none is.
    var attemptSince: Int64?
    /// When the last attempt began, if it brought no receipt.
    var vainAttempt: Int64?
    /// When the first attempt with records of a lane began, since which the server has accepted none of that lane.
    var vainSince: [DispatchLane: Int64] = [:]
    /// The attempt that was left behind because it did not end.
    var abandoned: AbandonableCall<DeliveryOutcome>?
    /// How many records the server has received since the worker was made.
    var receivedCount = 0
    /// How many it has refused for good since then, and why the last.
    var refused = Refused()

    init(
        _ destination: any Destination, _ settings: DestinationSettings, progress: DestinationState, outbox: Outbox,
        supply: any PositionSupply, absent: [PositionCursor.Stretch], clock: DispatchClock, device: String, silence: Silence?,
        notify: @escaping @Sendable (DispatchNotice) -> Void,
        reached: @escaping @Sendable () -> Void
    ) {
        self.settings = settings
        self.destination = destination
        self.progress = progress
        self.outbox = outbox
        self.supply = supply
        self.absent = absent
        self.clock = clock
        self.device = device
        self.silence = silence
        self.notify = notify
        self.reached = reached
        schedule = DispatchSchedule(settings.schedule)
    }

    // MARK: - Inputs

    /// A record waits; call it from anywhere, as often as you like.
    nonisolated func noteWaiting() {
        guard !hasNews.exchange(true, ordering: .acquiringAndReleasing) else { return noteTime() }
        Task { await self.process(.waiting) }
    }

    /// The time of day may have become known, or have changed, since the cutoff was planned; call it from anywhere, as often as you like.
    nonisolated func noteTime() {
        guard settings.cutoff != nil, let now = clock.confirmedTime() else { return }
        let (offset, planned) = (now.millisecondsSince1970 - clock.bootMilliseconds(), plannedOffset.load(ordering: .acquiring))
        guard planned == .min || abs(offset - planned) > DestinationWorker.offsetTolerance else { return }
        Task { await self.planCutoff() }
    }

    private func planCutoff() {
        setCutoff()
        setAlarm()
    }

    /// The times of fixes differ from each other by less, milliseconds.
    private static let offsetTolerance: Int64 = 2_000

    /// Passes an input to the schedule, and sets the resulting alarm.
    func process(_ input: DispatchSchedule.Input) {
        setCutoff()
        schedule.process(input, at: clock.bootMilliseconds())
        setAlarm()
    }

    /// Sets the schedule's next cutoff, if the time of day is known.
    private func setCutoff() {
        guard let cutoff = settings.cutoff, let now = clock.confirmedTime() else { return }
        let moment = clock.bootMilliseconds()
        plannedOffset.store(now.millisecondsSince1970 - moment, ordering: .releasing)
        let left = cutoff.next(after: now).millisecondsSince1970 - now.millisecondsSince1970
        schedule.process(.cutoff(moment + left), at: moment)
    }

    /// Sends everything that waits, now; ends the pause after a failure, but leaves the interval as it is.
    func dispatch() async -> DispatchCompletion {
        allowNow()
        return await send(upTo: .max, until: .max)
    }

    /// Sends at once after a problem that needed a person has been fixed; a destination that sends only on demand does not.
    func retryMended() async {
        guard failure?.needsMending == true, !schedule.settings.isManual else { return }
        _ = await dispatch()
    }

    /// Sends the next batch.
    func dispatchNext() async -> DispatchCompletion {
        allowNow()
        return await send(upTo: 1, until: .max)
    }

    private func allowNow() {
        retry.allowNow()
        turns.forgetFailures()
        destination.hurry()
    }

    /// Sends until nothing waits, something fails, or a moment of the boot clock is reached.
    func drain(until deadline: Int64) async -> DispatchCompletion {
        retry.allowNow()
        let sending = Task { await send(upTo: .max, until: deadline) }
        let deadlineTimer = Task {
            // The current millisecond counts as over.
            try? await Task.sleep(for: .milliseconds(max(0, deadline - clock.bootMilliseconds()) + 1))  // Cancelled: no caller waits.
            // A run that somebody else has asked for goes on.
            if !Task.isCancelled { sending.cancel() }
        }
        defer { deadlineTimer.cancel() }
        return await withTaskCancellationHandler(operation: { await sending.value }, onCancel: { sending.cancel() })
    }

    /// Pauses or continues, as the outbox has it.
    func notePaused(_ isPaused: Bool) {
        progress.isPaused = isPaused
        if isPaused { interrupt("it was paused meanwhile; try again") }
        setAlarm()
    }

    /// Switches sending off or on.
    func setSilence(_ silence: Silence?) {
        self.silence = silence
        if silence != nil { interrupt("sending was switched off meanwhile; try again") }
        setAlarm()
    }

    /// Ends the run that is under way, which says why.
    private func interrupt(_ reason: String) {
        interruption = reason
        state.run?.cancel()
    }

    /// Sends nothing until it is resumed as many times as it was suspended; nothing is on its way when this returns.
    func suspend() async {
        suspensionCount += 1
        interrupt("what waits was changed meanwhile; try again")
        _ = await state.run?.value
    }

    /// Continues, with the records that wait now.
    func resume() async throws(OutboxError) {
        // It stays suspended until it knows the new progress: settling by the old one would skip the records that were added.
        defer {
            suspensionCount -= 1
            setAlarm()
        }
        try await reload()
    }

    /// Forgets the records that were read, because the queue was changed.
    func reload() async throws(OutboxError) {
        _ = await state.run?.value
        reading = Reading()
        progress = try await outbox.state(of: settings.name)
        hasNews.store(false, ordering: .releasing)
        noteWaiting()
    }

    /// Cancels the run that is under way; unconfirmed records are sent again in the next run.
    func stop() async {
        state.stop()
        _ = await state.run?.value
    }

    // MARK: - The alarm

    /// When it sends next by itself; nil when nothing waits, there is an obstacle, or it sends only on demand.
    private var nextAttempt: Int64? {
        guard obstacle == nil, !schedule.settings.isManual, let wake = schedule.wake else { return nil }
        // After a failure the moment of the retry counts, whether it is earlier or later than the interval's.
        if let notBefore = retry.notBefore, notBefore > clock.bootMilliseconds() { return notBefore }
        return wake
    }

    private func setAlarm() {
        let moment = nextAttempt
        guard moment != state.alarm?.moment else { return }
        state.setAlarm(
            moment.map { moment in
                let wait = max(0, moment - clock.bootMilliseconds())
                // With a tolerance of up to a second, so that this alarm alone does not wake the machine.
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
        _ = await send(upTo: .max, until: .max, isAsked: false)
    }

    // MARK: - Sending

    /// One run at a time; later callers wait for it and then get their own.
    ///
    /// A run is for what waits when it is asked for; one that nobody asks for, for what waits when it begins. A cancelled caller no longer
    /// waits, and its run ends: records without a receipt are sent again.
    private func send(upTo batchCount: Int, until deadline: Int64, isAsked: Bool = true) async -> DispatchCompletion {
        let asked = isAsked ? await newestWaiting() : nil
        while case let mark = waitingForRun.mark, state.run != nil {
            let isMyTurn = await waitingForRun.wait(since: mark)
            guard clock.bootMilliseconds() < deadline else { return .error(settings.name, DestinationWorker.timeIsOver) }
            guard isMyTurn else { return .error(settings.name, "cancelled") }
        }
        if let obstacle { return .error(settings.name, obstacle) }
        interruption = nil
        let run = Task {
            let completion = await self.run(upTo: batchCount, through: asked, until: deadline)
            // Before any waiting caller resumes: it would find the run still there, and block the actor.
            state.endRun()
            waitingForRun.resumeAll()
            setAlarm()
            return completion
        }
        state.begin(run)
        return await withTaskCancellationHandler(operation: { await run.value }, onCancel: { run.cancel() })
    }

    /// Why nothing is sent, even on demand; nil when there is no obstacle.
    private var obstacle: String? {
        if state.isStopped { return "sending has ended" }
        if progress.isPaused { return "paused; resume with waypost dispatch resume --to \(settings.name)" }
        if let silence { return "nothing is sent while \(silence.words)" }
        return suspensionCount > 0 ? "what waits is being changed; try again" : nil
    }

    /// Sends until the records up to the newest that waited are settled; what came since goes first, but only every second time, so that it ends.
    ///
    /// - Parameter asked: the newest that waited when somebody asked for the run; nil for those that wait now.
    private func run(upTo batchCount: Int, through asked: NewestWaiting?, until deadline: Int64) async -> DispatchCompletion {
        let newest = if let asked { asked } else { await newestWaiting() }
        var sentBatches = 0
        var ending = RunEnding.sent
        var takesNews = true
        let (before, refusedBefore) = (receivedCount, refused.count)
        vainAttempt = nil
        attempts: while sentBatches < batchCount, clock.bootMilliseconds() < deadline, !Task.isCancelled, !state.isStopped {
            if takesNews { noteMore() }
            ending = await sendNext(through: takesNews ? nil : newest)
            takesNews = !takesNews && (hasNews.load(ordering: .acquiring) || reading.hasEvents(after: newest))
            switch ending {
            case .sent: sentBatches += 1
            case .refused, .skipped: continue
            case .empty, .dryRun, .failed, .denied: break attempts
            }
        }
        var completion = finish(ending, sentBatches: sentBatches)
        if Task.isCancelled, let reason = whyInterrupted(ending, by: deadline) { completion = .error(settings.name, reason) }
        if receivedCount > before { completion.receipts = [.init(destination: settings.name, count: receivedCount - before)] }
        if refused.count > refusedBefore { completion.note(refused.failure(of: settings.name, since: refusedBefore)) }
        return completion
    }

    /// Why a run was ended before all was sent; nil when all was, or its caller has gone.
    private func whyInterrupted(_ ending: RunEnding, by deadline: Int64) -> String? {
        if case .empty = ending { return nil }
        return obstacle ?? interruption ?? (clock.bootMilliseconds() < deadline ? nil : DestinationWorker.timeIsOver)
    }

    /// There may be more in every lane: while a month's positions go out, new positions and events come, and go first.
    private func noteMore() {
        // Records that come from here on count as new again.
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
            // It may have come while the last batches were on their way.
            if hasNews.load(ordering: .acquiring) || reading.hasItems { schedule.process(.waiting, at: now) }
        case .dryRun(let count):
            notify(.dryRun(destination: settings.name, count: count))
        case .failed(let reason, let isUnreachable, let retryAfter):
            // A cancelled attempt is not the server's fault.
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

    /// Stores the fate of records, and continues from there once the outbox has stored it.
    func settle(_ settlement: Settlement) async throws(OutboxError) {
        var positions = progress.positions
        positions.settle(settlement.lane, through: settlement.through, besides: absent)
        let known = progress.settledAhead(in: settlement.lane)
        var ahead = known
        for stretch in settlement.settled.stretches { ahead.insert(stretch) }
        if settlement.lane == .events {
            ahead.forget(through: max(progress.eventCursor, settlement.through))
        } else {
            ahead.forget(settledBy: positions)
        }
        try await outbox.settle(
            settlement, positions == progress.positions ? nil : positions, ahead == known ? nil : ahead, for: settings.name)
        receivedCount += settlement.sentCount
        progress.positions = positions
        if settlement.lane == .events { progress.settledEvents = ahead } else { progress.settledPositions = ahead }
        // After a finished stretch another one begins.
        let lane = settlement.lane
        if lane == .history || lane == .live && !absent.isEmpty, reading.queues[lane]?.items.isEmpty == true { reading.queues[lane] = nil }
        switch settlement.lane {
        case .events: progress.eventCursor = max(progress.eventCursor, settlement.through)
        case .live: progress.liveSequence += settlement.count
        case .history: progress.historySequence += settlement.count
        }
        if let last = settlement.refused.last {
            noteRefused(settlement.refused.count, reason: last.reason)
            notify(.buried(destination: settings.name, count: settlement.refused.count, reason: last.reason))
        }
    }

    /// Leaves positions for later, so that the newest are sent first.
    func leaveForLater(through number: UInt64) async throws(OutboxError) {
        var positions = progress.positions
        positions.leaveForLater(through: number)
        try await outbox.keep(positions, for: settings.name)
        progress.positions = positions
        reading.queues[.live] = nil
        reading.queues[.history]?.noteMore()
    }
}
