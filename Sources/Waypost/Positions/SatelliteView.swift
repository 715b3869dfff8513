/// The satellites that the receiver sees at one moment.
public struct SkyView: Sendable, Hashable {
    /// The receiver's time, when it has one.
    public var time: UTCTime?
    /// The satellites in view, in the receiver's order.
    public var satellites: [SatelliteView]
    /// Dilutions of precision, when reported with the view.
    public var quality: PositionQuality
    /// The name of the source.
    public var source: String?

    /// Creates a view of the given satellites.
    public init(time: UTCTime?, satellites: [SatelliteView], quality: PositionQuality = PositionQuality(), source: String? = nil) {
        self.time = time
        self.satellites = satellites
        self.quality = quality
        self.source = source
    }
}

/// One satellite as a receiver reports it.
public struct SatelliteView: Sendable, Hashable {
    /// The constellation it belongs to.
    public var constellation: Constellation
    /// The number in the sentence or from gpsd (PRN, or NMEA's extended numbering).
    public var number: Int
    /// Height above the horizon in degrees, -90...90.
    public var elevationDegrees: Double?
    /// Direction in degrees from true north, 0...360.
    public var azimuthDegrees: Double?
    /// Carrier-to-noise density in dB-Hz.
    public var signalDecibelHertz: Double?
    /// Whether the solution uses this satellite.
    public var isUsed: Bool

    /// Creates a satellite with nothing known but its number.
    @inlinable
    public init(constellation: Constellation, number: Int, isUsed: Bool = false) {
        self.constellation = constellation
        self.number = number
        self.isUsed = isUsed
    }
}

/// A satellite system; the raw values are gpsd's (and u-blox's) `gnssid`.
public enum Constellation: Int, Sendable, Hashable {
    /// GPS (United States).
    case gps = 0
    /// Satellite-based augmentation (WAAS, EGNOS, MSAS, GAGAN...).
    case sbas = 1
    /// Galileo (Europe).
    case galileo = 2
    /// BeiDou (China).
    case beidou = 3
    /// QZSS (Japan).
    case qzss = 5
    /// GLONASS (Russia).
    case glonass = 6
    /// NavIC, formerly IRNSS (India).
    case navic = 7
    /// Not reported, or unknown to this library.
    case unknown = -1
}
