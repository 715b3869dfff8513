import Synchronization
import Waypost
import WaypostSystem

/// Where the device is: runs one position source and tells everybody who wants to know.
///
/// ```swift
/// let manager = PositioningManager(source: GPSDSource())
/// await manager.start()
/// for await update in await manager.updates() { print(update) }
/// ```
/// - Concurrency: an actor; call it from anywhere. Updates reach consumers and listeners in the order of the source's events.
public actor PositioningManager {
    /// The source that is used.
    public nonisolated let source: any PositionSource

    /// The last fix, nil before the first, while the position is lost, and when stopped.
    public private(set) var rawPosition: Position?
    /// What the source says the other side is (`gpsd 3.22`), nil when it is not connected or has no other side.
    public private(set) var peer: String?
    /// How the members of a source made of others fare; empty for other sources.
    public private(set) var sourceMembers: [SourceMember] = []
    /// The last change from one member to another, and when (milliseconds of the monotonic clock).
    public private(set) var lastSwitch: (change: SourceSwitch, at: Int64)?
    /// The last view of the sky, nil when stopped.
    public private(set) var sky: SkyView?
    /// Why the position is lost, nil while it is not.
    public private(set) var lossReason: LossReason?

    private var consumers: [any PositioningConsumer] = []
    private var listeners: [Int: (continuation: AsyncStream<PositioningUpdate>.Continuation, drops: PositioningUpdates.Drops)] = [:]
    private var nextListener = 0
    private var rule = PositionLossRule()
    private var lastFixMilliseconds: Int64 = 0
    private var isDelivering = false
    private var running: Task<Void, Never>?
    /// Runs while there is a fix that can be lost: a tracker without a receiver sleeps.
    private var watchdog: Task<Void, Never>?
    /// The watchdog's loss while it is told: what the source says meanwhile is told after it.
    private var tellingLoss: Task<Void, Never>?
    private var failure: PositionSourceError?

    /// A manager that is not started.
    public init(source: any PositionSource) {
        self.source = source
    }

    /// The best position there is; the raw one while nothing is matched to roads.
    public var currentPosition: Position? { rawPosition }

    /// Whether the source runs.
    public var isRunning: Bool { running != nil }

    /// Starts the source; false when it runs already.
    @discardableResult
    public func start() -> Bool {
        guard running == nil else { return false }
        rule = PositionLossRule()
        failure = nil
        lastFixMilliseconds = MonotonicClock.milliseconds
        running = Task { [source] in
            do throws(PositionSourceError) {
                try await source.run { [weak self] event in await self?.process(event) }
            } catch {
                self.fail(error)
            }
        }
        return true
    }

    /// Stops the source and waits until it has ended; nothing is delivered afterwards.
    public func stop() async {
        guard let running else { return }
        running.cancel()
        await running.value
        watchdog?.cancel()
        // It may be telling a loss just now.
        await watchdog?.value
        self.running = nil
        rawPosition = nil
        sky = nil
        peer = nil
        lossReason = nil
        sourceMembers = []
    }

    /// Waits until the source has ended by itself or was stopped.
    ///
    /// - Errors: what made it impossible for the source to run.
    public func waitUntilFinished() async throws(PositionSourceError) {
        await running?.value
        if let failure { throw failure }
    }

    /// Adds somebody who must see every update; call it before ``start()`` to miss none.
    public func attach(_ consumer: any PositioningConsumer) {
        consumers.append(consumer)
    }

    /// A new listener's updates from now on.
    ///
    /// - Parameter bufferingNewest: how many updates wait for a slow listener before the oldest is dropped.
    public func updates(bufferingNewest limit: Int = 64) -> PositioningUpdates {
        let (stream, continuation) = AsyncStream.makeStream(of: PositioningUpdate.self, bufferingPolicy: .bufferingNewest(limit))
        let drops = PositioningUpdates.Drops()
        let key = nextListener
        nextListener += 1
        listeners[key] = (continuation, drops)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeListener(key) }
        }
        return PositioningUpdates(stream: stream, drops: drops)
    }

    private func removeListener(_ key: Int) {
        listeners[key] = nil
    }

    // MARK: - What the source says

    private func process(_ event: PositionSourceEvent) async {
        guard !Task.isCancelled else { return }
        await tellingLoss?.value
        isDelivering = true
        defer { isDelivering = false }
        switch event {
        case .position(let position): await process(position)
        case .noFix(let report):
            await deliver(.noFix(report))
            if rule.addNoFix(at: report.time) { await lose(.noFix) }
        case .sky(let view):
            sky = view
            await deliver(.sky(view))
        case .lost(let reason):
            if case .disconnected = reason { peer = nil }
            if rule.lose() { await lose(reason) }
        case .status(let status):
            note(status)
            await deliver(.status(status))
        case .finished:
            if rule.lose() { await lose(.ended) }
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
        if let last = rawPosition, let time = position.time, time == last.time, position.coordinate == last.coordinate { return }
        lastFixMilliseconds = MonotonicClock.milliseconds
        if rule.addFix(at: position.time) { await lose(.silent) }
        lossReason = nil
        rawPosition = position
        if watchdog == nil { watchdog = Task { await watch() } }
        await deliver(.position(position))
    }

    private func lose(_ reason: LossReason) async {
        rawPosition = nil
        lossReason = reason
        await deliver(.lost(reason))
    }

    private func deliver(_ update: PositioningUpdate) async {
        for consumer in consumers { await consumer.consume(update) }
        for listener in listeners.values {
            if case .dropped = listener.continuation.yield(update) {
                listener.drops.count.add(1, ordering: .relaxed)
            }
        }
    }

    private func fail(_ error: PositionSourceError) {
        failure = error
    }

    /// Notices that fixes stay away although the source says nothing; sleeps until that could be the case at the earliest, and ends with
    /// the position.
    private func watch() async {
        while rawPosition != nil, !Task.isCancelled {
            let wait = lastFixMilliseconds + rule.timeoutMilliseconds - MonotonicClock.milliseconds
            if wait > 0 {
                try? await Task.sleep(for: .milliseconds(wait))  // Cancelled: the loop ends.
            } else if isDelivering {
                lastFixMilliseconds = MonotonicClock.milliseconds
            } else if rule.lose() {
                let telling = Task { await lose(.silent) }
                tellingLoss = telling
                await telling.value
                tellingLoss = nil
            }
        }
        watchdog = nil
    }
}
