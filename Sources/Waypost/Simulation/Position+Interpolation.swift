extension Position {
    /// The position on the straight line from this one to another: `fraction` 0 is this one, 1 the other.
    ///
    /// Latitude, longitude and heights are linear; speed and course are those of the movement between the two, unless this one has its own. The
    /// accuracy is the worse of the two.
    func interpolated(to other: Position, fraction: Double, spanSeconds: Double) -> Position {
        var position = self
        position.coordinate = coordinate.interpolated(to: other.coordinate, fraction: fraction)
        func mixed(_ value: KeyPath<Position, Double?>) -> Double? {
            guard let start = self[keyPath: value], let end = other[keyPath: value] else { return self[keyPath: value] }
            return start + (end - start) * fraction
        }
        position.altitudeMSLMetres = mixed(\.altitudeMSLMetres)
        position.altitudeHAEMetres = mixed(\.altitudeHAEMetres)
        position.speedMetresPerSecond = mixed(\.speedMetresPerSecond)
        if position.speedMetresPerSecond == nil || position.courseDegrees == nil {
            let geodesic = Geodesic.line(from: coordinate, to: other.coordinate)
            if position.speedMetresPerSecond == nil { position.speedMetresPerSecond = geodesic.distanceMetres / spanSeconds }
            if position.courseDegrees == nil, geodesic.distanceMetres > 0 {
                let azimuth = geodesic.initialAzimuthDegrees
                position.courseDegrees = azimuth < 0 ? azimuth + 360 : azimuth
            }
        }
        if let accuracy = other.accuracy, accuracy.radiusMetres > (position.accuracy?.radiusMetres ?? 0) { position.accuracy = accuracy }
        return position
    }

    /// This position without its time, and with the accuracy assumed for recordings without one.
    var forReplay: Position {
        var position = self
        position.time = nil
        if accuracy == nil { position.accuracy = HorizontalAccuracy(radiusMetres: ReplaySchedule.assumedAccuracyMetres, origin: .assumed) }
        return position
    }
}

extension Coordinate {
    /// The place at that fraction of the line to another, linear in latitude and longitude, the short way round.
    func interpolated(to other: Coordinate, fraction: Double) -> Coordinate {
        var east = other.longitudeDegrees - longitudeDegrees
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        var longitude = longitudeDegrees + east * fraction
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        let latitude = latitudeDegrees + (other.latitudeDegrees - latitudeDegrees) * fraction
        return Coordinate(latitudeDegrees: min(90, max(-90, latitude)), longitudeDegrees: longitude) ?? self
    }
}
