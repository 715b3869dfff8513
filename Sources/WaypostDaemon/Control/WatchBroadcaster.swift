import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// Sends every update to those who watch on the control socket, each what it asked for, and says how closely they need the device followed.
///
/// - Concurrency: connections come and go on the server's thread, updates on the manager's; a lock keeps both in order.
final class WatchBroadcaster: PositioningConsumer {
    fileprivate struct State {
        /// Watches that want positions.
        var watches: [(id: ControlConnectionID, selection: PositionSelection)] = []
        /// Those of them that want places on roads.
        var roadWatches: Set<ControlConnectionID> = []
        /// Watches of those who may only know roughly where the device is.
        var coarse = CoarseWatches()
        var isStationary = false
        var lastKnown: (position: Position, at: Int64?)?
        var server: ControlServer?
        var hold: PositioningHold?
    }

    private let state: Monitor<State>
    private let access: AccessKeeper
    /// The position for those who may only know roughly where the device is.
    let reduced: ReducedPositions

    /// A desk without watches.
    ///
    /// - Parameters:
    ///   - stored: what is known from the run before.
    ///   - access: who may know what.
    ///   - reduced: the position for those who may only know roughly where the device is.
    init(stored: Position?, access: AccessKeeper, reduced: ReducedPositions) {
        (self.access, self.reduced) = (access, reduced)
        state = Monitor(State(lastKnown: stored.map { ($0, nil) }))
        reduced.observe { [weak self] told in
            guard let self, let told else { return }
            state.withLock { $0.deliver(told) }
        }
    }

    /// Where lines go, and where the need for positions is told.
    func open(_ server: ControlServer, hold: PositioningHold) {
        state.withLock { state in
            state.server = server
            state.hold = hold
            state.tellNeed()
        }
    }

    // MARK: - Connections

    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID, level: AuthorisationLevel) {
        let told = reduced.told
        state.withLock { state in
            state.remove(connection)
            if request.positions, level == .reduced {
                if let line = state.coarse.add(connection, request.selection, knowing: told) {
                    state.server?.send(line, to: [connection], needing: .reduced)
                }
            } else if request.positions, level == .full {
                var selection = PositionSelection(request.selection)
                if let lastKnown = state.lastKnown, let report = selection.start(stored: lastKnown.position) {
                    state.server?.send(report.line(age: report.position.age(at: lastKnown.at)), to: [connection])
                }
                state.watches.append((connection, selection))
                if request.wantsMatches { state.roadWatches.insert(connection) }
            }
            state.tellNeed()
        }
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        state.withLock { state in
            state.remove(connection)
            state.tellNeed()
        }
    }

    /// The last position that was known, and how many seconds ago where that is known; nil while nobody may know it.
    var last: (position: Position, ageSeconds: Int?)? { state.withLock(\.last) }

    /// Forgets the last position when it is of that stretch.
    func forget(_ stretch: Range<UTCTime>) {
        state.withLock { state in
            if let time = state.lastKnown?.position.time, stretch.contains(time) { state.lastKnown = nil }
        }
    }

    // MARK: - Updates

    /// Tells everybody who watches an event.
    func deliver(_ event: TrackerEvent) {
        state.withLock { state in
            state.server?.broadcast(ControlProtocol.object("EVENT") { event.write(to: &$0) }, topic: .event)
        }
    }

    func consume(_ update: PositioningUpdate) {
        access.lookNowAndThen()
        if case .position(let position) = update { reduced.process(position) }
        if case .lost(.withheld) = update { reduced.withhold() }
        state.withLock { state in
            switch update {
            case .position(let position):
                state.lastKnown = (position, MonotonicClock.milliseconds)
                state.deliver(position)
            case .noFix(let report):
                state.broadcast(.noFix) { text in TPVCodec.append(report, to: &text) }
            case .sky(let view):
                state.broadcast(.sky) { text in TPVCodec.append(view, to: &text) }
            case .lost(let reason):
                // What may not be seen any more is not told to the next one who asks either.
                if case .withheld = reason { state.lastKnown = nil }
                for index in state.watches.indices { state.watches[index].selection.lose() }
                let last = state.last
                state.broadcast(.loss) { text in
                    var loss = PositionLoss()
                    (loss.reason, loss.detail) = (reason.code, "\(reason)")
                    (loss.lastPosition, loss.lastPositionAgeSeconds) = (last?.position, last?.ageSeconds)
                    text.append(contentsOf: loss.line)
                }
            case .stationary(let isStationary): state.isStationary = isStationary
            case .matched(let match):
                if !state.roadWatches.isEmpty {
                    state.broadcast(.matched) { text in text.append(contentsOf: MatchedLine(match).line) }
                }
            case .status, .finished, .significantChange, .paused, .resumed, .failed: break
            }
        }
    }
}

