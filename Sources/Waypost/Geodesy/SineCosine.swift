import func Glibc.cos
import func Glibc.sin

/// The sine and cosine of an angle, which avoid the angle's rounding errors.
struct SineCosine: Sendable {
    var sine: Double
    var cosine: Double

    @inline(__always)
    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// Creates the pair for an angle in radians.
    @inline(__always)
    init(radians: Double) {
        self.init(sine: sin(radians), cosine: cos(radians))
    }

    /// Creates the pair for an angle in degrees, exact at multiples of 90: the cosine of 90 degrees is 0, so that a pole is one point.
    init(degrees: Double) {
        let quarters = (degrees / 90).rounded()
        let inner = SineCosine(radians: (degrees - quarters * 90).inRadians)
        // Whole turns drop out: only the quarter, 0...3, counts.
        switch Int(quarters.remainder(dividingBy: 4)) & 3 {
        case 0: self = inner
        case 1: self.init(sine: inner.cosine, cosine: -inner.sine)
        case 2: self.init(sine: -inner.sine, cosine: -inner.cosine)
        default: self.init(sine: -inner.cosine, cosine: inner.sine)
        }
    }

    /// The angle that many degrees further on; up to a tenth of a degree by a short series, within 3e-16 and several times as fast.
    @inline(__always)
    func advanced(byDegrees degrees: Double) -> SineCosine {
        let step = degrees.inRadians
        let square = step * step
        guard square < 3.05e-6 else {
            let turn = SineCosine(degrees: degrees)
            return SineCosine(
                sine: sine * turn.cosine + cosine * turn.sine, cosine: cosine * turn.cosine - sine * turn.sine)
        }
        // The next terms of the series are below 1e-22.
        let stepSine = step * (1 - square * (1.0 / 6) * (1 - square * (1.0 / 20)))
        let versine = square * (0.5 - square * (1.0 / 24) * (1 - square * (1.0 / 30)))
        return SineCosine(
            sine: sine + (cosine * stepSine - sine * versine), cosine: cosine - (sine * stepSine + cosine * versine))
    }
}

extension Double {
    /// Degrees converted to radians.
    @inline(__always) var inRadians: Double { self * (.pi / 180) }
    /// Radians converted to degrees.
    @inline(__always) var inDegrees: Double { self * (180 / .pi) }

    /// The same angle in degrees, brought into -180...180 by whole turns.
    ///
    /// An angle already in that range stays as it is, including both 180 and -180.
    @inline(__always) var wrappedDegrees: Double { abs(self) <= 180 ? self : self.remainder(dividingBy: 360) }
}
