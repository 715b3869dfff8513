import Waypost
import WaypostPositioning

/// A lighthouse: it knows where it is, and says so ten times a second.
struct LighthouseSource: PositionSource {
    let name = "lighthouse:"

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        guard let place = Coordinate(latitudeDegrees: 53.8867, longitudeDegrees: 8.1267) else {
            throw .unusable(path: name, reason: "this place is not on the earth")
        }
        var time = UTCTime(millisecondsSince1970: 1_772_366_400_000)
        while !Task.isCancelled {
            var position = Position(time: time, coordinate: place)
            position.accuracy = HorizontalAccuracy(radiusMetres: 1, origin: .receiver)
            position.source = name
            await output(.position(position))
            time = time.advanced(byMilliseconds: 100)
            try? await Task.sleep(for: .milliseconds(100))  // Cancelled: the loop ends.
        }
    }
}
