/// Drives along a route: one position per interval, at a constant speed, with or without a receiver's noise.
///
/// ```swift
/// guard var simulator = RouteSimulator(route: corners) else { return }       // without a corner there is no route
/// while let position = simulator.next() { use(position) }                    // the last one is the end of the route
/// ```
/// Legs are geodesics of the WGS 84 ellipsoid. Positions have speed, course and accuracy but no time; only the player knows when it began.
/// - Cost: memory for the route's corners, one geodesic per position.
public struct RouteSimulator: Sendable {
    /// The settings of a drive.
    public struct Options: Sendable, Equatable {
        /// The speed along the route in metres per second, one of ``RouteSimulator/speedsMetresPerSecond``.
        public var speedMetresPerSecond = 20.0
        /// The time between positions, one of ``ReplaySchedule/intervals``.
        public var interval: Duration = .seconds(1)
        /// The stated accuracy of positions, in metres (68 %), more than 0.
        public var accuracyMetres = 5.0
        /// The receiver's error; nil for none.
        public var noise: NoiseModel?
        /// Whether the route begins again at its end; the way back to the start is driven like any other leg.
        public var repeats = false

        /// Creates the default options.
        public init() {}

        /// Why nothing can be driven with them, for people; nil when it can.
        public var problem: String? {
            if !RouteSimulator.speedsMetresPerSecond.contains(speedMetresPerSecond) {
                return "the speed is \(speedMetresPerSecond) m/s; it must be from 0.01 to 10000 m/s"
            }
            if !(accuracyMetres > 0 && accuracyMetres.isFinite) { return "the accuracy is \(accuracyMetres) m; it must be more than 0 m" }
            return noise?.problem ?? ReplaySchedule.problem(speed: 1, interval: interval)
        }
    }

    /// The allowed speeds along a route, in metres per second.
    public static let speedsMetresPerSecond = 0.01...1e4

    private struct Leg {
        var start: Coordinate
        var azimuthDegrees: Double
        var lengthMetres: Double
        /// The distance from the start of the route.
        var startMetres: Double

        func place(atMetres metres: Double) -> Coordinate {
            guard metres > startMetres else { return start }
            return Geodesic.end(from: start, azimuthDegrees: azimuthDegrees, distanceMetres: metres - startMetres).coordinate
        }
    }

    /// How it drives.
    public private(set) var options: Options
    private var intervalSeconds: Double
    private let legs: [Leg]
    private let end: Coordinate
    private var noise: NoiseModel?
    private var metres = 0.0
    private var legIndex = 0
    private var hasEnded = false
    /// Where the last position was; nil before the first.
    private var told: (metres: Double, legIndex: Int)?

    /// Whether the drive stands still: positions continue, the progress does not.
    public var isStationary = false

    /// The length of the route in metres; for a repeated route, of one round.
    public let lengthMetres: Double

    /// Creates a drive along these corners; nil when there are none, and with options that have a ``Options/problem``.
    ///
    /// With a single corner the drive stands still there.
    public init?(route: [Coordinate], options: Options = Options()) {
        guard options.problem == nil, let first = route.first, var last = route.last else { return nil }
        var corners = route
        if options.repeats, route.count > 1 {
            corners.append(first)
            last = first
        }
        var legs: [Leg] = []
        var length = 0.0
        for (start, end) in zip(corners, corners.dropFirst()) {
            let geodesic = Geodesic.line(from: start, to: end)
            // Two corners at the same place have no direction.
            guard geodesic.distanceMetres > 0.001 else { continue }
            legs.append(
                Leg(
                    start: start, azimuthDegrees: geodesic.initialAzimuthDegrees, lengthMetres: geodesic.distanceMetres, startMetres: length
                ))
            length += geodesic.distanceMetres
        }
        self.legs = legs
        self.options = options
        intervalSeconds = options.interval / .seconds(1)
        end = last
        lengthMetres = length
        noise = options.noise
    }

    /// How far the drive has come on this round, in metres.
    public var progressMetres: Double { metres }

    /// Goes back to the start of the route.
    public mutating func reset() {
        metres = 0
        legIndex = 0
        hasEnded = false
        told = nil
    }

    /// Goes on with other options from the last position: the next one is the new interval later, at the new speed.
    ///
    /// Whether the route repeats stays as it was. Noise that is the same as before goes on as well.
    /// - Parameter options: options without a ``Options/problem``.
    /// - Returns: whether they were taken; false when there is a problem, and nothing has changed.
    @discardableResult
    public mutating func change(to options: Options) -> Bool {
        guard options.problem == nil else { return false }
        if options.noise != self.options.noise { noise = options.noise }
        let repeats = self.options.repeats
        self.options = options
        self.options.repeats = repeats
        intervalSeconds = options.interval / .seconds(1)
        if let told, !isStationary, !hasEnded {
            (metres, legIndex) = told
            advance(isAtEnd: false)
        }
        return true
    }

    /// The next position; nil after the end of the route.
    ///
    /// A route of a single place, and a repeating route, have no end.
    public mutating func next() -> Position? {
        guard !hasEnded else { return nil }
        guard !legs.isEmpty else { return position(at: end, courseDegrees: nil, speed: 0) }
        while legIndex < legs.count - 1, metres >= legs[legIndex].startMetres + legs[legIndex].lengthMetres { legIndex += 1 }
        let leg = legs[legIndex]
        let isAtEnd = !options.repeats && metres >= lengthMetres
        let place = isAtEnd ? end : leg.place(atMetres: metres)
        told = (metres, legIndex)
        let result = position(
            at: place, courseDegrees: leg.azimuthDegrees, speed: isStationary || isAtEnd ? 0 : options.speedMetresPerSecond)
        if !isStationary { advance(isAtEnd: isAtEnd) }
        return result
    }

    private mutating func advance(isAtEnd: Bool) {
        if isAtEnd { hasEnded = true }
        metres += options.speedMetresPerSecond * intervalSeconds
        guard metres >= lengthMetres else { return }
        if options.repeats {
            metres = metres.truncatingRemainder(dividingBy: lengthMetres)
            legIndex = 0
        } else {
            metres = lengthMetres
        }
    }

    private mutating func position(at place: Coordinate, courseDegrees: Double?, speed: Double) -> Position {
        var coordinate = place
        if noise != nil {
            noise?.advance(bySeconds: intervalSeconds)
            if let error = noise?.errorMetres {
                coordinate = LocalFrame(origin: place).coordinate(PlanePoint(eastMetres: error.east, northMetres: error.north))
            }
        }
        var position = Position(time: nil, coordinate: coordinate, mode: .twoDimensional, status: .gps)
        position.speedMetresPerSecond = speed
        if let courseDegrees { position.courseDegrees = courseDegrees < 0 ? courseDegrees + 360 : courseDegrees }
        position.accuracy = HorizontalAccuracy(radiusMetres: options.accuracyMetres, origin: .assumed)
        return position
    }
}
