import NIOCore
import Synchronization
import Waypost
import WaypostSystem

/// The clients of all doors, and what each of them gets; it belongs to their event loop.
///
/// A report is encoded once for all, and only if somebody wants it.
final class ShareHub {
    /// What is known, shared with the task that delivers it.
    let known: ShareKnowledge
    /// The same for those who may only know roughly where the device is.
    private var coarse = SharedState()
    private let eventLoop: any EventLoop
    private let access: ShareAccess
    private let limits: ShareLimits
    /// Tells how many clients a door has, and whether one of them needs positions.
    private let noteClients: @Sendable (ShareDoorKind, _ count: Int, _ needsPositions: Bool) -> Void

    private var clients: [ObjectIdentifier: ShareClient] = [:]
    /// Sends datagrams, while that door is open.
    private var beacon: ShareBeacon?
    private let nmea = NMEAWriter()
    private var pendingSky: Scheduled<Void>?
    private var upkeep: Scheduled<Void>?
    /// The view that waits to be sent, and ``SharedState/withdrawalCount`` when it came.
    private var waitingSky: (view: SkyView, withdrawalCount: Int)?
    private var lastSkyAt: Int64?
    private var lastReportAt: Int64?
    /// The time between the last two reports, milliseconds.
    private var period: Int64 = 1_000

    /// A view of the satellites comes this long after its TPV and after its own arrival: gps3, and with it Home Assistant, keeps one line of each read, and reads slowly.
    private static let skyMilliseconds: Int64 = 300
    /// The least time between two views; less than a second, so that no view of a receiver with one fix a second is left out.
    private static let leastSkyMilliseconds: Int64 = 900

    init(
        known: ShareKnowledge, access: ShareAccess, limits: ShareLimits, eventLoop: any EventLoop,
        noteClients: @escaping @Sendable (ShareDoorKind, _ count: Int, _ needsPositions: Bool) -> Void
    ) {
        (self.known, self.access, self.limits, self.eventLoop, self.noteClients) = (known, access, limits, eventLoop, noteClients)
    }

    // MARK: - Clients

    /// Whether somebody may come in at all.
    func admits(_ caller: ShareAccess.Caller, at kind: ShareDoorKind) -> Bool { access.detail(for: caller, at: kind) != .nothing }

    /// What a client may know now.
    private func detail(of client: ShareClient) -> ShareAccess.Detail { access.detail(for: client.caller, at: client.kind) }

    /// Counts one more client; false when its door has too many.
    func admit(_ client: ShareClient) -> Bool {
        guard clients.values.count(where: { $0.kind == client.kind }) < limits.clients else { return false }
        clients[ObjectIdentifier(client)] = client
        noteNeed(of: client.kind)
        if upkeep == nil { scheduleUpkeep() }
        return true
    }

    /// Ends connections that are of no use, now and then, as long as there is one.
    private func scheduleUpkeep() {
        upkeep = eventLoop.assumeIsolated().scheduleTask(in: limits.upkeepInterval) { [self] in
            upkeep = nil
            for client in clients.values { client.closeIfIdle(for: limits.idleMilliseconds) }
            if !clients.isEmpty { scheduleUpkeep() }
        }
    }

    /// Forgets a client that has gone.
    func remove(_ client: ShareClient) {
        guard clients.removeValue(forKey: ObjectIdentifier(client)) != nil else { return }
        noteNeed(of: client.kind)
        guard clients.isEmpty else { return }
        upkeep?.cancel()
        upkeep = nil
    }

    /// The number of clients of a door, or what they need, may have changed.
    func noteNeed(of kind: ShareDoorKind) {
        let own = clients.values.filter { $0.kind == kind }
        known.setListenerCount(clients.count + (beacon == nil ? 0 : 1))
        noteClients(kind, own.count, own.contains(where: \.needsPositions))
    }

    /// Answers what a client has sent.
    func answers(of conversation: inout GPSDConversation, for client: ShareClient, to bytes: Span<UInt8>) -> [[UInt8]] {
        let state =
            switch detail(of: client) {
            case .exact: known.state
            case .coarse: coarse
            case .nothing: SharedState()
            }
        return conversation.process(
            bytes, showing: state, version: WaypostVersion.text, at: UTCTime(millisecondsSince1970: WallClock.milliseconds))
    }

    /// Tells a program that has just begun to listen what does not come by itself: that there is no fix, or the rough place of this quarter.
    func greet(_ client: ShareClient) {
        let isCoarse = detail(of: client) == .coarse
        let state = isCoarse ? coarse : known.state
        let news: SharedState.News
        switch state.report {
        // The next one, or the first one, is on its way.
        case .position where !isCoarse, .nothing: return
        case .position(let position): news = .position(position, newSky: nil)
        case .noFix(let report): news = .noFix(report, newSky: nil)
        }
        if client.wantsNMEA { client.deliver(epoch(of: news, sky: nil)) }
        if client.wantsJSON { client.deliver(ByteBuffer(bytes: bytes(of: news, from: state.device))) }
    }

    /// Sends datagrams from now on, or no longer.
    func setBeacon(_ beacon: ShareBeacon?) {
        self.beacon = beacon
        known.setListenerCount(clients.count + (beacon == nil ? 0 : 1))
    }

