import func Glibc.cos
import func Glibc.exp
import func Glibc.sin

/// Where the object is, from two independent sources: the fixes, whose errors last for a minute, and the Doppler velocity, whose integral
/// knows how the position moved but not where it began.
///
/// A Kalman filter with two states per axis - the position, and the fixes' present error as a Gauss-Markov process - and the same gains
/// for both axes. The accuracy that the receiver claims is compared with the innovations, and scaled by what is observed.
struct PositionEstimator: Sendable, Hashable {
    /// What is known after a fix.
    struct Estimate: Sendable {
        var coordinate: Coordinate
        /// One standard deviation along an axis, metres.
        var sigmaMetres: Double
        /// False when the estimate started anew with this fix, so that there is no path from the last one to this one.
        var isContinuous: Bool
        /// Fixes in a row that the estimate is based on.
        var fixes: Int
        /// True when the very first fixes prove to have been false.
        var refutesStart = false

        /// The number of standard deviations beyond which the side of a border is certain.
        static let widestSigmas = 8.0
    }

    /// Correlation time of a fix's error, seconds: between the 20 s and the 120 s seen with multipath and with slow ionosphere.
    static let correlationSeconds = 60.0
    /// White part of a fix's error, as a share of the slow part.
    static let whiteShare = 0.25
    /// The standard deviation of one axis over the radius that holds 68 %: 1 / sqrt(-2 ln 0.32).
    static let sigmaPerRadius68 = 0.6624
    /// Error of the Doppler speed, metres per second, and of the course, radians (2 degrees).
    static let speedSigma = 0.2
    static let courseSigma = 0.035
    /// Slow drift of a receiver that reports it stands still, in metres per second.
    static let restSigma = 0.03
    /// More than the error of the Doppler velocity over a path of a few seconds.
    static let dopplerSupportMetres = 1.0
    /// Below this speed the object is at rest: above the noise of a Doppler speed at rest (0.15 m/s), below a walk.
    static let restSpeed = 0.7
    /// Unknown change of the acceleration between fixes, in metres per second cubed: over a span t the trapezium is off by j t³ / 12.
    static let jerkSigma = 0.2
    /// The 68 % radius assumed when the receiver reports no accuracy.
    static let usualRadius68 = 7.5
    /// An innovation beyond that many sigmas and metres is a false fix or a jump.
    static let gateSigmas = 5.0
    static let gateMetres = 5.0
    /// How many fixes in a row make a jump credible when moving.
    static let fixesToBelieve = 5
    /// How many fixes in a row make a jump credible when they outnumber the ones before it.
    static let fixesToOutnumber = 3
    /// How many seconds make a jump credible at rest, where nothing is gained by being quick.
    static let secondsToBelieveAtRest = 120.0
    /// For how many fixes the observed accuracy corrects the variances assumed earlier.
    static let fixesToLearn = 30
    /// The longest gap, in seconds, over which an estimate is carried.
    static let longestGapSeconds = 60.0

    var last: Fix?
    /// Estimate minus last fix, metres.
    var correction = PlanePoint(eastMetres: 0, northMetres: 0)
    /// The fixes' present error as estimated, metres.
    var error = PlanePoint(eastMetres: 0, northMetres: 0)
    /// Covariance of position and error.
    var positionVariance = 0.0
    var covariance = 0.0
    var errorVariance = 0.0
    /// The claimed sigma, smoothed.
    var claimed = 0.0
    /// Observed over claimed variance.
    var scale = 1.0
    var fixes = 0
    /// Fixes in a row that the filter did not accept, since when, and the last of them.
    var doubted = 0
    var doubtedSince = 0.0
    var hasBegunAgain = false
    /// The path by Doppler since the start, and where it was at the last seconds.
    var way = DopplerWay()

    struct Fix: Sendable, Hashable {
        var coordinate: Coordinate
        var seconds: Double
        var velocity: PlanePoint?
        var speed: Double?
    }

    /// The velocity over ground at the last fix, as far as the receiver reported it, in metres per second.
    var velocity: PlanePoint? { last?.velocity }

    /// Whether the last fix came with a velocity.
    var hasVelocity: Bool { last?.velocity != nil }

    /// How far on the old side the path must have been to support a change of side, in metres: a metre by Doppler, three standard deviations
    /// by positions alone.
    var supportMetres: Double { hasVelocity ? Self.dopplerSupportMetres : 3 * positionVariance.squareRoot() }

