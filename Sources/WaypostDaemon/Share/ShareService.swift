import Logging
import NIOCore
import Synchronization
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// Shares what the tracker knows with other programs, on the doors that are configured.
///
/// It gets only what the privacy gate has let through (`PrivateSource`). A door that cannot be opened, because a gpsd has its port, is told and
/// tried again; the tracker goes on without it. A client that needs positions keeps the receiver on; datagrams do not.
/// - Concurrency: one thread serves all clients of all doors; nothing is encoded, and that thread is not woken, while nobody listens.
actor ShareService: PositioningConsumer {
    /// A door, for the status.
    struct Report: Sendable, Equatable {
        /// Its key in `[share]`.
        var kind: ShareDoorKind
        /// Where it is.
        var place: ShareDoorKind.Place
        /// How many clients it has; nil when nobody can know.
        var clientCount: Int?
        /// How much of the position it gives.
        var level = AuthorisationLevel.none
        /// Why it is shut, or what does not work; nil when all is well.
        var problem: String?

        /// Whether the whole network reaches it.
        var isOpenToNetwork: Bool {
            if case .address(let address) = place { !address.isLoopback } else { false }
        }
    }

    private enum State {
        case open(any Channel)
        case shut(String)
    }

    private let doors: [ShareDoor]
    private let access: AccessKeeper
    private let reduced: ReducedPositions
    /// The quarter of an hour that was told last to those who may only know roughly where the device is; nil when nothing may be told.
    private var toldQuarter: Int64?
    private var states: [ShareDoorKind: State] = [:]
    private let counts: ShareCounts
    private let hub: NIOLoopBound<ShareHub>
    private let known: ShareKnowledge
    private let thread: ServerThread
    /// The configured names of serial lines.
    private let lineNames: [String]
    private let logger: Logger
    private var retrying: Task<Void, Never>?

    private static let retryInterval = Duration.seconds(30)

    /// Doors that are not open yet; nil when none is configured.
    ///
    /// - Parameter hold: makes the hold of a door.
    static func make(
        _ configuration: Configuration, access: AccessKeeper, reduced: ReducedPositions, limits: ShareLimits = ShareLimits(),
        logger: Logger,
        hold: (_ reason: String) async -> PositioningHold
    ) async -> ShareService? {
        let places = ShareDoorKind.allCases.compactMap { kind in kind.place(in: configuration.share).map { (kind, $0) } }
        guard !places.isEmpty else { return nil }
        var holds: [ShareDoorKind: PositioningHold] = [:]
        for (kind, _) in places where kind != .nmeaUDP { holds[kind] = await hold("share \(kind.rawValue)") }
        let counts = ShareCounts(holds: holds)
        let known = ShareKnowledge()
        let thread = ServerThread.take()
        let loop = thread.loop
        do {
            let hub = try await loop.submit {
                NIOLoopBound(
                    ShareHub(known: known, access: ShareAccess(keeper: access), limits: limits, eventLoop: loop) {
                        counts.set($0, $1, needsPositions: $2)
                    },
                    eventLoop: loop)
            }.get()
            let doors = places.map { ShareDoor(kind: $0, place: $1, limits: limits, hub: hub) }
            let lineNames = configuration.sources.compactMap { source -> String? in
                if case .path(let path)? = (source.url.kind as? SerialKind)?.port { path } else { nil }
            }
            return ShareService(
                doors: doors, access: access, reduced: reduced, counts: counts, hub: hub, known: known, thread: thread,
                lineNames: lineNames,
                logger: logger)
        } catch {
            preconditionFailure("a loop that has just begun takes tasks")
        }
    }

    private init(
        doors: [ShareDoor], access: AccessKeeper, reduced: ReducedPositions, counts: ShareCounts, hub: NIOLoopBound<ShareHub>,
        known: ShareKnowledge, thread: ServerThread, lineNames: [String], logger: Logger
    ) {
        (self.access, self.reduced) = (access, reduced)
        (self.doors, self.counts, self.hub, self.known, self.thread) = (doors, counts, hub, known, thread)
        (self.lineNames, self.logger) = (lineNames, logger)
    }

    // MARK: - Doors

    /// Opens the doors, and keeps trying those that cannot be opened yet.
    func start() async {
        reduced.observe { _ in Task { [weak self] in await self?.tellCoarse() } }
        await tellCoarse()
        for door in doors { await open(door) }
        guard hasShutDoors else { return }
        retrying = Task { [weak self] in
            while (try? await Task.sleep(for: ShareService.retryInterval, tolerance: .seconds(5))) != nil {  // Cancelled: the tracker ends.
                guard let self, await self.retry() else { return }
            }
        }
    }

    /// Shuts the doors and ends every connection.
    func stop() async {
        retrying?.cancel()
        await retrying?.value
        for door in doors {
            // First the name: a successor never finds its own socket gone. It does not matter if the name is already gone.
            guard case .open(let channel)? = states[door.kind] else { continue }
            if case .path(let path) = door.place { do { try UnixSocket.unlink(path) } catch {} }
            do { try await channel.close() } catch {}  // Already closed.
        }
        states = [:]
        do { try await hub.eventLoop.submit { [hub] in hub.value.closeAll() }.get() } catch {}  // It does not fail.
        thread.giveBack()
    }

    /// Returns when the thread of the clients gets to this call; never when that thread hangs.
    func answer() async {
        // It fails only when the doors have been shut: then nothing hangs.
        do { try await hub.eventLoop.submit {}.get() } catch {}
    }

    /// The doors as they are now.
    var report: [Report] {
        doors.map { door in
            var report = Report(kind: door.kind, place: door.place)
            report.level = access.level(of: door.kind.accessDoor)
            switch states[door.kind] {
            case .open:
                report.clientCount = door.kind == .nmeaUDP ? nil : counts.count(of: door.kind)
                if door.kind == .nmeaUDP { report.problem = counts.failure.map { "\(door.place): cannot send: \($0.reason)" } }
            case .shut(let reason): report.problem = reason
            case nil: report.problem = "\(door.place): is not open yet"
            }
            return report
        }
    }

    private var hasShutDoors: Bool {
        states.values.contains { if case .shut = $0 { true } else { false } }
    }

    private func open(_ door: ShareDoor) async {
        do throws(ShareDoor.Obstacle) {
            states[door.kind] = .open(try await door.open { [counts] in counts.failure = $0 })
            let level = access.level(of: door.kind.accessDoor)
            logger.info("positions are shared: [share] \(door.kind.rawValue) \(door.place), \(level.rawValue)")
            if case .address(let address) = door.place, !address.isLoopback, level == .full {
                logger.warning("[share] \(door.kind.rawValue) \(door.place): everybody in that network may read the position")
            }
        } catch {
            if case .shut(error.words)? = states[door.kind] { return }
            states[door.kind] = .shut(error.words)
            logger.error("[share] \(door.kind.rawValue): \(error.words)")
        }
    }

    /// Tries the doors that are shut; false when none is left.
    private func retry() async -> Bool {
        for door in doors {
            if case .shut? = states[door.kind] { await open(door) }
        }
        return hasShutDoors
    }

    // MARK: - Updates

    func consume(_ update: PositioningUpdate) async {
        let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        let news: SharedState.News?
        switch update {
        case .position(let position): news = known.change { $0.process(position, at: now) }
        case .noFix(let report): news = known.change { $0.process(report, at: now) }
        case .sky(let view): news = known.change { $0.process(view, at: now) }
        case .lost, .finished, .failed: news = known.change { $0.lose() }
        case .status(.connected(let words)):
            setDevice(words)
            news = nil
        case .status(.members(let members)):
            // Of several sources it is the one in use that is told.
            setDevice(members.first(where: \.isActive)?.peer ?? "")
            news = nil
        case .status, .stationary, .matched, .significantChange, .paused, .resumed: news = nil
        }
        guard let news, known.hasListeners else { return }
        // The source waits until it is written, not until it is read: a recording at full speed does not pile up here.
        do { try await hub.eventLoop.submit { [hub] in hub.value.deliver(news) }.get() } catch {}  // The doors have been shut.
    }

    /// Tells those who may only know roughly where the device is what is new for them.
    ///
    /// It looks itself what that is: what was to be told before may come late, and must not come after its withdrawal.
    private func tellCoarse() async {
        let told = reduced.told
        if let told, told.quarter == toldQuarter { return }
        toldQuarter = told?.quarter
        let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        // It fails only when the doors have been shut.
        do { try await hub.eventLoop.submit { [hub] in hub.value.deliverCoarse(told, at: now) }.get() } catch {}
    }

    /// The device is told under the name that gpsd would give it; what is no device is nobody's business.
    private func setDevice(_ words: String) {
        let path = words.hasPrefix("/dev/") ? String(words.prefix { $0 != " " }) : nil
        let aliases = path.map { path in lineNames.filter { Syscalls.resolvingLinks($0) == path } } ?? []
        known.change { $0.setDevice(path, aliases: aliases) }
    }
}

/// How many clients each door has, and what that means for the receiver.
final class ShareCounts: Sendable {
    private let counts = Mutex<[ShareDoorKind: Int]>([:])
    private let sendFailure = Mutex<SystemError?>(nil)
    private let holds: [ShareDoorKind: PositioningHold]

    init(holds: [ShareDoorKind: PositioningHold]) {
        self.holds = holds
    }

    func count(of kind: ShareDoorKind) -> Int { counts.withLock { $0[kind] ?? 0 } }

    func set(_ kind: ShareDoorKind, _ count: Int, needsPositions: Bool) {
        counts.withLock { $0[kind] = count }
        holds[kind]?.need = needsPositions ? .everyFix : nil
    }

    /// Why datagrams cannot be sent; nil while they can.
    var failure: SystemError? {
        get { sendFailure.withLock { $0 } }
        set { sendFailure.withLock { $0 = newValue } }
    }
}
