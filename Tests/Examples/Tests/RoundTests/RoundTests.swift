import Foundation
import Round
import Testing
import WaypostKit

@Suite(.timeLimit(.minutes(1))) struct RoundTests {
    private let folder = NSTemporaryDirectory() + "round-\(UInt32.random(in: 0...(.max)))"

    /// A drive to the north, with a fix each second.
    private func drive(_ latitudes: ClosedRange<Double>, from start: Int64) -> PositioningManager {
        PositioningManager(source: North(latitudes: latitudes, start: start))
    }

    @Test func readsAFileAndGoesOnAfterARestart() async throws {
        let text = """
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":"yard","properties":{"name":"Yard","radius":120},"geometry":{"type":"Point","coordinates":[8.7,53.87]}},
            {"type":"Feature","id":"odd","properties":{},"geometry":{"type":"Point","coordinates":[8.7,153]}}]}
            """
        let first = try await Round(drive(53.865...53.870, from: 0), folder: folder)
        let remarks = try await first.addPlaces(of: Array(text.utf8))
        #expect(remarks.count == 1)
        var told: [String] = []
        await first.run { told.append($0) }
        await first.close()
        #expect(told == ["came to Yard"])
        let next = try await Round(drive(53.875...53.880, from: 3_600), folder: folder)
        told = []
        await next.run { told.append($0) }
        #expect(told == ["left Yard"], "the late one; the first was heard to the end")
        try await next.remove(id: "yard")
        await next.close()
    }

    @Test func takesAllShapes() async throws {
        let round = try await Round(drive(53.865...53.880, from: 0), folder: folder)
        func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
            try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
        }
        try await round.add(
            yard: place(53.870, 8.7),
            park: [place(53.872, 8.69), place(53.872, 8.71), place(53.876, 8.71), place(53.876, 8.69)],
            pond: [place(53.873, 8.705), place(53.873, 8.706), place(53.874, 8.706), place(53.874, 8.705)],
            road: [place(53.878, 8.69), place(53.878, 8.71)])
        var told: [String] = []
        await round.run { told.append($0) }
        await round.close()
        #expect(told == ["came to Yard", "left Yard", "came to Park", "left Park", "came to Road", "left Road"])
    }
}

/// A drive to the north at 10 m/s, as fast as its listeners accept it.
private struct North: PlayableSource {
    let name = "north:"
    let control = PlaybackControl()
    let latitudes: ClosedRange<Double>
    let start: Int64
    var sharing: SourceSharing { .alone }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        var time = UTCTime(millisecondsSince1970: 1_772_366_400_000 + start * 1_000)
        for latitude in stride(from: latitudes.lowerBound, through: latitudes.upperBound, by: 0.000_09) where !Task.isCancelled {
            guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: 8.7) else { continue }
            var position = Position(time: time, coordinate: place)
            position.speedMetresPerSecond = 10
            position.courseDegrees = 0
            position.accuracy = HorizontalAccuracy(radiusMetres: 3, origin: .receiver)
            position.source = name
            await output(.position(position))
            time = time.advanced(byMilliseconds: 1_000)
        }
        if !Task.isCancelled { await output(.finished) }
    }
}
