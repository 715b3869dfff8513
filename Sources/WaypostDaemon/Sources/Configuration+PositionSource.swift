import Waypost
import WaypostConfiguration
import WaypostPositioning

extension Configuration {
    /// The source of positions: the only one, or several with fallback.
    ///
    /// - Parameter stateFolder: the folder that keeps what was learned about receivers, and where the last position came from.
    func positionSource(stateFolder: String) -> any PositionSource {
        // The same source twice would only compete with itself.
        var distinct: [Source] = []
        for source in sources where !distinct.contains(where: { $0.url == source.url }) { distinct.append(source) }
        let memory = BaudMemory(path: stateFolder + "/baud-rates")
        let members = distinct.map { source in
            source.url.kind.makeSource(
                SourceSettings(
                    memory: memory, gpsdPorts: localGPSDPorts, neverWrites: source.neverWrites,
                    gpsdUser: source.gpsdUser.isEmpty ? nil : source.gpsdUser))
        }
        if members.count == 1 { return members[0] }
        var times = FallbackRule.Times()
        times.firstFix = Int64(tracking.firstFixTimeout / .milliseconds(1))
        // Otherwise each restart would wait for a gpsd that is not there before it opens the receiver's port.
        return FallbackSource(members, times: times, startingWith: LastPosition(folder: stateFolder).load()?.source)
    }

    /// Whether the last position of the previous run may be shown as the last one now: a place that was played is not where a receiver was.
    func mayShow(_ last: Position) -> Bool {
        guard let source = last.source, let url = try? SourceURL(source),  // A source of another kind has none.
            type(of: url.kind).isPlayed
        else { return true }
        return sources.contains { type(of: $0.url.kind).isPlayed }
    }
}
