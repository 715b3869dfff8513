import func Glibc.cos
import func Glibc.exp
import func Glibc.log
import func Glibc.sin

/// The error of a simulated receiver: slowly wandering, as multipath and atmosphere make it, the same in every run of a seed.
///
/// A first-order Gauss-Markov process for north and east each: `e(t + dt) = e(t) * exp(-dt / tau) + sigma * sqrt(1 - exp(-2 dt / tau)) * n`.
/// - Source: P. D. Groves, "Principles of GNSS, Inertial, and Multisensor Integrated Navigation Systems", 2nd ed., 14.2.
public struct NoiseModel: Sendable {
    /// The standard deviation of either axis in metres.
    public let sigmaMetres: Double
    /// How long the error stays alike, in seconds.
    public let correlationSeconds: Double

    /// The error now, metres to the north and to the east.
    public private(set) var errorMetres: (north: Double, east: Double) = (0, 0)
    private var generator: SeededGenerator
    private var isStarted = false

    /// An error of that size; the one of a parked car under a clear sky wanders for a minute or two.
    public init(sigmaMetres: Double, correlationSeconds: Double = 60, seed: UInt64 = 1) {
        precondition(sigmaMetres >= 0 && correlationSeconds > 0, "a standard deviation is not negative, a correlation time positive")
        self.sigmaMetres = sigmaMetres
        self.correlationSeconds = correlationSeconds
        generator = SeededGenerator(seed: seed)
    }

    /// Lets that much time pass.
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
        // 1 - [0, 1) is never 0, whose logarithm does not exist.
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &self))).squareRoot()
        let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &self)
        return (radius * cos(angle), radius * sin(angle))
    }
}
