extension Position {
    /// The fastest that anything with a receiver moves, metres per second: the escape velocity of the Earth is 11 186 m/s.
    ///
    /// Export rules stop receivers on sale at 515 or 600 m/s (COCOM, MTCR); satellites in low orbits, at 7 800 m/s, use others.
    static let fastestMetresPerSecond = 12_000.0
    /// The heights at which a receiver can be, metres: the deepest sea has 11 km, and the Moon, where LuGRE had fixes in 2025, is at most
    /// 406 700 km away.
    static let heightsMetres = -12_000.0...500_000_000
    /// The farthest that two places of the Earth are apart, metres: half of the equator is 20 037.5 km.
    static let farthestMetres = 20_037_600.0
    /// Ten times the greatest distance of the geoid from the ellipsoid, metres (EGM2008: -107 m, +86 m).
    static let geoidMetres = 1_000.0
    /// The largest dilution of precision, far above what receivers write when they have none: 99.99, u-blox 655.35, some 9999.
    static let largestDilution = 10_000.0

    /// The position without what no receiver can mean: numbers that are not finite or out of their range, and a time outside of the years 1 to 9999.
    ///
    /// Sources of other programmers may report anything; what is impossible counts as unknown.
    package var sound: Position {
        var sound = self
        if !hasSoundTime { sound.time = nil }
        if !hasSoundSpeed { sound.speedMetresPerSecond = nil }
        if !hasSoundCourse { sound.courseDegrees = nil }
        if !hasSoundAccuracy { sound.accuracy = nil }
        Position.keep(&sound.altitudeMSLMetres, in: Position.heightsMetres)
        Position.keep(&sound.altitudeHAEMetres, in: Position.heightsMetres)
        Position.keep(&sound.geoidSeparationMetres, in: -Position.geoidMetres...Position.geoidMetres)
        Position.keep(&sound.climbMetresPerSecond, in: -Position.fastestMetresPerSecond...Position.fastestMetresPerSecond)
        Position.keep(&sound.quality.eph, in: 0...Position.farthestMetres)
        Position.keep(&sound.quality.epv, in: 0...Position.heightsMetres.upperBound)
        Position.keep(&sound.quality.eps, in: 0...Position.fastestMetresPerSecond)
        Position.keep(&sound.quality.hdop, in: 0...Position.largestDilution)
        Position.keep(&sound.quality.vdop, in: 0...Position.largestDilution)
        Position.keep(&sound.quality.pdop, in: 0...Position.largestDilution)
        return sound
    }

    /// Whether ``sound`` keeps the time, the speed, the course and the accuracy.
    @inline(__always)
    var hasSoundMotion: Bool { hasSoundTime && hasSoundSpeed && hasSoundCourse && hasSoundAccuracy }

    @inline(__always)
    private var hasSoundTime: Bool { time?.hasFourDigitYear != false }

    @inline(__always)
    private var hasSoundSpeed: Bool { speedMetresPerSecond.map { $0 >= 0 && $0 <= Position.fastestMetresPerSecond } ?? true }

    @inline(__always)
    private var hasSoundCourse: Bool { courseDegrees.map { $0 >= 0 && $0 < 360 } ?? true }

    @inline(__always)
    private var hasSoundAccuracy: Bool { accuracy.map { $0.radiusMetres >= 0 && $0.radiusMetres <= Position.farthestMetres } ?? true }

    @inline(__always)
    private static func keep(_ value: inout Double?, in range: ClosedRange<Double>) {
        if let number = value, !range.contains(number) { value = nil }
    }
}
