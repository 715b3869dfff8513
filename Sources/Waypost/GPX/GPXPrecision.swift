/// How many decimals are written to a GPX file.
public struct GPXPrecision: Sendable, Hashable {
    /// Decimals of latitude and longitude, 7...9; those past the seventh are written only when they are not zero.
    public var coordinateDecimals: Int
    /// Decimals of altitudes and geoid heights, 0...9.
    public var altitudeDecimals: Int
    /// The most decimals of speeds, courses, dilutions and accuracies, 0...9; trailing zeros are left out.
    public var figureDecimals: Int

    /// Whether PDOP is left out when it follows from HDOP and VDOP, to a hundredth (``PositionQuality/impliedPDOP``).
    public var leavesOutImpliedPDOP: Bool

    /// Creates a precision with that many decimals of each kind.
    public init(coordinateDecimals: Int, altitudeDecimals: Int, figureDecimals: Int, leavesOutImpliedPDOP: Bool = false) {
        precondition((7...9).contains(coordinateDecimals), "7 to 9 decimals of a degree")
        precondition((0...9).contains(altitudeDecimals) && (0...9).contains(figureDecimals), "0 to 9 decimals")
        self.coordinateDecimals = coordinateDecimals
        self.altitudeDecimals = altitudeDecimals
        self.figureDecimals = figureDecimals
        self.leavesOutImpliedPDOP = leavesOutImpliedPDOP
    }

    /// The resolution of a receiver: 1.1 cm, 10 cm of height, two decimals of everything else, and no redundant figures.
    public static let log = GPXPrecision(coordinateDecimals: 7, altitudeDecimals: 1, figureDecimals: 2, leavesOutImpliedPDOP: true)
    /// For conversions, so that nothing another program wrote is lost: 0.1 mm, 1 mm of height, six decimals of everything else.
    public static let exchange = GPXPrecision(coordinateDecimals: 9, altitudeDecimals: 3, figureDecimals: 6)
}
