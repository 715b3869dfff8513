/// Decides whether the device is at rest: it has not moved for 60 s.
///
/// - A fix counts as moving when its Doppler speed is at least ``movingMetresPerSecond`` or, when the receiver reports no speed, when it is outside
///   the noise. Movement is two such fixes in a row; one alone is an outlier.
/// - Movement ends a rest, and the 60 s begin anew.
/// - At rest, the place that fixes are compared with follows them slowly, so that the drift of a parked receiver (tens of metres in an hour, with
///   a Doppler speed near zero) does not end the rest.
/// - A fix further than ``farthestDriftMetres`` from where the rest began also counts as moving, whatever its speed: a boat that drifts.
/// - Everything runs on the time of the fixes, live on the machine's clock; a loss changes nothing, because the fixes after it decide.
public struct StationaryRule: Sendable {
    /// How long the device must not have moved, in milliseconds.
    public static let restMilliseconds: Int64 = 60_000
    /// The Doppler speed that counts as movement: half the pace of a slow walker; at rest, receivers report less than half of that.
    public static let movingMetresPerSecond = 0.7
    /// The smallest radius of the noise, in metres.
    public static let leastNoiseMetres = 10.0
    /// The noise as a multiple of the 68 % accuracy: 99 % of fixes whose errors are normally distributed.
    public static let accuracyFactor = 2.0
    /// How far a parked receiver may drift, in metres, unless its accuracy is worse.
    public static let farthestDriftMetres = 100.0
    /// How quickly the place of rest follows the fixes: the time constant in milliseconds.
    static let followMilliseconds = 120_000.0

    /// Whether the device is at rest.
    public private(set) var isStationary = false

    /// Where the rest began.
    private var origin: Coordinate?
    /// The place that fixes are compared with; it follows them.
    private var place: Coordinate?
    private var restingSince: Int64?
    private var lastTime: Int64?
    private var movingCount = 0

    /// Whether the last fix was a movement that the next one must confirm.
    public var isInDoubt: Bool { movingCount > 0 }

    /// Creates a rule before its first fix: not at rest.
    public init() {}

    /// Processes the next fix; true when ``isStationary`` has changed.
    @discardableResult
    public mutating func process(_ position: Position) -> Bool {
        guard let time = position.durationMilliseconds else { return false }
        defer { lastTime = time }
        // Where the time of a recording goes back the rule starts anew.
        if let lastTime, time < lastTime { restingSince = nil }
        guard let place, restingSince != nil else {
            rest(at: position.coordinate, since: time)
            return set(false)
        }
        if isMoving(position, from: place) {
            movingCount += 1
            guard movingCount >= 2 else { return false }
            rest(at: position.coordinate, since: time)
            return set(false)
        }
        movingCount = 0
        follow(position.coordinate, from: place, at: time)
        guard let restingSince else { return false }
        return time - restingSince >= StationaryRule.restMilliseconds ? set(true) : false
    }

    private func isMoving(_ position: Position, from place: Coordinate) -> Bool {
        let noise = StationaryRule.accuracyFactor * (position.accuracy?.radiusMetres ?? 0)
        if let origin, Geodesic.distanceMetres(from: origin, to: position.coordinate) > max(StationaryRule.farthestDriftMetres, noise) {
            return true
        }
        if let speed = position.speedMetresPerSecond { return speed >= StationaryRule.movingMetresPerSecond }
        return Geodesic.distanceMetres(from: place, to: position.coordinate) > max(StationaryRule.leastNoiseMetres, noise)
    }

    private mutating func rest(at coordinate: Coordinate, since time: Int64) {
        origin = coordinate
        place = coordinate
        restingSince = time
        movingCount = 0
    }

    private mutating func follow(_ coordinate: Coordinate, from place: Coordinate, at time: Int64) {
        let elapsed = lastTime.map { Double(time - $0) } ?? 0
        self.place = place.interpolated(to: coordinate, fraction: min(1, elapsed / StationaryRule.followMilliseconds))
    }

    private mutating func set(_ value: Bool) -> Bool {
        defer { isStationary = value }
        return isStationary != value
    }
}
