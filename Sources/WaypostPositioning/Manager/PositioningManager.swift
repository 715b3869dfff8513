import Waypost
import WaypostSystem

/// Runs one position source, as closely as any client needs, and passes its positions on to every listener.
///
/// ```swift
/// let manager = PositioningManager(source: GPSDSource())
/// await manager.start()
/// for await update in await manager.updates() { print(update) }
/// ```
/// The source runs while somebody needs positions: who started the manager, a listener, a hold. When nobody needs every fix, it runs for one
/// sample now and then (`DutyCycle`), unless it is one that cannot be stopped and gone on with (a recording). A manager that nobody holds
/// any more ends its source and its listeners.
/// - Concurrency: an actor; call it from anywhere, also from a consumer. Updates reach consumers and listeners in the order of the source's
///   events.
public actor PositioningManager {
    /// How a manager works, beyond its source.
    public struct Settings: Sendable {
        /// How often the receiver is turned on at rest, even if every fix is needed; nil = it stays on.
        public var restInterval: Duration?
        /// The last position of the run before this one: the first report of a listener to significant changes.
        public var storedPosition: Position?
        /// Over how long the average speed is taken, in milliseconds.
        public var averageSpeedMilliseconds: Int64 = 60_000
        /// Turns the receiver off for pauses of a minute or more; nil if nothing can.
        public var power: (any ReceiverPower)?

        /// The defaults.
        public init() {}
    }

    /// The source that is used.
    public internal(set) var source: any PositionSource
    /// What the source says the other side is (`gpsd 3.22`), nil when it is not connected or has no other side.
    public internal(set) var peer: String?
    /// How the members of a source made of others fare; empty for other sources.
    public internal(set) var sourceMembers: [SourceMember] = []
    /// The last change from one member to another, and when (milliseconds of the monotonic clock).
    public internal(set) var lastSwitch: (change: SourceSwitch, at: Int64)?
    /// The last view of the sky; nil when stopped, and when the source is lost, unless for want of a fix.
    public internal(set) var sky: SkyView?

    let settings: Settings
    var consumers: [any PositioningConsumer] = []
    var listeners: [PositioningListener] = []
    var matcher: (any PositionMatching)?
    var matcherNumber = 0

    // What is known of the positions.
    var place = Place.unknown
    var loss = PositionLossRule()
    var rest = StationaryRule()
    var averageSpeed: AverageSpeed
    var lastKnown: (position: Position, at: Int64?)?
    var freshness = FixFreshness()
    /// The last fix of this source, also while the position is lost: the same one again is not new.
    var lastFix: Position?
    var leaps = TimeLeaps()

    // Who needs positions, and what follows for the receiver.
    var life = Life.stopped(after: nil)
    var holds: [PositioningHold.State] = []
    let holdChanges = HoldChanges()
    var duty = DutyCycle()

    // What runs.
    /// One event at a time is told.
    let turn = Turnstile()
    /// What came from those who were told something just then, with the number of the run.
    var afterwards: [(event: PositionSourceEvent, run: Int)] = []
    var activity = Activity.idle
    /// The number of the run whose events count.
    var runNumber = 0
    /// Whether the conductor has still to end what a stop ends.
    var isStopping = false
    /// The source that the conductor has still to put in the place of this one.
    var replacement: (any PositionSource)?
    var conductor: Task<Void, Never>?
    /// Wakes the duty cycle at its deadline.
    var dutyTimer: (deadline: Int64, task: Task<Void, Never>)?
    /// Runs while there is a fix that can be lost: a tracker without a receiver sleeps.
    var watchdog: Task<Void, Never>?
    let waitingForEnd = WaitingTasks()
    private var nextKey = 0

    /// A manager that is not started.
    public init(source: any PositionSource, settings: Settings = Settings()) {
        self.source = source
        self.settings = settings
        averageSpeed = AverageSpeed(windowMilliseconds: settings.averageSpeedMilliseconds)
        lastKnown = settings.storedPosition.map { ($0, nil) }
    }

    deinit {
        for task in [activity.run?.task, watchdog, dutyTimer?.task] { task?.cancel() }
        for listener in listeners { listener.queue.finish() }
        if activity.receiverIsOff, let power = settings.power { Task.detached { await power.setReceiver(isOn: true) } }
    }

    // MARK: - Positions

    /// The last fix; nil before the first, while the position is lost, and when stopped.
    ///
    /// It stays in a planned pause.
    public var rawPosition: Position? { if case .fix(let position, _) = place { position } else { nil } }

    /// The last fix on its road; nil off the network, while nothing matches, and when there is no raw position.
    public var mapMatchedPosition: MatchedPosition? { if case .fix(_, let match) = place { match } else { nil } }

    /// Why the position is lost, nil while it is not.
    public var lossReason: LossReason? { if case .lost(let reason) = place { reason } else { nil } }

    /// The best position there is: on its road if that is more likely than not, else the raw one; nil when stopped or lost.
    public var currentPosition: Position? {
        if let mapMatchedPosition, mapMatchedPosition.isConfident { return mapMatchedPosition.position }
        return rawPosition
    }

    /// The distance covered in the last minute over the time it took, in metres per second; nil before there are two fixes.
    public var averageSpeedMetresPerSecond: Double? { averageSpeed.metresPerSecond }

    /// Whether the device is at rest (`StationaryRule`).
    public var isStationary: Bool { rest.isStationary }

    /// Uses this to put positions on roads from the next fix on, or nothing; what the one before is still matching is not told.
    public func matchPositions(with matcher: (any PositionMatching)?) async {
        self.matcher = matcher
        matcherNumber += 1
        place.match(nil)
        await answer()
    }

    // MARK: - Start and stop

    /// Whether it was started and neither it nor its source has ended since; the receiver may be off all the same, when nobody needs it.
    public var isRunning: Bool {
        switch life {
        case .started, .held: true
        case .stopped, .ended: false
        }
    }

    /// Lets the source run whenever somebody needs positions; false when that was so already.
    ///
    /// A source that has ended, or has failed, begins anew.
    /// - Parameter need: what who starts it needs until ``stop(releasingHolds:)``; nil leaves it to listeners and holds.
    @discardableResult
    public func start(needing need: PositioningNeed? = .everyFix) -> Bool {
        if case .started = life { return false }
        if !isRunning { forgetFixes() }
        life = .started(need)
        reconsider()
        return true
    }

    /// Ends what ``start(needing:)`` began, and waits until the source has ended; nothing is delivered afterwards, and the listeners end.
    ///
    /// While a hold needs positions the source goes on for it, and all this happens when no hold does any more. From a consumer it returns
    /// at once: the update that is just being told is the last one.
    /// - Parameter releasingHolds: whether all holds end now, too.
    public func stop(releasingHolds: Bool = false) async {
        if releasingHolds {
            for hold in holds { _ = hold.release() }
            holds = []
        }
        switch life {
        case .started: life = .held
        case .ended(let end, _): beginStopping(after: end)
        case .stopped, .held: break
        }
        reconsider()
        if case .held = life { return }
        await waitForConductor()
    }

    /// Puts another source in the place of this one, also while it runs: the old one has ended before the new one begins.
    ///
    /// A position that was there is lost (``LossReason/replaced``) until the new source gives one. From a consumer it returns at once.
    public func use(_ source: any PositionSource) async {
        replacement = source
        conduct()
        await waitForConductor()
    }

    /// Waits until everything is as it was asked for; who the source waits for does not wait.
    private func waitForConductor() async {
        if !turn.isCaller, let conductor { await conductor.value }
    }

    /// Waits until the source has ended by itself or was stopped; false when the task was cancelled before, and from a consumer, for
    /// which the source waits.
    ///
    /// - Errors: what made it impossible for the source to run.
    @discardableResult
    public func waitUntilFinished() async throws(PositionSourceError) -> Bool {
        let mark = waitingForEnd.mark
        if isRunning || isStopping {
            guard !turn.isCaller, await waitingForEnd.wait(since: mark) else { return false }
        }
        if let failure = life.end?.failure { throw failure }
        return true
    }

    /// Returns when all consumers have taken everything delivered so far; never if a consumer hangs.
    ///
    /// From a consumer it returns at once.
    public func answer() async {
        if await turn.enter() { await leave() }
    }

    // MARK: - Who wants to know

    /// Adds a consumer, which sees every update; call it before ``start(needing:)`` so that none is missed.
    ///
    /// That alone needs no positions: see ``hold(_:reason:)``.
    public func attach(_ consumer: any PositioningConsumer) {
        consumers.append(consumer)
    }

    /// A new listener's updates from now on; the device is followed as closely as that takes.
    ///
    /// They end when the manager is stopped or gone, and after ``PositioningUpdate/finished`` or ``PositioningUpdate/failed(_:)``: whose
    /// source has ended already gets that alone. Before a start they wait for it.
    /// - Parameters:
    ///   - options: which positions the listener gets; the first one of a listener to significant changes is the last that is known, at once.
    ///   - limit: how many updates wait for a slow listener before the oldest is dropped.
    public func updates(_ options: PositionSelection.Options = .init(), bufferingNewest limit: Int = 64) -> PositioningUpdates {
        let queue = UpdateQueue(limit: limit)
        let key = nextKey
        nextKey += 1
        if case .ended(let end, _) = life {
            queue.append(end.update)
            queue.finish()
        } else {
            listeners.append(PositioningListener(key: key, options, queue: queue, lastKnown: lastKnown))
            reconsider()
        }
        return PositioningUpdates(
            queue: queue, membership: .init { [weak self] in Task { await self?.removeListener(key) } })
    }

    private func removeListener(_ key: Int) {
        listeners.removeAll { $0.key == key }
        reconsider()
    }

    /// Ends all listeners; they take what is left for them.
    func endListeners() {
        for listener in listeners { listener.queue.finish() }
        listeners = []
    }

    /// Keeps positions coming for a named reason from the start on, until the result is released or dropped, also when whoever started
    /// the manager stops it before.
    ///
    /// - Parameters:
    ///   - need: how closely the device must be followed; nil for not at all, until that is changed.
    ///   - reason: shown in the status.
    public func hold(_ need: PositioningNeed?, reason: String) -> PositioningHold {
        let state = PositioningHold.State(need, reason: reason)
        holds.append(state)
        reconsider()
        return PositioningHold(state) { [weak self, holdChanges] in
            if !holdChanges.leaveToTeller() { Task { await self?.noteChangeOfHold() } }
        }
    }

    func noteChangeOfHold() {
        holds.removeAll(where: \.isReleased)
        reconsider()
    }
}

/// Turns a receiver on and off: a GPIO, a USB port, a command.
public protocol ReceiverPower: Sendable {
    /// Returns when it is done, or has failed; a failure is its own to tell.
    func setReceiver(isOn: Bool) async
}
