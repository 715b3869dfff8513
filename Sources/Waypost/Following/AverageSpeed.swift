/// The average speed: the distance covered in the last minute over the time it took.
///
/// Unlike the receiver's speed it needs no Doppler, and unlike the distance between the ends of the window it does not cut corners. Noise at
/// rest does not add up: a step within the two fixes' noise counts only when the receiver reports a speed, and then no further than that speed
/// would carry.
/// - Cost: at most ``capacity`` fixes are kept, however many come.
public struct AverageSpeed: Sendable {
    /// The largest number of fixes kept; when a window has more, only some are used.
    public static let capacity = 128

    private let windowMilliseconds: Int64
    private var fixes: [(time: Int64, coordinate: Coordinate, metres: Double)] = []

    /// Creates an average.
    ///
    /// - Parameter window: the window's length, at least a second.
    public init(window: Duration = .seconds(60)) {
        windowMilliseconds = max(.seconds(1), window).milliseconds
    }

    /// The average in metres per second; nil until there are two fixes.
    public var metresPerSecond: Double? {
        guard let first = fixes.first, let last = fixes.last, last.time > first.time else { return nil }
        return (last.metres - first.metres) / (Double(last.time - first.time) / 1_000)
    }

    /// Processes the next fix; a fix that is not later than the last starts the average anew.
    public mutating func process(_ position: Position) {
        guard let time = position.durationMilliseconds else { return }
        guard let last = fixes.last, time > last.time else {
            fixes = [(time, position.coordinate, 0)]
            return
        }
        // Steps that are too short for the capacity wait until they have added up.
        guard (time - last.time) * Int64(AverageSpeed.capacity) >= windowMilliseconds else { return }
        fixes.append((time, position.coordinate, last.metres + step(from: last, to: position, at: time)))
        while let second = fixes.dropFirst().first, second.time <= time - windowMilliseconds { fixes.removeFirst() }
    }

    /// Notes that the position was lost: later fixes do not connect to earlier ones.
    public mutating func lose() {
        fixes = []
    }

    private func step(from last: (time: Int64, coordinate: Coordinate, metres: Double), to position: Position, at time: Int64) -> Double {
        let metres = Geodesic.distanceMetres(from: last.coordinate, to: position.coordinate)
        guard let speed = position.speedMetresPerSecond, metres <= 2 * (position.accuracy?.radiusMetres ?? 0) else { return metres }
        return min(metres, speed * Double(time - last.time) / 1_000)
    }
}
