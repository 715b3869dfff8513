import Waypost
import WaypostSystem

/// Runs one position source, as closely as any client needs, and passes its positions on to every listener.
///
/// ```swift
/// let manager = PositioningManager(source: GPSDSource())
/// await manager.start()
/// for await update in await manager.updates() { print(update) }
/// ```
/// The source runs while somebody needs positions: the client that started the manager, a listener, a hold. When nobody needs every fix, it
/// runs for one sample now and then (`DutyCycle`), unless it cannot be stopped and continued (a recording). A manager without references
/// ends its source and its listeners.
/// - Concurrency: an actor; call it from anywhere, also from a consumer. Updates reach consumers and listeners in the order of the source's
///   events.
public actor PositioningManager {
    /// How a manager works, beyond its source.
    public struct Settings: Sendable {
        /// How often the receiver is turned on at rest, even if every fix is needed; nil = it stays on.
        public var restInterval: Duration?
        /// The last position of the previous run: the first report for a listener to significant changes.
        public var storedPosition: Position?
        /// The period over which the average speed is measured.
        public var averageSpeedWindow = Duration.seconds(60)
        /// Turns the receiver off for pauses of a minute or more; nil if nothing can.
        public var power: (any ReceiverPower)?

        /// The defaults.
        public init() {}
    }

    /// The source that is used.
    public internal(set) var source: any PositionSource
    /// How the other side describes itself (`gpsd 3.22`); nil when the source is not connected or has no other side.
    public internal(set) var peer: String?
    /// The states of the members of a source made of others; empty for other sources.
    public internal(set) var sourceMembers: [SourceMember] = []
    /// The last change from one member to another, and when (milliseconds of the monotonic clock).
    public internal(set) var lastSwitch: (change: SourceSwitch, at: Int64)?
    /// The last view of the sky; nil when stopped, and when the source is lost for any reason but a missing fix.
    public internal(set) var sky: SkyView?

    let settings: Settings
    var consumers: [PositioningAttachment.Member] = []
    var listeners: [PositioningListener] = []
    /// Whether the running source is a recording or simulation, which can wait for slow loops.
    var isPlayed = false
    /// Whether the running source reports its losses itself.
    var tellsLosses = false
    var matcher: (any PositionMatching)?
    var matcherNumber = 0
    /// Whether positions are matched even if no hold needs that; without a matcher they are not.
    public private(set) var mapMatchingEnabled = false
    /// Whether the last fix was given to the matcher.
    var isMatching = false

    // What is known of the positions.
    var place = Place.unknown
    var loss = PositionLossRule()
    var rest = StationaryRule()
    var averageSpeed: AverageSpeed
    var lastKnown: (position: Position, at: Int64?)?
    /// The period that was erased a moment ago.
    var erasures = RecentErasures()
    var freshness = FixFreshness()
    var unread = UnreadFixes()
    /// The last fix of this source, even while the position is lost: the same fix again is not new.
    var lastFix: Position?
    var leaps = TimeLeaps()
    /// The timeline of live fixes.
    var moments = FixMoments()

    // The clients' needs, and their effect on the receiver.
    var life = Life.stopped(after: nil)
    var holds: [PositioningHold.State] = []
    /// Whether the last stop was for the holds, too: they count again from the next start on.
    var ignoresHolds = false
    /// Whether the run must end although somebody needs positions again: what is played begins anew for whoever comes after the last listener.
    var mustRestart = false
    let holdChanges = HoldChanges()
    var duty = DutyCycle()

    // What runs.
    /// Only one event at a time is delivered.
    let turn = Turnstile()
    /// Events from consumers that were receiving an update at the time, with the number of the run.
    var afterwards: [(event: PositionSourceEvent, run: Int)] = []
    var activity = Activity.idle
    /// The number of the run whose events count.
    var runNumber = 0
    /// Whether the conductor still has to carry out a stop.
    var isStopping = false
    /// The source with which the conductor still has to replace this one.
    var replacement: (any PositionSource)?
    var conductor: Task<Void, Never>?
    /// Wakes the duty cycle at its deadline.
    var dutyTimer: (deadline: Int64, task: Task<Void, Never>)?
    /// Runs while there is a fix to lose, so that a tracker without a receiver sleeps.
    var watchdog: Task<Void, Never>?
    let waitingForEnd = WaitingTasks()
    private var nextKey = 0

    /// A manager that is not started.
    public init(source: any PositionSource, settings: Settings = Settings()) {
        self.source = source
        self.settings = settings
        averageSpeed = AverageSpeed(window: settings.averageSpeedWindow)
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

    /// The road on which the device is; nil where there is no ``mapMatchedPosition``.
    public var currentRoadElement: Road? { mapMatchedPosition?.road }

    /// Switches matching on or off; off, it is done while a hold needs it.
    func setMatching(enabled: Bool) { mapMatchingEnabled = enabled }

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

    // MARK: - Start and stop

    /// Whether it was started and neither it nor its source has ended since; the receiver may still be off when nobody needs it.
    public var isRunning: Bool {
        switch life {
        case .started, .held: true
        case .stopped, .ended: false
        }
    }

    /// Lets the source run whenever somebody needs positions; returns false when that was already so.
    ///
    /// A source that has ended or failed begins anew, also when a consumer or listener starts it in answer to ``PositioningUpdate/failed(_:)``
    /// or ``PositioningUpdate/finished``.
    /// - Parameter need: what the caller needs until ``stop(ignoringHolds:)``, whoever started it first, a loop perhaps: of several callers'
    ///   needs the closest counts. Nil leaves it to listeners and holds.
    @discardableResult
    public func start(needing need: PositioningNeed? = .everyFix) -> Bool {
        let need = PositioningNeed.closer(life.ownNeed, need)
        if case .started(let known) = life {
            if need == known { return false }
            life = .started(need)
            reconsider()
            return false
        }
        ignoresHolds = false
        if !isRunning { forgetFixes() }
        life = .started(need)
        reconsider()
        return true
    }

    /// Ends what ``start(needing:)`` began, and waits until the source has ended; nothing is delivered afterwards, and the listeners end.
    ///
    /// While a hold needs positions the source goes on for it, and all this happens when no hold needs them any more. From a consumer it
    /// returns at once: the update that is being delivered is the last one.
    /// - Parameter ignoringHolds: whether to stop although a hold needs positions; it counts again from the next start on.
    public func stop(ignoringHolds: Bool = false) async {
        ignoresHolds = ignoresHolds || ignoringHolds
        switch life {
        case .started: life = .held
        case .ended(let end, _): beginStopping(after: end)
        case .stopped, .held: break
        }
        reconsider()
        if case .held = life { return }
        await waitForConductor()
    }

    /// Replaces the source with another one, even while it runs: the old one has ended before the new one begins.
    ///
    /// A known position is lost (``LossReason/replaced``) until the new source delivers one. From a consumer it returns at once.
    public func use(_ source: any PositionSource) async {
        replacement = source
        conduct()
        await waitForConductor()
    }

    /// Waits until the requested state is reached; a caller for whom the source is waiting returns at once.
    private func waitForConductor() async {
        if !turn.isCaller, let conductor { await conductor.value }
    }

    /// Waits until the source has ended by itself, and no consumer has started it again at once, or was stopped; false when the task was cancelled before, and at once from a consumer, for
    /// which the source waits.
    ///
    /// - Errors: the failure that made it impossible for the source to run.
    @discardableResult
    public func waitUntilFinished() async throws(PositionSourceError) -> Bool {
        let mark = waitingForEnd.mark
        if isRunning || isStopping {
            guard !turn.isCaller, await waitingForEnd.wait(since: mark) else { return false }
        }
        if let failure = life.end?.failure { throw failure }
        return true
    }

    /// Returns when all consumers have processed everything delivered so far; never if a consumer hangs.
    ///
    /// From a consumer it returns at once.
    public func answer() async {
        if await turn.enter() { await leave() }
    }

    // MARK: - Consumers, listeners and holds

    /// Adds a consumer, which sees every update; call it before ``start(needing:)`` so that none is missed.
    ///
    /// It stays for the life of the manager; ``attachment(of:)`` adds one that can leave before. A consumer alone does not need positions: see
    /// ``hold(_:reason:)``.
    /// - Parameter consumer: what sees every update.
    public func attach(_ consumer: any PositioningConsumer) {
        consumers.append(PositioningAttachment.Member(consumer))
    }

    /// Adds a consumer, which sees every update until the result is detached or dropped.
    ///
    /// - Parameter consumer: what sees every update.
    public func attachment(of consumer: any PositioningConsumer) -> PositioningAttachment {
        let member = PositioningAttachment.Member(consumer)
        consumers.append(member)
        return PositioningAttachment(member) { [weak self] in Task { await self?.removeDetached() } }
    }

    private func removeDetached() { consumers.removeAll { !$0.isAttached } }

    /// The updates of a new listener from now on; the device is followed as closely as the listener's options demand.
    ///
    /// They end when the manager is stopped or deallocated, and after ``PositioningUpdate/finished`` or ``PositioningUpdate/failed(_:)``; if
    /// the source has already ended, the listener gets only that update. Before a start they wait for it.
    /// - Parameters:
    ///   - options: which positions the listener gets; a listener to significant changes first gets the last known one, at once.
    ///   - limit: how many updates wait for a slow listener before the oldest is dropped.
    public func updates(_ options: PositionSelection.Options = .init(), bufferingNewest limit: Int = 64) -> PositioningUpdates {
        if case .ended(let end, _) = life {
            let queue = UpdateQueue(limit: limit)
            queue.append(end.update)
            queue.finish()
            return PositioningUpdates(queue: queue, membership: .init {})
        }
        return listen(options, limit: limit, choice: nil)
    }

    /// Adds a listener, which is gone when nobody holds its updates any more.
    func listen(_ options: PositionSelection.Options, limit: Int, choice: LiveChoice?) -> PositioningUpdates {
        dropAbandoned()
        let queue = UpdateQueue(limit: limit)
        let key = nextKey
        nextKey += 1
        listeners.append(PositioningListener(key: key, options, queue: queue, choice: choice, lastKnown: lastKnown))
        reconsider()
        return PositioningUpdates(
            queue: queue,
            membership: .init { [weak self] in
                // A source must not wait for room in a queue that nobody reads any more.
                queue.abandon()
                Task { await self?.dropAbandoned() }
            })
    }

    /// Removes the listeners that have ended; the next one finds things as if that had been noticed at once.
    private func dropAbandoned() {
        let before = listeners.count
        listeners.removeAll(where: \.queue.isAbandoned)
        if listeners.count < before { reconsider() }
    }

    /// Ends all listeners; they still get their remaining updates.
    func endListeners() {
        for listener in listeners { listener.queue.finish() }
        listeners = []
    }

    /// Keeps positions coming for a named reason from the start on, until the result is released or dropped, even if the client that
    /// started the manager stops it before.
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
    /// Returns when it is done or has failed; it reports a failure itself.
    func setReceiver(isOn: Bool) async
}
