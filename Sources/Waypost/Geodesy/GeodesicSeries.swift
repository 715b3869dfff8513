/// One geodesic's series expansions, which depend only on its azimuth α0 where it crosses the equator.
///
/// Everything is a function of the arc σ on the auxiliary sphere, counted from the northward crossing of the equator.
/// - Source: C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013) 43-55, equations 7-9, 15-25 and 40-44, to the sixth
///   order in the flattening: the truncated rest is below a nanometre.
struct GeodesicSeries {
    /// Sine of the azimuth at the equator.
    let sineAtEquator: Double
    /// ε, the expansions' small parameter: 0 for the equator, 0.0017 for a meridian.
    private let epsilon: Double

    private static let thirdFlattening = WGS84.flattening / (2 - WGS84.flattening)

    /// Creates the series of a geodesic that crosses the equator at this azimuth.
    init(azimuthAtEquator azimuth: SineCosine) {
        sineAtEquator = azimuth.sine
        let square = WGS84.secondEccentricitySquared * azimuth.cosine * azimuth.cosine
        epsilon = square / (2 * (1 + (1 + square).squareRoot()) + square)
    }

    /// A1 of equation 17: distance per arc, over the polar radius.
    var distanceScale: Double {
        let square = epsilon * epsilon
        return (1 + square * (1 / 4 + square * (1 / 64 + square / 256))) / (1 - epsilon)
    }

    /// The periodic part of I1 (equations 15 and 18): distance over polar radius and `distanceScale`, without σ itself.
    func distanceWave(_ arc: SineCosine) -> Double {
        let e = epsilon
        let square = e * e
        return Self.sineSum(
            arc,
            e * (-1 / 2 + square * (3 / 16 - square / 32)),
            square * (-1 / 16 + square * (1 / 32 - square * 9 / 2048)),
            square * e * (-1 / 48 + square * 3 / 256),
            square * square * (-5 / 512 + square * 3 / 512),
            square * square * e * (-7 / 1280),
            square * square * square * (-7 / 2048))
    }

    /// The periodic part of the reversion (equations 20 and 21): from distance back to the arc.
    func arcWave(_ distance: SineCosine) -> Double {
        let e = epsilon
        let square = e * e
        return Self.sineSum(
            distance,
            e * (1 / 2 + square * (-9 / 32 + square * 205 / 1536)),
            square * (5 / 16 + square * (-37 / 96 + square * 1335 / 4096)),
            square * e * (29 / 96 - square * 75 / 128),
            square * square * (539 / 1536 - square * 2391 / 2560),
            square * square * e * (3467 / 7680),
            square * square * square * (38081 / 61440))
    }

    /// A2 of equation 42, for the reduced length.
    var reducedScale: Double {
        let square = epsilon * epsilon
        return (1 - epsilon) * (1 + square * (1 / 4 + square * (9 / 64 + square * 25 / 256)))
    }

    /// The periodic part of I2 (equations 41 and 43), for the reduced length.
    func reducedWave(_ arc: SineCosine) -> Double {
        let e = epsilon
        let square = e * e
        return Self.sineSum(
            arc,
            e * (1 / 2 + square * (1 / 16 + square / 32)),
            square * (3 / 16 + square * (1 / 32 + square * 35 / 2048)),
            square * e * (5 / 48 + square * 5 / 256),
            square * square * (35 / 512 + square * 7 / 512),
            square * square * e * (63 / 1280),
            square * square * square * (77 / 2048))
    }

    /// A3 of equation 24: how the longitude falls behind the sphere's.
    var longitudeScale: Double {
        let e = epsilon
        let n = Self.thirdFlattening
        return 1 - e
            * (1 / 2 - n / 2 + e
                * (1 / 4 + n * (1 / 8 - n * 3 / 8) + e * (1 / 16 + n * (3 / 16 + n / 16) + e * (3 / 64 + n / 32 + e * 3 / 128))))
    }

    /// The periodic part of I3 (equations 23 and 25).
    func longitudeWave(_ arc: SineCosine) -> Double {
        let e = epsilon
        let n = Self.thirdFlattening
        let square = e * e
        let first = 1 / 4 - n / 4 + e * (1 / 8 - n * n / 8 + e * (3 / 64 + n * (3 / 64 - n / 64) + e * (5 / 128 + n / 64 + e * 3 / 128)))
        let second = 1 / 16 + n * (-3 / 32 + n / 32) + e * (3 / 64 - n * (1 / 32 + n * 3 / 64) + e * (3 / 128 + n / 128 + e * 5 / 256))
        let third = 5 / 192 + n * (-3 / 64 + n * 5 / 192) + e * (3 / 128 - n * 5 / 192 + e * 7 / 512)
        let fourth = 7 / 512 - n * 7 / 256 + e * 7 / 512
        return Self.sineSum(
            arc, e * first, square * second, square * e * third, square * square * fourth, square * square * e * (21 / 2560), 0)
    }

    /// Σ c_k sin 2kσ by Clenshaw's summation.
    @inline(__always)
    private static func sineSum(
        _ arc: SineCosine, _ c1: Double, _ c2: Double, _ c3: Double, _ c4: Double, _ c5: Double, _ c6: Double
    ) -> Double {
        let twice = 2 * (arc.cosine - arc.sine) * (arc.cosine + arc.sine)
        let b6 = c6
        let b5 = c5 + twice * b6
        let b4 = c4 + twice * b5 - b6
        let b3 = c3 + twice * b4 - b5
        let b2 = c2 + twice * b3 - b4
        let b1 = c1 + twice * b2 - b3
        return 2 * arc.sine * arc.cosine * b1
    }
}