    /// Processes a fix; `seconds` is its time on any time line.
    mutating func add(_ position: Position, seconds: Double) -> Estimate {
        let fix = Fix(
            coordinate: position.coordinate, seconds: seconds, velocity: Self.velocity(of: position),
            speed: position.speedMetresPerSecond)
        let sigma = Self.sigmaPerRadius68 * max(position.accuracy?.radiusMetres ?? Self.usualRadius68, 0.01)
        guard let last, seconds > last.seconds, seconds - last.seconds <= Self.longestGapSeconds else {
            if let last, seconds == last.seconds, last.coordinate == fix.coordinate { return estimate(isContinuous: true) }
            // What a later start proves false was not the first fix, from which the sides were taken without an event.
            if claimed > 0 { hasBegunAgain = true }
            begin(with: fix, sigma: sigma)
            return estimate(isContinuous: false)
        }
        let span = seconds - last.seconds
        let (moved, movedVariance) = Self.displacement(from: last, to: fix)
        predict(moved, movedVariance, span: span, from: last, to: fix)
        self.last = fix
        let predicted = correction
        let isBelieved = update(sigma: sigma)
        guard isFinite else {
            // No later fix would pass the gate.
            self = PositionEstimator()
            hasBegunAgain = true
            begin(with: fix, sigma: sigma)
            return estimate(isContinuous: false)
        }
        // Without a velocity, the path of the estimates replaces the path by Doppler.
        let known = PlanePoint(
            eastMetres: correction.eastMetres - predicted.eastMetres, northMetres: correction.northMetres - predicted.northMetres)
        way.add(hasVelocity ? moved : known, seconds: seconds)
        if !isBelieved {
            if doubted == 0 { doubtedSince = seconds }
            doubted += 1
            let isAtRest = (fix.speed ?? 10) < Self.restSpeed
            let outnumbers = doubted > fixes && doubted >= Self.fixesToOutnumber
            if outnumbers || doubted >= Self.fixesToBelieve && (!isAtRest || seconds - doubtedSince >= Self.secondsToBelieveAtRest) {
                let isStart = !hasBegunAgain && outnumbers
                begin(with: fix, sigma: sigma)
                hasBegunAgain = true
                var estimate = estimate(isContinuous: false)
                estimate.refutesStart = isStart
                return estimate
            }
        }
        return estimate(isContinuous: true)
    }

    /// Whether every number that the next fix is compared with is one.
    private var isFinite: Bool {
        // One that is none makes the sum infinite or NaN.
        let places = correction.eastMetres + correction.northMetres + error.eastMetres + error.northMetres
        return (places + positionVariance + covariance + errorVariance + claimed + scale).isFinite
    }

    /// Forgets where the object was.
    mutating func lose() {
        last = nil
    }

    private func estimate(isContinuous: Bool) -> Estimate {
        Estimate(
            coordinate: last.map { Self.moved($0.coordinate, correction) }
                ?? Coordinate(cuttingLatitudeDegrees: 0, wrappingLongitudeDegrees: 0),
            sigmaMetres: positionVariance.squareRoot(), isContinuous: isContinuous, fixes: fixes)
    }

    private mutating func begin(with fix: Fix, sigma: Double) {
        last = fix
        correction = PlanePoint(eastMetres: 0, northMetres: 0)
        error = correction
        claimed = claimed > 0 ? claimed : sigma
        let effective = max(sigma, claimed) * scale.squareRoot()
        errorVariance = effective * effective
        covariance = -errorVariance
        positionVariance = errorVariance * (1 + Self.whiteShare * Self.whiteShare)
        doubted = 0
        fixes = 1
        way = DopplerWay()
        way.add(PlanePoint(eastMetres: 0, northMetres: 0), seconds: fix.seconds)
    }

    private mutating func predict(_ moved: PlanePoint, _ movedVariance: Double, span: Double, from last: Fix, to fix: Fix) {
        let between = Self.difference(from: last.coordinate, to: fix.coordinate)
        correction.eastMetres += moved.eastMetres - between.eastMetres
        correction.northMetres += moved.northMetres - between.northMetres
        let decay = exp(-span / Self.correlationSeconds)
        error.eastMetres *= decay
        error.northMetres *= decay
        positionVariance += movedVariance
        covariance *= decay
        errorVariance = decay * decay * errorVariance + claimed * claimed * scale * (1 - decay * decay)
    }

