import NIOCore
import Waypost

/// The shared state of the page's connections; it belongs to their event loop.
final class PageHub {
    let door: PageDoor
    let router: PageRouter
    let limits: PageLimits
    let protection: [(name: String, value: String)]
    let loop: any EventLoop
    private let live: PageBroadcaster
    private var connections: [PageConnection] = []
    private var beat: RepeatedTask?
    private var beatCount = 0
    private var useCount = 0

    /// How many beats there are between two reports of the state.
    private static let beatsPerReport = 5

    init(door: PageDoor, router: PageRouter, live: PageBroadcaster, limits: PageLimits, protection: [(String, String)], loop: any EventLoop)
    {
        (self.door, self.router, self.live, self.limits, self.protection, self.loop) = (door, router, live, limits, protection, loop)
    }

    /// How many streams there are.
    private(set) var streamCount = 0
    /// How many files are being sent.
    var downloadCount = 0

    /// Takes one more connection; of too many the one goes that is needed least: see ``PageCrowd``.
    ///
    /// - Returns: false when the owner is using all of them.
    func admit(_ connection: PageConnection) -> Bool {
        if connections.count >= limits.connections {
            let members = connections.map { PageCrowd.Member(need: $0.need, lastUse: $0.lastUse) }
            guard let least = PageCrowd.leastNeeded(of: members) else { return false }
            connections.remove(at: least).close()
        }
        connections.append(connection)
        noteUse(of: connection)
        return true
    }

    /// Notes that a connection was used just now.
    func noteUse(of connection: PageConnection) {
        useCount += 1
        connection.lastUse = useCount
    }

    /// Whether there can be one more stream; for the owner a guest's ends, if need be.
    func hasRoomForStream(of visitor: PageVisitor) -> Bool {
        if streamCount >= limits.streams, visitor.isOwner {
            connections.filter { $0.watcher?.isOwner == false }.min { $0.lastUse < $1.lastUse }?.close()
        }
        return streamCount < limits.streams
    }

    /// Forgets a connection that has ended.
    func remove(_ connection: PageConnection) {
        connections.removeAll { $0 === connection }
        if connection.watcher != nil { countStreams() }
    }

    func closeAll() {
        beat?.cancel()
        for connection in connections { connection.close() }
    }

    // MARK: Streams

    /// A stream begins: it gets the state, and the events that it has missed.
    ///
    /// - Parameter lastID: the last number that the browser has seen.
    func begin(_ connection: PageConnection, after lastID: String?) {
        countStreams()
        let missed = live.missed(after: lastID)
        let reply = NIOLoopBound(connection, eventLoop: loop)
        guard let visitor = connection.watcher else { return }
        let (loop, router, run) = (loop, router, live.run)
        Task {
            let state = await router.stateEvent(for: visitor, isResumed: missed != nil)
            let fences = await router.fencesEvent()
            loop.execute {
                for event in [state] + (missed ?? []) + [fences] {
                    reply.value.deliver(ByteBuffer(bytes: event.bytes(run: run)), mayBeMissed: false)
                }
            }
        }
    }

    /// Sends an event to every stream, or to those of the owner or of guests alone.
    func broadcast(_ event: ServerSentEvent, mayBeMissed: Bool, toOwners: Bool? = nil) {
        let bytes = buffer(event)
        for connection in connections {
            guard let watcher = connection.watcher, toOwners == nil || watcher.isOwner == toOwners else { continue }
            connection.deliver(bytes, mayBeMissed: mayBeMissed)
        }
    }

    func buffer(_ event: ServerSentEvent) -> ByteBuffer { ByteBuffer(bytes: event.bytes(run: live.run)) }

    /// Reports the state to every stream, soon.
    func report() {
        let visitors = connections.compactMap(\.watcher)
        guard !visitors.isEmpty else { return }
        let hub = NIOLoopBound(self, eventLoop: loop)
        let (loop, router) = (loop, router)
        let hasOwner = visitors.contains { $0.isOwner }
        let guest = visitors.first { !$0.isOwner }
        Task {
            let owners = hasOwner ? await router.stateEvent(for: .owner, isResumed: nil) : nil
            let guests: ServerSentEvent? = if let guest { await router.stateEvent(for: guest, isResumed: nil) } else { nil }
            let fences = await router.fencesEvent()
            loop.execute {
                if let owners { hub.value.broadcast(owners, mayBeMissed: true, toOwners: true) }
                if let guests { hub.value.broadcast(guests, mayBeMissed: true, toOwners: false) }
                hub.value.broadcast(fences, mayBeMissed: true)
            }
        }
    }

    /// Begins the beat with the first stream, and ends it with the last one: without an open page nothing wakes up.
    private func countStreams() {
        streamCount = connections.count { $0.watcher != nil }
        live.setStreamCount(streamCount)
        if streamCount == 0 {
            beat?.cancel()
            beat = nil
        } else if beat == nil {
            let hub = NIOLoopBound(self, eventLoop: loop)
            beat = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in hub.value.takeBeat() }
        }
    }

    private func takeBeat() {
        let now = router.now
        for connection in connections {
            if case .guest(let end)? = connection.watcher, now.map({ $0 >= end }) ?? true { connection.close() }
            if let watcher = connection.watcher, !router.admits(watcher) { connection.close() }
        }
        broadcast(router.beatEvent(), mayBeMissed: true)
        beatCount += 1
        if beatCount % PageHub.beatsPerReport == 0 { report() }
    }
}
