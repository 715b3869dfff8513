import Waypost
import WaypostSystem

/// Sends what waits to every destination, each at its own pace; what one cannot take holds up no other.
///
/// ```swift
/// let dispatcher = Dispatcher(outbox: outbox, supply: log, device: "van-7") { notice in tell(notice) }
/// try await dispatcher.attach(destination, DestinationSettings(name: "home", schedule: .init(phaseOf: "van-7 home")))
/// try await dispatcher.accept([.track(call)])     // on the disk when it returns, sent when the destination is due
/// dispatcher.noteWaiting()                        // positions were logged
/// await dispatcher.stop()
/// ```
/// One that nobody holds any more sends nothing, as after ``stop()``.
/// - Concurrency: an actor; destinations send at the same time, each one batch after the other.
public actor Dispatcher {
    /// What waits.
    public nonisolated let outbox: Outbox
    let supply: any PositionSupply
    let clock: DispatchClock
    private let device: String
    private let notify: @Sendable (DispatchNotice) -> Void
    private nonisolated let workers = Monitor<[DestinationWorker]>([])
    private var isSilent = false

    /// A dispatcher without destinations.
    ///
    /// - Parameters:
    ///   - outbox: keeps what waits.
    ///   - supply: gives the positions of the log.
    ///   - device: the name of this device, the same for ever.
    ///   - clock: tells how old a record is.
    ///   - notify: is told what people should hear of; from any thread.
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
        // Their timers hold them.
        for worker in workers.withLock({ $0 }) { Task.detached { await worker.stop() } }
    }

    /// Serves a destination from now on: one that is known by its name goes on where it was, a new one begins with what comes from now on.
    ///
    /// - Parameters:
    ///   - destination: where records are sent.
    ///   - settings: its name, and when and how much is sent.
    ///   - number: the number of the log's newest position when this run began, if that was before: a new destination begins behind it.
    /// - Errors: the outbox's; `cannotAccess`, too, when the log cannot be read.
    public func attach(
        _ destination: any Destination, _ settings: DestinationSettings, after number: UInt64? = nil
    ) async throws(OutboxError) {
        let newest: UInt64
        if let number { newest = number } else { newest = try await newestPosition() }
        let progress = try await outbox.attach(settings.name, newestPosition: newest, takesPositions: settings.sendsPositions)
        let worker = DestinationWorker(
            destination, settings, progress: progress, outbox: outbox, supply: supply, clock: clock, device: settings.device ?? device,
            isSilent: try await outbox.isOptedOut() || isSilent, notify: notify
        ) { [weak self] in self?.noteReached(settings.name) }
        workers.withLock { $0.append(worker) }
        // What an earlier run left.
        worker.noteWaiting()
    }

    /// Takes that all configured destinations are attached.
    ///
    /// Others, attached later, begin with what comes from then on, even if the outbox was damaged.
    public nonisolated func finishAttaching() async throws(OutboxError) { try await outbox.forgetDamage() }

    /// Takes entries for all destinations; they are on the disk when it returns.
    ///
    /// - Parameters:
    ///   - entries: what is to be sent, in that order.
    ///   - number: up to which number of the log every event of it is taken with these; nil when they say nothing of that.
    public nonisolated func accept(_ entries: [OutboxEntry], loggedThrough number: UInt64? = nil) async throws(OutboxError) {
        try await outbox.accept(entries, loggedThrough: number)
        noteWaiting()
    }

    /// The attached destinations that will not get an entry, as what they speak has no word for it as it is, each with the reason for people.
    public nonisolated func withoutWord(for entry: OutboxEntry) -> [(name: String, reason: String)] {
        let record = DispatchRecord(id: entry.id, lane: .events, sequence: 0, age: nil, content: entry.content)
        return attached.compactMap { worker in
            worker.destination.obstacle(to: record).map { (worker.settings.name, $0) }
        }
    }

    /// Takes that positions were logged, so that something waits.
    ///
    /// Cheap; for every fix.
    public nonisolated func noteWaiting() {
        for worker in workers.withLock({ $0 }) { worker.noteWaiting() }
    }

    /// Sets by which moment of the boot clock everything must be sent; nil for none.
    public nonisolated func setCutoff(_ moment: Int64?) async {
        for worker in workers.withLock({ $0 }) { await worker.process(.cutoff(moment)) }
    }

    private nonisolated func noteReached(_ name: String) {
        for worker in workers.withLock({ $0 }) where worker.settings.name != name { Task { await worker.process(.reachedOther) } }
    }

    // MARK: - On demand

    /// Sends everything that waits for a destination, or for all; intervals stay as they are.
    ///
    /// When the caller's task is cancelled, what it has begun ends soon; what has no receipt by then is sent again later. The same holds for
    /// the next two.
    public func dispatch(_ name: String? = nil) async throws(OutboxError) -> DispatchCompletion {
        await forEach(try chosen(name)) { await $0.dispatch() }
    }

    /// Sends the next batch of a destination, or of all.
    public func dispatchNext(_ name: String? = nil) async throws(OutboxError) -> DispatchCompletion {
        await forEach(try chosen(name)) { await $0.dispatchNext() }
    }

    /// Sends until nothing waits, something fails, or the time is over.
    public func drain(_ name: String? = nil, budget: Duration) async throws(OutboxError) -> DispatchCompletion {
        let deadline = clock.bootMilliseconds() + budget.milliseconds
        return await forEach(try chosen(name)) { await $0.drain(until: deadline) }
    }

    /// Tries a destination again that failed for something that has been mended since, such as a wrong password.
    ///
    /// Returns at once; one that does not fail, or is sent to only on demand, is left alone.
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
            completion.failures.sort { (order.firstIndex(of: $0.destination) ?? 0) < (order.firstIndex(of: $1.destination) ?? 0) }
            return completion
        }
    }

    // MARK: - Switches

    /// Pauses a destination or all, over restarts, or lets them go on.
    public func setPaused(_ isPaused: Bool, _ name: String? = nil) async throws(OutboxError) {
        for worker in try chosen(name) { try await worker.setPaused(isPaused) }
    }

    /// Opts out of sending, over restarts: what waits is dropped, nothing is taken.
    ///
    /// Or in again.
    public func setOptedOut(_ isOptedOut: Bool) async throws(OutboxError) {
        try await outbox.setOptedOut(isOptedOut, newestPosition: try await newestPosition())
        for worker in try chosen(nil) {
            await worker.setSilent(isOptedOut || isSilent)
            try await worker.reload()
        }
    }

    /// Holds all sending until it is told otherwise or this process ends, to destinations that are attached later, too; entries are taken,
    /// and wait.
    public func setSilent(_ isSilent: Bool) async {
        self.isSilent = isSilent
        let isOptedOut = (try? await outbox.isOptedOut()) ?? false  // An outbox that cannot be read sends nothing either.
        for worker in workers.withLock({ $0 }) { await worker.setSilent(isSilent || isOptedOut) }
    }

    /// Lets one dead letter, or those of a destination, or all, be sent once more; how many.
    public func retryDeadLetters(number: Int64? = nil, of name: String? = nil) async throws(OutboxError) -> Int {
        let count = try await outbox.retryDeadLetters(number: number, of: name)
        if count > 0 { try await reload() }
        return count
    }

    /// Reads the queue again, after the outbox was changed directly, by erasing or dropping.
    public func reload() async throws(OutboxError) {
        for worker in try chosen(nil) { try await worker.reload() }
    }

    /// The state of the destinations, in the order in which they were attached; then of those that were attached in earlier runs, by name.
    public func statuses() async throws(OutboxError) -> [DestinationStatus] {
        var statuses: [DestinationStatus] = []
        for worker in attached { statuses.append(try await worker.status()) }
        let names = Set(statuses.map(\.state.name))
        let others = try await outbox.destinations().filter { !names.contains($0.name) }
        for state in others {
            var positionCount: Int? = 0
            if state.takesPositions {
                do throws(PositionSupplyError) { positionCount = try await supply.count(waitingFor: state) } catch { positionCount = nil }
            }
            statuses.append(
                DestinationStatus(
                    state: state, isAttached: false, isSending: false, needsMending: false, waitingPositionCount: positionCount))
        }
        return statuses
    }

    /// Ends all sending; what has no receipt is sent again in the next run.
    public func stop() async {
        for worker in workers.withLock({ $0 }) { await worker.stop() }
        try? await outbox.checkpoint()  // What stays in its log is found there.
    }

    // MARK: - Parts

    /// Who serves the destinations, in the order in which they were attached.
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
