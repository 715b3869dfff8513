import Synchronization
import Waypost
import WaypostSystem

/// Sends the waiting records to every destination, each at its own pace; a failing destination holds up no other.
///
/// ```swift
/// let dispatcher = Dispatcher(outbox: outbox, supply: log, device: "van-7") { notice in tell(notice) }
/// try await dispatcher.attach(destination, DestinationSettings(name: "home", schedule: .init(phaseOf: "van-7 home")))
/// try await dispatcher.accept([.track(call)])     // on the disk when it returns, sent when the destination is due
/// dispatcher.noteWaiting()                        // positions were logged
/// await dispatcher.stop()
/// ```
/// A dispatcher without references sends nothing, as after ``stop()``.
/// - Concurrency: an actor; destinations send at the same time, each one batch after the other.
public actor Dispatcher {
    /// The outbox with the waiting records.
    public nonisolated let outbox: Outbox
    let supply: any PositionSupply
    package nonisolated let clock: DispatchClock
    private let device: String
    private let notify: @Sendable (DispatchNotice) -> Void
    private nonisolated let workers = Monitor<[DestinationWorker]>([])
    private var isSilent = false
    /// The positions that the supply does not have in this run, and that are kept for later ones.
    private var absent: [PositionCursor.Stretch] = []
    /// The names of destinations that are being attached.
    private var attaching: Set<String> = []
    private nonisolated let stopped = Mutex(false)

    /// A dispatcher without destinations.
    ///
    /// - Parameters:
    ///   - outbox: stores the waiting records.
    ///   - supply: supplies the positions of the log.
    ///   - device: the permanent name of this device.
    ///   - clock: measures the age of a record.
    ///   - notify: receives notices for people, on any thread.
    public init(
        outbox: Outbox, supply: any PositionSupply, device: String, clock: DispatchClock = .system,
        notify: @escaping @Sendable (DispatchNotice) -> Void = { _ in }
    ) {
        self.outbox = outbox
        self.supply = supply
        self.device = device
        self.clock = clock
        self.notify = notify
    }

    deinit {
        // Their timers keep them alive.
        for worker in workers.withLock({ $0 }) { Task.detached { await worker.stop() } }
    }

    /// Keeps positions for a later run that the supply does not have in this one; before a destination is attached.
    package func keepForLater(_ absent: [PositionCursor.Stretch]) {
        self.absent = SettledAhead(absent).stretches
    }

    /// Serves a destination from now on: one with a name that is known from before continues where it was, a new one begins with new records.
    ///
    /// To change a destination, ``detach(_:)`` the one of that name first.
    /// - Parameters:
    ///   - destination: where records are sent.
    ///   - settings: its name, and when and how much is sent.
    ///   - number: the number of the log's newest position when this run began, if that was before: a new destination begins after it.
    /// - Errors: the outbox's; `cannotAccess`, also when the log cannot be read; `alreadyAttached`.
    public func attach(
        _ destination: any Destination, _ settings: DestinationSettings, after number: UInt64? = nil
    ) async throws(OutboxError) {
        guard !attached.contains(where: { $0.settings.name == settings.name }), attaching.insert(settings.name).inserted else {
            throw .alreadyAttached(name: settings.name)
        }
        defer { attaching.remove(settings.name) }
        let newest: UInt64
        if let number { newest = number } else { newest = try await newestPosition() }
        let progress = try await outbox.attach(settings.name, newestPosition: newest, takesPositions: settings.sendsPositions)
        let worker = DestinationWorker(
            destination, settings, progress: progress, outbox: outbox, supply: supply, absent: absent, clock: clock,
            device: settings.device ?? device,
            silence: .init(isPrivate: isSilent, isOptedOut: try await outbox.isOptedOut()), notify: notify
        ) { [weak self] in self?.noteReached(settings.name) }
        workers.withLock { $0.append(worker) }
        // Records from an earlier run.
        worker.noteWaiting()
    }

    /// Notes that all configured destinations are attached.
    ///
    /// Others, attached later, begin with new records, even if the outbox was damaged. Those of earlier runs that are not attached keep what
    /// waits for them and get nothing more.
    /// - Parameter number: the number of the log's newest position when this run began, if that was before.
    public func finishAttaching(after number: UInt64? = nil) async throws(OutboxError) {
        try await outbox.forgetDamage()
        let newest: UInt64
        if let number { newest = number } else { newest = try await newestPosition() }
        try await outbox.close(except: Set(attached.map(\.settings.name)), newestPosition: newest)
    }

    /// Detaches a destination that was removed from the configuration: nothing more is sent to it, and what waits for it stays.
    public func detach(_ name: String) async {
        let removed = workers.withLock { workers in
            defer { workers.removeAll { $0.settings.name == name } }
            return workers.filter { $0.settings.name == name }
        }
        for worker in removed { await worker.stop() }
    }

    /// Accepts entries for all destinations; they are on the disk when it returns.
    ///
    /// - Parameters:
    ///   - entries: the entries to send, in that order.
    ///   - number: up to which number of the log every event is accepted with these; nil when they do not cover the log.
    public nonisolated func accept(_ entries: [OutboxEntry], loggedThrough number: UInt64? = nil) async throws(OutboxError) {
        try await outbox.accept(entries, loggedThrough: number)
        noteWaiting()
    }

    /// The attached destinations that will not get an entry, each with the reason for people: their format cannot express it, or sending is
    /// switched off (``setOptedOut(_:)``).
    public nonisolated func withoutWord(for entry: OutboxEntry) async throws(OutboxError) -> [(name: String, reason: String)] {
        if try await outbox.isOptedOut() { return attached.map { ($0.settings.name, DestinationWorker.Silence.optedOut.words) } }
        let record = DispatchRecord(id: entry.id, lane: .events, sequence: 0, age: nil, content: entry.content)
        return attached.compactMap { worker in
            worker.destination.obstacle(to: record).map { (worker.settings.name, $0) }
        }
    }

    /// Notes that positions were logged and now wait.
    ///
    /// It is cheap enough to call at every fix.
    public nonisolated func noteWaiting() {
        for worker in workers.withLock({ $0 }) { worker.noteWaiting() }
    }

    /// Notes that the time of day may have become known, or may have changed: what is due by it (`cutoff`) is planned anew.
    ///
    /// ``noteWaiting()`` does the same. It is cheap, and needed only where the time may come from elsewhere than from what is sent.
    package nonisolated func noteTime() {
        for worker in workers.withLock({ $0 }) { worker.noteTime() }
    }

    /// Sets the moment of the boot clock by which everything must be sent; nil for none.
    public nonisolated func setCutoff(_ moment: Int64?) async {
        for worker in workers.withLock({ $0 }) { await worker.process(.cutoff(moment)) }
    }

    private nonisolated func noteReached(_ name: String) {
        for worker in workers.withLock({ $0 }) where worker.settings.name != name { Task { await worker.process(.reachedOther) } }
    }

    // MARK: - On demand

    /// Sends everything that waits for one destination, or for all; intervals stay as they are.
    ///
    /// When the caller's task is cancelled, the run it has started ends soon; records without a receipt by then are sent again later. The same
    /// applies to the next two.
    public func dispatch(_ name: String? = nil) async throws(OutboxError) -> DispatchCompletion {
        await forEach(try chosen(name)) { await $0.dispatch() }
    }

    /// Sends the next batch of one destination, or of all.
    public func dispatchNext(_ name: String? = nil) async throws(OutboxError) -> DispatchCompletion {
        await forEach(try chosen(name)) { await $0.dispatchNext() }
    }

    /// Sends until nothing waits, something fails, or the time is over, of which a second is the least.
    public func drain(_ name: String? = nil, budget: Duration) async throws(OutboxError) -> DispatchCompletion {
        let deadline = clock.bootMilliseconds() + max(budget.milliseconds, 1_000)
        return await forEach(try chosen(name)) { await $0.drain(until: deadline) }
    }

    /// Tries a destination again after the cause of its failure, such as a wrong password, has been fixed.
    ///
    /// Returns at once; a destination without a failure, or one that sends only on demand, is left alone.
    package nonisolated func retryMended(_ name: String) {
        for worker in attached where worker.settings.name == name { Task { await worker.retryMended() } }
    }

    private func forEach(
        _ workers: [DestinationWorker], _ body: @escaping @Sendable (DestinationWorker) async -> DispatchCompletion
    ) async -> DispatchCompletion {
        await withTaskGroup { group in
            for worker in workers { group.addTask { await body(worker) } }
            var completion = DispatchCompletion.noData
            for await ending in group { completion = completion.joined(with: ending) }
            let order = workers.map(\.settings.name)
            func place(_ name: String) -> Int { order.firstIndex(of: name) ?? 0 }
            completion.failures.sort { place($0.destination) < place($1.destination) }
            completion.receipts.sort { place($0.destination) < place($1.destination) }
            return completion
        }
    }

    // MARK: - Switches

    /// Pauses one destination or all, or lets them continue; the setting survives restarts, and what is refused changes none of them.
    public func setPaused(_ isPaused: Bool, _ name: String? = nil) async throws(OutboxError) {
        let workers = try chosen(name)
        try await outbox.setPaused(isPaused, workers.map(\.settings.name))
        for worker in workers { await worker.notePaused(isPaused) }
    }

    /// Opts out of sending, or in again; the setting survives restarts.
    ///
    /// After opting out, waiting records are dropped and new ones are not accepted.
    public func setOptedOut(_ isOptedOut: Bool) async throws(OutboxError) {
        try await outbox.setOptedOut(isOptedOut, newestPosition: try await newestPosition())
        for worker in try chosen(nil) {
            await worker.setSilence(.init(isPrivate: isSilent, isOptedOut: isOptedOut))
            try await worker.reload()
        }
    }

    /// Suspends all sending until it is switched on again or this process ends, also to destinations that are attached later; entries are
    /// accepted, and wait.
    public func setSilent(_ isSilent: Bool) async {
        self.isSilent = isSilent
        let isOptedOut = (try? await outbox.isOptedOut()) ?? false  // An unreadable outbox sends nothing either.
        for worker in workers.withLock({ $0 }) { await worker.setSilence(.init(isPrivate: isSilent, isOptedOut: isOptedOut)) }
    }

    /// Schedules one dead letter, or those of one destination, or all, for another attempt; returns how many.
    public func retryDeadLetters(number: Int64? = nil, of name: String? = nil) async throws(OutboxError) -> Int {
        let count = try await outbox.retryDeadLetters(number: number, of: name)
        if count > 0 { try await reload() }
        return count
    }

    /// Reads the queue again, after the outbox was changed directly, by erasing or dropping.
    public func reload() async throws(OutboxError) {
        for worker in try chosen(nil) { try await worker.reload() }
    }

    /// The state of the destinations, in the order in which they were attached, followed by those of earlier runs, by name.
    public func statuses() async throws(OutboxError) -> [DestinationStatus] {
        var statuses: [DestinationStatus] = []
        for worker in attached { statuses.append(try await worker.status()) }
        let names = Set(statuses.map(\.state.name))
        let others = try await outbox.destinations().filter { !names.contains($0.name) }
        for state in others {
            let positionCount: Int?
            do throws(PositionSupplyError) { positionCount = try await supply.count(waitingFor: state) } catch { positionCount = nil }
            statuses.append(
                DestinationStatus(
                    state: state, isAttached: false, isSending: false, needsMending: false, waitingPositionCount: positionCount))
        }
        guard try await outbox.isOptedOut() else { return statuses }
        // Positions are only counted off when it is switched on again.
        for index in statuses.indices { (statuses[index].isOptedOut, statuses[index].waitingPositionCount) = (true, 0) }
        return statuses
    }

    /// Whether ``stop()`` was called.
    package nonisolated var isStopped: Bool { stopped.withLock { $0 } }

    /// Ends all sending, and leaves the outbox to the next dispatcher; records without a receipt are sent again in the next run.
    public func stop() async {
        stopped.withLock { $0 = true }
        await withTaskGroup { group in
            for worker in workers.withLock({ $0 }) { group.addTask { await worker.stop() } }
        }
        await outbox.close()
    }

    // MARK: - Parts

    /// The workers of the destinations, in the order in which these were attached.
    nonisolated var attached: [DestinationWorker] { workers.withLock { $0 } }

    func newestPosition() async throws(OutboxError) -> UInt64 {
        do throws(PositionSupplyError) { return try await supply.newestNumber() } catch {
            throw .cannotAccess(path: "the log", reason: error.reason)
        }
    }

    private nonisolated func chosen(_ name: String?) throws(OutboxError) -> [DestinationWorker] {
        let all = workers.withLock { $0 }
        guard let name else { return all }
        let named = all.filter { $0.settings.name == name }
        guard !named.isEmpty else { throw .unknownDestination(name: name) }
        return named
    }
}
