/// The average speed: the distance covered in the last minute over the time it took.
///
/// Unlike the receiver's speed it needs no Doppler, and unlike the distance between the ends of the window it does not cut corners. Noise at
/// rest does not add up: a step within the two fixes' noise counts only when the receiver gives a speed, and then as far as that goes.
/// - Cost: at most ``capacity`` fixes are kept, however many come.
public struct AverageSpeed: Sendable {
    /// How many fixes are kept at most; of more per window only some are taken.
    public static let capacity = 128

    /// The window in milliseconds.
    public let windowMilliseconds: Int64
    private var fixes: [(time: Int64, coordinate: Coordinate, metres: Double)] = []

    /// An average over that window.
    public init(windowMilliseconds: Int64 = 60_000) {
        self.windowMilliseconds = max(1_000, windowMilliseconds)
    }

    /// The average in metres per second; nil before there are two fixes.
    public var metresPerSecond: Double? {
        guard let first = fixes.first, let last = fixes.last, last.time > first.time else { return nil }
        return (last.metres - first.metres) / (Double(last.time - first.time) / 1_000)
    }

    /// Takes the next fix; one that is not later than the last begins anew.
    public mutating func process(_ position: Position) {
        guard let time = position.time?.millisecondsSince1970 else { return }
        guard let last = fixes.last, time > last.time else {
            fixes = [(time, position.coordinate, 0)]
            return
        }
        // Steps that are too short for the capacity wait until they have added up.
        guard (time - last.time) * Int64(AverageSpeed.capacity) >= windowMilliseconds else { return }
        fixes.append((time, position.coordinate, last.metres + step(from: last, to: position, at: time)))
        while let second = fixes.dropFirst().first, second.time <= time - windowMilliseconds { fixes.removeFirst() }
    }

    /// The position was lost: what comes next does not connect.
    public mutating func lose() {
        fixes = []
    }

    private func step(from last: (time: Int64, coordinate: Coordinate, metres: Double), to position: Position, at time: Int64) -> Double {
        let metres = Geodesic.distanceMetres(from: last.coordinate, to: position.coordinate)
        guard let speed = position.speedMetresPerSecond, metres <= 2 * (position.accuracy?.radiusMetres ?? 0) else { return metres }
        return min(metres, speed * Double(time - last.time) / 1_000)
    }
}
