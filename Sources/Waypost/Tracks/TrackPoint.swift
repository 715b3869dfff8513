/// What a map needs of a position, in an eighth of its memory.
package struct TrackPoint: Sendable, Hashable {
    /// The time, in milliseconds since 1970; 0 when it is not known.
    package var milliseconds: Int64
    /// The place.
    package var coordinate: Coordinate
    /// Speed in metres per second, accuracy (68 %) and height above the sea in metres, course in degrees from true north.
    package var speed, accuracy, altitude, course: Float?

    /// The point of a position.
    package init(_ position: Position) {
        milliseconds = position.time?.millisecondsSince1970 ?? 0
        coordinate = position.coordinate
        speed = position.speedMetresPerSecond.map { Float($0) }
        accuracy = (position.accuracy?.radiusMetres).map { Float($0) }
        altitude = position.altitudeMSLMetres.map { Float($0) }
        course = position.courseDegrees.map { Float($0) }
    }
}
