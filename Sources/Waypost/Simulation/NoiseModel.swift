import func Glibc.cos
import func Glibc.exp
import func Glibc.log
import func Glibc.sin

/// The error of a simulated receiver: it wanders slowly, as with multipath and atmosphere, and is the same in every run with one seed.
///
/// A first-order Gauss-Markov process for north and east each: `e(t + dt) = e(t) * exp(-dt / tau) + sigma * sqrt(1 - exp(-2 dt / tau)) * n`.
/// - Source: P. D. Groves, "Principles of GNSS, Inertial, and Multisensor Integrated Navigation Systems", 2nd ed., 14.2.
public struct NoiseModel: Sendable, Equatable {
    /// The standard deviation of either axis in metres, 0...100000.
    public let sigmaMetres: Double
    /// The time over which the error stays similar, in seconds, more than 0.
    public let correlationSeconds: Double

    /// The current error, in metres north and east.
    public private(set) var errorMetres: (north: Double, east: Double) = (0, 0)
    private var generator: SeededGenerator
    private var isStarted = false

    /// Creates an error of that size; the error of a parked car under a clear sky wanders for a minute or two.
    ///
    /// A size or time out of its range is a ``RouteSimulator/Options/problem`` of the drive.
    public init(sigmaMetres: Double, correlationSeconds: Double = 60, seed: UInt64 = 1) {
        self.sigmaMetres = sigmaMetres
        self.correlationSeconds = correlationSeconds
        generator = SeededGenerator(seed: seed)
    }

    /// Why there is no such error, for people; nil when there is.
    var problem: String? {
        if !(0...100_000).contains(sigmaMetres) { return "the noise has a deviation of \(sigmaMetres) m; it must be from 0 to 100000 m" }
        if correlationSeconds > 0 { return nil }
        return "the noise has a correlation time of \(correlationSeconds) s; it must be more than 0 s"
    }

    /// Whether both are of the same kind, and have come equally far.
    public static func == (left: NoiseModel, right: NoiseModel) -> Bool {
        left.sigmaMetres == right.sigmaMetres && left.correlationSeconds == right.correlationSeconds
            && left.generator == right.generator && left.errorMetres == right.errorMetres
    }

    /// Advances the error by that much time.
    public mutating func advance(bySeconds seconds: Double) {
        let kept = isStarted ? exp(-seconds / correlationSeconds) : 0
        isStarted = true
        let fresh = sigmaMetres * (1 - kept * kept).squareRoot()
        let (first, second) = generator.nextNormalPair()
        errorMetres = (errorMetres.north * kept + fresh * first, errorMetres.east * kept + fresh * second)
    }
}

extension SeededGenerator {
    /// Two independent numbers of the standard normal distribution (Box and Muller 1958).
    mutating func nextNormalPair() -> (Double, Double) {
        // 1 - [0, 1) is never 0, which has no logarithm.
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &self))).squareRoot()
        let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &self)
        return (radius * cos(angle), radius * sin(angle))
    }
}