extension WatchBroadcaster.State {
    /// The last position that was known, and how many seconds ago where that is known.
    fileprivate var last: (position: Position, ageSeconds: Int?)? {
        lastKnown.map { ($0.position, $0.at.map { Int((MonotonicClock.milliseconds - $0) / 1_000) }) }
    }

    fileprivate mutating func remove(_ connection: ControlConnectionID) {
        watches.removeAll { $0.id == connection }
        roadWatches.remove(connection)
        coarse.remove(connection)
    }

    fileprivate mutating func deliver(_ told: PositionReduction.Told) {
        for (line, ids) in coarse.lines(for: told) { server?.send(line, to: ids, needing: .reduced) }
    }

    /// Sends a line to every watch that wants that topic; most boxes are watched now and then only: nobody there, nothing to encode.
    fileprivate func broadcast(_ topic: ControlTopic, _ encode: (inout TextBuffer) -> Void) {
        guard !watches.isEmpty, let server else { return }
        var text = TextBuffer(capacity: 512)
        encode(&text)
        server.broadcast(text.bytes, topic: topic)
    }

    fileprivate mutating func deliver(_ position: Position) {
        guard !watches.isEmpty else { return }
        var (eager, chosen, changed): ([ControlConnectionID], [ControlConnectionID], [ControlConnectionID]) = ([], [], [])
        var isForAll = true
        for index in watches.indices {
            let takesEverything = watches[index].selection.options.takesEverything
            switch watches[index].selection.process(position) {
            case .position where takesEverything: eager.append(watches[index].id)
            case .position: chosen.append(watches[index].id)
            case .significantChange: changed.append(watches[index].id)
            case .nothing: if takesEverything { isForAll = false }
            }
        }
        // Somebody who has just come still waits for a better one.
        if !isForAll { chosen += eager }
        if isForAll, !eager.isEmpty { broadcast(.position) { text in TPVCodec.append(position, to: &text) } }
        if !chosen.isEmpty {
            var text = TextBuffer(capacity: 512)
            TPVCodec.append(position, to: &text)
            server?.send(text.bytes, to: chosen)
        }
        if !changed.isEmpty { server?.send(SignificantChangeRule.Report(position: position, isCached: false).line(age: nil), to: changed) }
        tellNeed()
    }

    /// Tells the manager how closely those who watch need the device followed.
    fileprivate func tellNeed() {
        hold?.needsMatches = !roadWatches.isEmpty
        var needs = watches.map { $0.selection.need(isStationary: isStationary) }
        if !coarse.isEmpty { needs.append(.within(CoarseWatches.interval)) }
        hold?.need = needs.contains(.everyFix) ? .everyFix : needs.min { $0.milliseconds < $1.milliseconds }
    }
}

extension PositioningNeed {
    fileprivate var milliseconds: Int64 {
        switch self {
        case .everyFix: 0
        case .within(let interval): interval.milliseconds
        }
    }
}

extension SignificantChangeRule.Report {
    /// The report as a line: a TPV that says what it is.
    fileprivate func line(age: Duration?) -> [UInt8] {
        WatchedPosition(position, isSignificant: true, isCached: isCached, ageSeconds: age.map { Int($0 / .seconds(1)) }).line
    }
}
