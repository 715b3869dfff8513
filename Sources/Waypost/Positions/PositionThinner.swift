/// Decides which fixes a thinned log keeps: enough to show the route, and a few while the device is at rest.
///
/// A fix is compared with the last one kept. The rule, in this order:
///
/// 1. The first fix, the first after ``breakTrack()``, a fix without a time and a fix whose time goes backward are kept.
/// 2. A fix that comes ``Settings/heartbeat`` after the last one kept is kept: a parked box shows that it is still there.
/// 3. At rest nothing else is kept: the receiver reports less than 0.3 m/s, and the fix is less than 50 m from the last place kept.
///    Parked receivers wander by tens of metres, and a distance alone would draw that as a scribble.
/// 4. A fix whose course differs by at least ``Settings/turnDegrees`` from that of the last one kept is kept once it is further away than its
///    own accuracy (and 2 m): turns shape a route, and at shorter distances the course is noise.
/// 5. Any other fix is kept when it is both ``Settings/minimumInterval`` later and ``Settings/minimumMetres`` further on.
///
/// With neither a distance nor an interval every fix is kept.
/// - Cost: one geodesic (some 150 ns) for a fix that is not kept by its time alone.
public struct PositionThinner: Sendable {
    /// How much is kept.
    public struct Settings: Sendable, Hashable {
        /// The shortest distance between two kept fixes, in metres; 0 = any.
        public var minimumMetres = 0.0
        /// The shortest time between two kept fixes; 0 = any.
        public var minimumInterval: Duration = .zero
        /// The change of course that keeps a fix, whatever the distance and the time; 0 = turns do not count.
        public var turnDegrees = 20.0
        /// The longest time without a kept fix; 0 = no limit.
        public var heartbeat: Duration = .seconds(300)

        /// Creates settings that keep every fix.
        public init() {}

        /// Whether any fix may be left out.
        public var isThinning: Bool { minimumMetres > 0 || minimumInterval > .zero }
    }

    /// The Doppler speed below which a receiver may be at rest, in metres per second.
    ///
    /// - Source: speeds of parked receivers in the recordings of <doc:NMEA>: up to 0.2 m/s; a slow walk is 0.8.
    static let restMetresPerSecond = 0.3
    /// The distance that counts as movement even at rest speed: drifting boats, and receivers that report 0.
    static let restMetres = 50.0
    /// The shortest distance over which a course means something.
    static let turnMetres = 2.0

    private let settings: Settings
    private var last: Position?

    /// Creates a thinner before its first fix.
    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// Notes a break in the track: the next fix is kept.
    public mutating func breakTrack() { last = nil }

    /// Whether to keep the next fix.
    public mutating func keeps(_ position: Position) -> Bool {
        guard settings.isThinning else { return true }
        // A fix without time is kept, but no distance is measured from it.
        guard let time = position.time else { return true }
        guard isKept(position, at: time) else { return false }
        last = position
        return true
    }

    private func isKept(_ position: Position, at time: UTCTime) -> Bool {
        guard let last, let before = last.time, time >= before else { return true }
        let interval = Duration.milliseconds(position.milliseconds(since: last) ?? 0)
        if settings.heartbeat > .zero, interval >= settings.heartbeat { return true }
        let metres = Geodesic.distanceMetres(from: last.coordinate, to: position.coordinate)
        if let speed = position.speedMetresPerSecond, speed < PositionThinner.restMetresPerSecond, metres < PositionThinner.restMetres {
            return false
        }
        if isTurn(position, from: last.courseDegrees, metres: metres) { return true }
        return interval >= settings.minimumInterval && metres >= settings.minimumMetres
    }

    private func isTurn(_ position: Position, from lastCourse: Double?, metres: Double) -> Bool {
        guard settings.turnDegrees > 0, let lastCourse, let course = position.courseDegrees,
            metres > max(PositionThinner.turnMetres, position.accuracy?.radiusMetres ?? 0)
        else { return false }
        let difference = abs(course - lastCourse).truncatingRemainder(dividingBy: 360)
        return min(difference, 360 - difference) >= settings.turnDegrees
    }
}