    func closeAll() {
        pendingSky?.cancel()
        upkeep?.cancel()
        for client in clients.values { client.close() }
        beacon?.close()
    }

    // MARK: - Reports

    /// Tells a reduced position to those who may only know roughly where the device is; nil when nothing may be told any more.
    func deliverCoarse(_ told: PositionReduction.Told?, at now: UTCTime) {
        let news = told.map { coarse.process($0.position, at: now) } ?? coarse.lose()
        guard let news else { return }
        let epoch = epoch(of: news, sky: nil)
        let message = ByteBuffer(bytes: bytes(of: news, from: coarse.device))
        for client in clients.values where detail(of: client) == .coarse {
            if client.wantsNMEA { client.deliver(epoch) }
            if client.wantsJSON { client.deliver(message) }
        }
        if access.detail(for: .unknown, at: .nmeaUDP) == .coarse { beacon?.send(epoch) }
    }

    /// Tells everybody who may know all of it; who may not know anything any more goes.
    func deliver(_ news: SharedState.News) {
        for client in clients.values where detail(of: client) == .nothing { client.close() }
        if case .sky(let view) = news { return deliverLater(view) }
        let nmeaClients = clients.values.filter { $0.wantsNMEA && detail(of: $0) == .exact }
        let beacon = access.detail(for: .unknown, at: .nmeaUDP) == .exact ? beacon : nil
        if !nmeaClients.isEmpty || beacon != nil {
            let epoch = epoch(of: news, sky: known.state.sky)
            for client in nmeaClients { client.deliver(epoch) }
            beacon?.send(epoch)
        }
        send(news)
        let now = MonotonicClock.milliseconds
        period = lastReportAt.map { now - $0 } ?? period
        lastReportAt = now
        // What came just before its report waits again.
        if pendingSky != nil { scheduleSky() }
    }

    /// Sends a message to all who want JSON and may know all of it.
    private func send(_ news: SharedState.News) {
        let jsonClients = clients.values.filter { $0.wantsJSON && detail(of: $0) == .exact }
        guard !jsonClients.isEmpty else { return }
        let message = ByteBuffer(bytes: bytes(of: news, from: known.state.device))
        for client in jsonClients { client.deliver(message) }
    }

    private func bytes(of news: SharedState.News, from device: String) -> [UInt8] {
        let writer = GPSDWriter(device: device)
        return switch news {
        case .position(let position, _): writer.position(position)
        case .noFix(let report, _): writer.noFix(report)
        case .sky(let view): writer.sky(view)
        }
    }

    /// All sentences of a report, for one write: GeoClue joins only what comes in one read.
    private func epoch(of news: SharedState.News, sky: SkyView?) -> ByteBuffer {
        var text = TextBuffer(capacity: 1_024)
        var shown: SkyView?
        switch news {
        case .position(let position, let newSky):
            nmea.position(position, sky: sky, into: &text)
            shown = newSky
        case .noFix(let report, let newSky):
            nmea.noFix(report, into: &text)
            shown = newSky
        case .sky(let view): shown = view
        }
        if let sky = shown { nmea.satellites(sky, into: &text) }
        return ByteBuffer(bytes: text.bytes)
    }

    private func deliverLater(_ view: SkyView) {
        guard clients.values.contains(where: \.wantsJSON) else { return }
        // More often it would only be in the way of positions: gps3 loses one with each.
        if let lastSkyAt, MonotonicClock.milliseconds - lastSkyAt < ShareHub.leastSkyMilliseconds { return }
        waitingSky = (view, known.state.withdrawalCount)
        scheduleSky()
    }

    private func scheduleSky() {
        pendingSky?.cancel()
        // At a high rate between two reports, so that it is not read together with the next.
        let pause = max(1, min(ShareHub.skyMilliseconds, period / 2))
        pendingSky = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(pause)) { [self] in
            pendingSky = nil
            // What may not be seen any more is not told late either.
            guard let (view, count) = waitingSky, count == known.state.withdrawalCount else { return }
            lastSkyAt = MonotonicClock.milliseconds
            send(.sky(view))
        }
    }
}

/// How many clients are served, and how much of each.
struct ShareLimits: Sendable {
    /// Clients of each door at the same time; gpsd has as many.
    var clients = 64
    /// The number of unsent bytes of a client above which messages for it are dropped.
    var unsentByteCount = 32 << 10
    /// The system's buffer for a client, bytes: it also holds old positions for one that does not read.
    var systemByteCount = 64 << 10
    /// How long a client may ask for nothing, or read nothing; as with gpsd.
    var idleMilliseconds: Int64 = 900_000
    /// How often that is looked at.
    var upkeepInterval = TimeAmount.seconds(60)
}

/// What is known and may be told: written by the task that delivers it, read by the thread of the doors.
final class ShareKnowledge: Sendable {
    private let content = Mutex(SharedState())
    private let listenerCount = Atomic(0)

    /// What is known.
    var state: SharedState { content.withLock { $0 } }

    /// Whether anybody is to be told.
    var hasListeners: Bool { listenerCount.load(ordering: .relaxed) > 0 }

    func setListenerCount(_ count: Int) { listenerCount.store(count, ordering: .relaxed) }

    /// Changes what is known.
    func change<Result: Sendable>(_ body: (inout SharedState) -> Result) -> Result { content.withLock { body(&$0) } }
}
