import Waypost
import WaypostSystem

/// Where the device is: runs one position source, as closely as anybody needs it, and tells everybody who wants to know.
///
/// ```swift
/// let manager = PositioningManager(source: GPSDSource())
/// await manager.start()
/// for await update in await manager.updates() { print(update) }
/// ```
/// The source runs while somebody needs positions: who started the manager, a listener, a hold. When nobody needs every fix, it runs for one
/// sample now and then (``DutyCycle``), unless it is one that cannot be stopped and gone on with (a recording).
/// - Concurrency: an actor; call it from anywhere. Updates reach consumers and listeners in the order of the source's events.
public actor PositioningManager {
    /// How a manager works, beyond its source.
    public struct Settings: Sendable {
        /// At rest the receiver is looked at only so often, although every fix is needed; nil = it stays on.
        public var restInterval: Duration?
        /// The last position of the run before this one: the first report of a listener to significant changes.
        public var storedPosition: Position?
        /// Over how long the average speed is taken, in milliseconds.
        public var averageSpeedMilliseconds: Int64 = 60_000
        /// Switches the receiver off for pauses of a minute and more; nil when nothing can.
        public var power: (any ReceiverPower)?

        /// The defaults.
        public init() {}
    }

    /// The source that is used.
    public internal(set) var source: any PositionSource
    /// The last fix; nil before the first, while the position is lost, and when stopped.
    ///
    /// It stays in a planned pause.
    public internal(set) var rawPosition: Position?
    /// The last fix on its road; nil off the network, while nothing matches, and when there is no raw position.
    public internal(set) var mapMatchedPosition: MatchedPosition?
    /// What the source says the other side is (`gpsd 3.22`), nil when it is not connected or has no other side.
    public internal(set) var peer: String?
    /// How the members of a source made of others fare; empty for other sources.
    public internal(set) var sourceMembers: [SourceMember] = []
    /// The last change from one member to another, and when (milliseconds of the monotonic clock).
    public internal(set) var lastSwitch: (change: SourceSwitch, at: Int64)?
    /// The last view of the sky, nil when stopped.
    public internal(set) var sky: SkyView?
    /// Why the position is lost, nil while it is not.
    public internal(set) var lossReason: LossReason?

    let settings: Settings
    var consumers: [any PositioningConsumer] = []
    var listeners: [PositioningListener] = []
    var matcher: (any PositionMatching)?

    // What is known of the positions.
    var loss = PositionLossRule()
    var rest = StationaryRule()
    var averageSpeed: AverageSpeed
    var lastKnown: (position: Position, at: Int64?)?
    var freshness = FixFreshness()

    // Who needs positions, and what follows for the receiver.
    var isStarted = false
    var ownNeed: PositioningNeed?
    var holds: [PositioningHold.State] = []
    var duty = DutyCycle()
    var isPaused = false
    var isSwitchedOff = false
    /// How many positions this sample has brought.
    var samplePositionCount = 0

    // What runs.
    /// One event at a time is told.
    let turn = Turnstile()
    var run: Task<Void, Never>?
    var runNumber = 0
    var hasEnded = false
    var failure: PositionSourceError?
    var replacement: (any PositionSource)?
    var conductor: Task<Void, Never>?
    var dutyTimer: (deadline: Int64, task: Task<Void, Never>)?
    /// Runs while there is a fix that can be lost: a tracker without a receiver sleeps.
    var watchdog: Task<Void, Never>?
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    private var nextKey = 0

    /// A manager that is not started.
    public init(source: any PositionSource, settings: Settings = Settings()) {
        self.source = source
        self.settings = settings
        averageSpeed = AverageSpeed(windowMilliseconds: settings.averageSpeedMilliseconds)
        lastKnown = settings.storedPosition.map { ($0, nil) }
    }

    deinit {
        for listener in listeners { listener.queue.finish() }
    }

    // MARK: - Positions

    /// The best position there is: on its road if that is more likely than not, else the raw one; nil when stopped or lost.
    public var currentPosition: Position? {
        if let mapMatchedPosition, mapMatchedPosition.isConfident { return mapMatchedPosition.position }
        return rawPosition
    }

    /// The distance covered in the last minute over the time it took, in metres per second; nil before there are two fixes.
    public var averageSpeedMetresPerSecond: Double? { averageSpeed.metresPerSecond }

    /// Whether the device is at rest (``StationaryRule``).
    public var isStationary: Bool { rest.isStationary }

    /// Uses this to put positions on roads from the next fix on, or nothing.
    public func matchPositions(with matcher: (any PositionMatching)?) async {
        await turn.enter()
        self.matcher = matcher
        mapMatchedPosition = nil
        turn.leave()
    }

    // MARK: - Start and stop

    /// Whether it was started, and not stopped since; the receiver may be off all the same, when nobody needs it.
    public var isRunning: Bool { isStarted }

    /// Lets the source run whenever somebody needs positions; false when that was so already.
    ///
    /// - Parameter need: what who starts it needs until ``stop()``; nil leaves it to listeners and holds.
    @discardableResult
    public func start(needing need: PositioningNeed? = .everyFix) -> Bool {
        guard !isStarted else { return false }
        isStarted = true
        ownNeed = need
        failure = nil
        hasEnded = false
        loss = PositionLossRule()
        reconsider()
        return true
    }

    /// Stops the source and waits until it has ended; nothing is delivered afterwards.
    public func stop() async {
        guard isStarted else { return }
        isStarted = false
        ownNeed = nil
        reconsider()
        while let conductor { await conductor.value }
        // It may be telling a loss just now.
        await watchdog?.value
        forgetPosition()
        (sky, peer, sourceMembers, lossReason) = (nil, nil, [], nil)
        rest = StationaryRule()
        isPaused = false
        endWaiting()
    }

    /// Puts another source in the place of this one, also while it runs: the old one has ended before the new one begins.
    ///
    /// A position that was there is lost (``LossReason/replaced``) until the new source gives one.
    public func use(_ source: any PositionSource) async {
        replacement = source
        conduct()
        while let conductor { await conductor.value }
    }

    /// Waits until the source has ended by itself or was stopped.
    ///
    /// - Errors: what made it impossible for the source to run.
    public func waitUntilFinished() async throws(PositionSourceError) {
        if isStarted, !hasEnded { await withCheckedContinuation { waitingForEnd.append($0) } }
        if let failure { throw failure }
    }

    func endWaiting() {
        for continuation in waitingForEnd { continuation.resume() }
        waitingForEnd = []
    }

    /// Returns when everybody has taken what was told before; never when a consumer hangs.
    public func answer() async {
        await turn.enter()
        turn.leave()
    }

    // MARK: - Who wants to know

    /// Adds somebody who must see every update; call it before ``start(needing:)`` to miss none.
    ///
    /// That alone needs no positions: see ``hold(_:reason:)``.
    public func attach(_ consumer: any PositioningConsumer) {
        consumers.append(consumer)
    }

    /// A new listener's updates from now on; the device is followed as closely as that takes.
    ///
    /// - Parameters:
    ///   - options: which positions the listener gets; the first one of a listener to significant changes is the last that is known, at once.
    ///   - limit: how many updates wait for a slow listener before the oldest is dropped.
    public func updates(_ options: PositionSelection.Options = .init(), bufferingNewest limit: Int = 64) -> PositioningUpdates {
        let queue = UpdateQueue(limit: limit)
        let key = nextKey
        nextKey += 1
        listeners.append(PositioningListener(key: key, options, queue: queue, lastKnown: lastKnown))
        reconsider()
        return PositioningUpdates(
            queue: queue, membership: .init { [weak self] in Task { await self?.removeListener(key) } })
    }

    private func removeListener(_ key: Int) {
        listeners.removeAll { $0.key == key }
        reconsider()
    }

    /// Keeps positions coming for a named reason, until the result is released or dropped.
    ///
    /// - Parameter need: how closely the device must be followed; nil for not at all, until that is changed.
    public func hold(_ need: PositioningNeed?, reason: String) -> PositioningHold {
        let state = PositioningHold.State(need, reason: reason)
        holds.append(state)
        reconsider()
        return PositioningHold(state) { [weak self] in Task { await self?.noteChangeOfHold() } }
    }

    private func noteChangeOfHold() {
        holds.removeAll(where: \.isReleased)
        reconsider()
    }
}

/// Switches a receiver on and off: a GPIO, a USB port, a command.
public protocol ReceiverPower: Sendable {
    /// Returns when it is done, or has failed; a failure is its own to tell.
    func setReceiver(isOn: Bool) async
}
