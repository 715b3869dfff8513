extension Position {
    /// The position without what no receiver can mean: numbers that are not finite or out of their range, and a time outside of the years 1 to 9999.
    ///
    /// Sources of other programmers may report anything; what is impossible counts as unknown.
    package var sound: Position {
        var sound = self
        if time?.hasFourDigitYear == false { sound.time = nil }
        if let speed = speedMetresPerSecond, !(speed >= 0 && speed.isFinite) { sound.speedMetresPerSecond = nil }
        if let course = courseDegrees, !(0..<360).contains(course) { sound.courseDegrees = nil }
        if let accuracy, !(accuracy.radiusMetres >= 0 && accuracy.radiusMetres.isFinite) { sound.accuracy = nil }
        Position.dropInfinite(&sound.altitudeMSLMetres)
        Position.dropInfinite(&sound.altitudeHAEMetres)
        Position.dropInfinite(&sound.geoidSeparationMetres)
        Position.dropInfinite(&sound.climbMetresPerSecond)
        Position.dropInfinite(&sound.quality.eph)
        Position.dropInfinite(&sound.quality.epv)
        Position.dropInfinite(&sound.quality.eps)
        Position.dropInfinite(&sound.quality.hdop)
        Position.dropInfinite(&sound.quality.vdop)
        Position.dropInfinite(&sound.quality.pdop)
        return sound
    }

    @inline(__always)
    private static func dropInfinite(_ value: inout Double?) { if value?.isFinite == false { value = nil } }
}
