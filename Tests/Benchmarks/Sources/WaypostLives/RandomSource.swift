import Waypost
import WaypostPositioning

/// A source that ends, fails, goes on for ever, or is a simulated drive.
struct RandomSource: PositionSource {
    static let place: Coordinate = {
        guard let place = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) else {
            WaypostLives.fail("waypost-lives: no place", status: 1)
        }
        return place
    }()
    let name = "random"
    let sharing: SourceSharing
    private let end: End
    private let count: Int

    private enum End: CaseIterable { case finishes, fails, stays, drives }

    init(_ generator: inout SeededGenerator) {
        sharing = Bool.random(using: &generator) ? .alone : .free
        end = End.allCases.randomElement(using: &generator) ?? .stays
        count = Int.random(in: 0...50, using: &generator)
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        Lives.count("runs")
        Lives.running.add(1, ordering: .sequentiallyConsistent)
        defer { Lives.running.subtract(1, ordering: .sequentiallyConsistent) }
        if end == .drives { return try await SimulatedRouteSource(.city, playbackSpeed: 0).run(output) }
        var second: Int64 = 0
        while !Task.isCancelled, end == .stays || second < count {
            let metres = Double(second) * 20
            let coordinate = Geodesic.end(from: Self.place, azimuthDegrees: 30, distanceMetres: metres).coordinate
            await output(
                .position(Position(time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + second * 1_000), coordinate: coordinate)))
            if second % 7 == 3 { await output(.lost(.silent)) }
            second += 1
            if end == .stays { try? await Task.sleep(for: .microseconds(200)) }  // Cancelled: the loop ends.
        }
        if end == .fails { throw .unusable(path: name, reason: "it fails on purpose") }
        if end == .finishes { await output(.finished) }
    }
}
