import WaypostKit

/// Plays a list of events, as fast as they are accepted.
struct ScriptedSource: PlayableSource {
    let name = "script:"
    let control = PlaybackControl()
    var sharing: SourceSharing { .alone }
    private let events: [PositionSourceEvent]

    /// A script of those events.
    init(_ events: [PositionSourceEvent]) {
        self.events = events
    }

    /// The fixes of a drive along these corners at 20 metres per second, one each second.
    static func drive(_ corners: [Coordinate], from start: UTCTime) -> [PositionSourceEvent] {
        guard corners.count > 1, var simulator = RouteSimulator(route: corners) else { return [] }
        var events: [PositionSourceEvent] = []
        while var position = simulator.next() {
            position.time = start.advanced(byMilliseconds: Int64(events.count) * 1_000)
            position.source = "script:"
            events.append(.position(position))
        }
        return events
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        for event in events where !Task.isCancelled { await output(event) }
        if !Task.isCancelled { await output(.finished) }
    }
}