    /// Compares the prediction with the fix; false when the fix is not accepted.
    private mutating func update(sigma: Double) -> Bool {
        // A fix that claims a much worse accuracy than the others counts for less at once; a better claim is only noted.
        claimed += (sigma - claimed) * 0.05
        let white = Self.whiteShare * max(claimed * scale.squareRoot(), sigma > 3 * claimed ? sigma : 0)
        let east = -(correction.eastMetres + error.eastMetres)
        let north = -(correction.northMetres + error.northMetres)
        let innovation = positionVariance + 2 * covariance + errorVariance + white * white
        let squared = east * east + north * north
        let gate = Self.gateSigmas * innovation.squareRoot() + Self.gateMetres
        guard squared <= gate * gate else { return false }
        let positionGain = (positionVariance + covariance) / innovation
        let errorGain = (covariance + errorVariance) / innovation
        correction.eastMetres += positionGain * east
        correction.northMetres += positionGain * north
        error.eastMetres += errorGain * east
        error.northMetres += errorGain * north
        let (oldPosition, oldCovariance) = (positionVariance + covariance, covariance + errorVariance)
        positionVariance -= positionGain * oldPosition
        covariance -= positionGain * oldCovariance
        errorVariance -= errorGain * oldCovariance
        // Two axes of variance `innovation` are expected.
        let ratio = min(squared / (2 * innovation), 9)
        let rate = max(0.05, 1 / Double(fixes + 1))
        let rescaled = min(max(scale * (1 + rate * (ratio - 1)), 1.0 / 16), 16)
        if fixes < Self.fixesToLearn {
            // Until then the variances are mostly what was claimed at first.
            let factor = rescaled / scale
            positionVariance *= factor
            covariance *= factor
            errorVariance *= factor
        }
        scale = rescaled
        doubted = 0
        fixes += 1
        return true
    }

    /// The velocity over ground, metres per second; nil when it is not known.
    ///
    /// A receiver at rest has a speed but no course.
    private static func velocity(of position: Position) -> PlanePoint? {
        guard let speed = position.speedMetresPerSecond else { return nil }
        guard let course = position.courseDegrees else {
            return speed < restSpeed ? PlanePoint(eastMetres: 0, northMetres: 0) : nil
        }
        let angle = SineCosine(degrees: course)
        return PlanePoint(eastMetres: speed * angle.sine, northMetres: speed * angle.cosine)
    }

    /// How the object moved by Doppler between two fixes, and the variance of that movement along an axis.
    private static func displacement(from last: Fix, to fix: Fix) -> (PlanePoint, Double) {
        let span = fix.seconds - last.seconds
        let unknown = jerkSigma * span * span * span / 12
        guard let before = last.velocity ?? fix.velocity, let after = fix.velocity ?? last.velocity else {
            // No velocity: the position may have moved as its fixes did, or by a metre and a half per second.
            let between = difference(from: last.coordinate, to: fix.coordinate)
            return (PlanePoint(eastMetres: 0, northMetres: 0), between.distanceMetres * between.distanceMetres + 2.25 * span * span)
        }
        let moved = PlanePoint(
            eastMetres: (before.eastMetres + after.eastMetres) / 2 * span, northMetres: (before.northMetres + after.northMetres) / 2 * span)
        let speed = max(before.distanceMetres, after.distanceMetres)
        let turn = PlanePoint(
            eastMetres: after.eastMetres - before.eastMetres, northMetres: after.northMetres - before.northMetres
        ).distanceMetres
        let correlated = span * max(span, 1)
        guard speed > 0 else { return (moved, restSigma * restSigma * correlated + (span > 1 ? unknown * unknown : 0)) }
        let noise = speedSigma * speedSigma + courseSigma * courseSigma * speed * speed
        // A path that bends between its ends departs from the trapezium by an eighth of the change at most.
        let bend = turn * span / 8
        return (moved, noise * correlated / 2 + bend * bend + unknown * unknown)
    }

    /// Metres from one place to another on the flat map between them.
    static func difference(from start: Coordinate, to end: Coordinate) -> PlanePoint {
        let angle = SineCosine(degrees: (start.latitudeDegrees + end.latitudeDegrees) / 2)
        let radii = WGS84.curvatureRadii(sineSquared: angle.sine * angle.sine)
        return PlanePoint(
            eastMetres: (end.longitudeDegrees - start.longitudeDegrees).wrappedDegrees.inRadians * radii.primeVertical * angle.cosine,
            northMetres: (end.latitudeDegrees - start.latitudeDegrees).inRadians * radii.meridian)
    }

    /// The place some metres from another one; where that would cross a pole, the estimate stays at the fix.
    static func moved(_ place: Coordinate, _ by: PlanePoint) -> Coordinate {
        let angle = SineCosine(degrees: place.latitudeDegrees)
        let radii = WGS84.curvatureRadii(sineSquared: angle.sine * angle.sine)
        let parallel = radii.primeVertical * angle.cosine
        guard by.distanceMetres < parallel / 10 else { return place }
        return Coordinate(
            cuttingLatitudeDegrees: place.latitudeDegrees + (by.northMetres / radii.meridian).inDegrees,
            wrappingLongitudeDegrees: place.longitudeDegrees + (by.eastMetres / parallel).inDegrees)
    }
}
