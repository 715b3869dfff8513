/// One fix: where the receiver was, when, and how accurate that is.
///
/// Unknown values are nil; a `Position` never holds NaN. A report without a fix is a ``NoFix``, not a `Position`.
public struct Position: Sendable, Hashable {
    /// The time of the fix as the receiver reports it; nil until the receiver knows the date.
    public var time: UTCTime?
    /// The place.
    public var coordinate: Coordinate
    /// Whether the fix also solved for the altitude.
    public var mode: FixMode
    /// What kind of solution it is.
    public var status: FixStatus
    /// Height above mean sea level (the geoid) in metres.
    public var altitudeMSLMetres: Double?
    /// Height above the WGS 84 ellipsoid in metres.
    public var altitudeHAEMetres: Double?
    /// Geoid minus ellipsoid in metres: HAE = MSL + separation.
    public var geoidSeparationMetres: Double?
    /// Speed over ground in metres per second.
    public var speedMetresPerSecond: Double?
    /// Course over ground, degrees from true north, 0..<360.
    public var courseDegrees: Double?
    /// Vertical speed in metres per second, up positive.
    public var climbMetresPerSecond: Double?
    /// Horizontal accuracy, 68 %.
    public var accuracy: HorizontalAccuracy?
    /// The source's own quality figures, unchanged.
    public var quality: PositionQuality
    /// The name of the source that reported this position.
    public var source: String?
    /// True if 1024 weeks were added because the receiver's week counter had rolled over.
    public var isWeekRolloverCorrected: Bool
    /// When it came, where durations are measured by the machine's clock.
    @usableFromInline package var moment: FixMoment

    /// Creates a position with only what every fix has; set the rest where it is known.
    @inlinable
    public init(time: UTCTime?, coordinate: Coordinate, mode: FixMode = .twoDimensional, status: FixStatus = .unknown) {
        self.time = time
        self.coordinate = coordinate
        self.mode = mode
        self.status = status
        self.quality = PositionQuality()
        self.isWeekRolloverCorrected = false
        self.moment = FixMoment()
    }
}

extension Position {
    /// The course for formats with at most six decimals: a value that would be rounded to 360 is 0.
    public var writtenCourseDegrees: Double? { courseDegrees.map { $0 < 359.999_999_5 ? $0 : 0 } }
}

/// A receiver's report that it has no fix.
public struct NoFix: Sendable, Hashable {
    /// The receiver's time, when it has one.
    public var time: UTCTime?
    /// The name of the source.
    public var source: String?

    /// Creates a report without a fix.
    @inlinable
    public init(time: UTCTime?, source: String? = nil) {
        self.time = time
        self.source = source
    }
}

/// How many dimensions a fix solved for; the raw values are gpsd's TPV `mode`.
public enum FixMode: Int, Sendable, Hashable {
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3
}

/// The kind of solution; the raw values are gpsd's TPV `status`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FixStatus: Int, Sendable, Hashable {
    /// Not reported.
    case unknown = 0
    /// A plain satellite fix.
    case gps = 1
    /// Corrected by a reference station or SBAS.
    case differential = 2
    /// RTK with fixed integers.
    case rtkFixed = 3
    /// RTK with float ambiguities.
    case rtkFloat = 4
    /// Dead reckoning alone.
    case deadReckoning = 5
    /// Satellites and dead reckoning.
    case gnssDeadReckoning = 6
    /// A receiver at a surveyed place that is used only for its time.
    case timeOnly = 7
    /// Simulated or entered by hand.
    case simulated = 8
    /// Precise positioning service (encrypted signals).
    case precise = 9

    /// Whether the position comes from satellites; estimated, manual and simulated positions do not.
    ///
    /// Positions for which this is false reach listeners, but change no fence and are not logged unless asked for.
    @inlinable public var isMeasured: Bool { self != .deadReckoning && self != .simulated }
}
