/// Decides which positions are significant changes: at least 500 m and at least 300 s from the last one reported.
///
/// The first report is the stored position, marked as such, when there is one; otherwise the first fix. Everything runs on the time of the
/// fixes, live on the machine's clock. A fix is an outlier when it cannot be reached from the one before it at
/// ``greatestSpeedMetresPerSecond`` (or one and a half times the receiver's own speed), allowing for both accuracies: unless the next fix can be
/// reached from it, it does not count.
public struct SignificantChangeRule: Sendable {
    /// A position that is reported.
    public struct Report: Sendable, Equatable {
        /// The position.
        public var position: Position
        /// Whether it is the stored position from before the start rather than a new fix.
        public var isCached: Bool

        /// Creates a report from its parts.
        public init(position: Position, isCached: Bool) {
            self.position = position
            self.isCached = isCached
        }
    }

    /// The shortest distance between two reports, in metres.
    public static let leastMetres = 500.0
    /// The shortest time between two reports, in milliseconds.
    public static let leastMilliseconds: Int64 = 300_000
    /// The highest speed of a car, common train or ship, in metres per second (250 km/h); the receiver's own speed may be higher.
    public static let greatestSpeedMetresPerSecond = 70.0
    /// How many times its 68 % accuracy a fix may be off without being an outlier.
    public static let accuracyFactor = 3.0
    /// The assumed accuracy of a fix without one, in metres: GPS without corrections under trees.
    public static let assumedAccuracyMetres = 15.0

    /// The longest time for which a speed is assumed to stay the same, in milliseconds.
    static let longestGuessMilliseconds: Int64 = 120_000

    private var reported: Position?
    /// The last fix that was not an outlier.
    private var trusted: Position?
    /// A fix that counts as an outlier unless the next one agrees with it.
    private var doubted: Position?

    /// Creates a rule before its first report.
    public init() {}

    /// Whether the last fix is an outlier unless the next one agrees with it.
    public var isInDoubt: Bool { doubted != nil }

    /// The earliest time after the last fix at which the next report can come, in milliseconds; 0 before the first report.
    ///
    /// A moving device is assumed to go at the receiver's speed, or at the speed made good since the last report; because that is a guess, it
    /// holds for no longer than `longestGuessMilliseconds`. A device at rest is assumed not to move.
    public func millisecondsUntilNextReport(isStationary: Bool) -> Int64 {
        guard let reported, let trusted, let elapsed = trusted.milliseconds(since: reported) else { return 0 }
        let untilTime = max(0, SignificantChangeRule.leastMilliseconds - elapsed)
        let metres = Geodesic.distanceMetres(from: reported.coordinate, to: trusted.coordinate)
        guard metres < SignificantChangeRule.leastMetres else { return untilTime }
        if isStationary { return SignificantChangeRule.leastMilliseconds }
        let madeGood = elapsed > 0 ? metres / (Double(elapsed) / 1_000) : 0
        let speed = max(trusted.speedMetresPerSecond ?? 0, madeGood, 1)
        let untilDistance = Int64((SignificantChangeRule.leastMetres - metres) / speed * 1_000)
        return max(untilTime, min(untilDistance, SignificantChangeRule.longestGuessMilliseconds))
    }

    /// Starts with the position that was stored when positioning last ended; returns the first report.
    public mutating func start(stored: Position) -> Report {
        reported = stored
        return Report(position: stored, isCached: true)
    }

    /// Processes the next fix; returns a report when the change is significant.
    public mutating func process(_ position: Position) -> Report? {
        guard position.durationMilliseconds != nil else { return nil }
        if let stored = reported?.time, reported?.moment.milliseconds == nil, position.time.map({ $0 < stored }) ?? true {
            // The date was wrong when it was stored; what is measured from a moment to come would take until then.
            reported?.moment = position.moment
        }
        guard accepts(position) else {
            doubted = position
            return nil
        }
        trusted = position
        doubted = nil
        guard isSignificant(position) else { return nil }
        reported = position
        return Report(position: position, isCached: false)
    }

    private func accepts(_ position: Position) -> Bool {
        guard let trusted else { return true }
        if SignificantChangeRule.canReach(position, from: trusted) { return true }
        guard let doubted else { return false }
        return SignificantChangeRule.canReach(position, from: doubted)
    }

    private func isSignificant(_ position: Position) -> Bool {
        guard let reported else { return true }
        guard let elapsed = position.milliseconds(since: reported) else { return true }
        return elapsed >= SignificantChangeRule.leastMilliseconds
            && Geodesic.distanceMetres(from: reported.coordinate, to: position.coordinate) >= SignificantChangeRule.leastMetres
    }

    private static func canReach(_ position: Position, from start: Position) -> Bool {
        guard let elapsed = position.milliseconds(since: start) else { return false }
        let seconds = Double(abs(elapsed)) / 1_000
        let toldSpeed = max(position.speedMetresPerSecond ?? 0, start.speedMetresPerSecond ?? 0)
        let errors = [position, start].map { $0.accuracy?.radiusMetres ?? assumedAccuracyMetres }.reduce(0, +)
        let reach = seconds * max(greatestSpeedMetresPerSecond, 1.5 * toldSpeed) + accuracyFactor * errors
        return Geodesic.distanceMetres(from: start.coordinate, to: position.coordinate) <= reach
    }
}
