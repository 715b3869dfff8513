/// Computes the 68 % radius from a source's figures.
public enum RangeErrorModel {
    /// The radius that holds 68 % of positions, from the radius that holds 95 % (gpsd's `eph`); in metres, in whole millimetres.
    ///
    /// - Source: a circular normal error has the ratio sqrt(ln 0.32 / ln 0.05) = 0.617.
    public static func radius68(radius95Metres: Double) -> Double {
        let radius = radius95Metres * 0.62
        return radius < 1e9 ? radius.roundedToMillimetres : radius
    }

    /// The 68 % radius in metres for normally distributed errors with these standard deviations along two axes.
    ///
    /// - Source: the root of the summed squares (DRMS) holds 63 to 68 % depending on the ratio of the axes; the factor is fitted to the
    ///   numerical integral, within 0.5 % for every ratio (shown by a test).
    public static func radius68(sigmasMetres first: Double, _ second: Double) -> Double {
        let major = max(first, second)
        guard major > 0 else { return 0 }
        let ratio = min(first, second) / major
        let square = ratio * ratio
        return major * (1 + square).squareRoot() * (0.990 + square * (0.164 - square * 0.0825))
    }

    /// One standard deviation of the range error in metres for each kind of fix; multiplied by HDOP, it yields the DRMS error.
    ///
    /// - Source: single-frequency receivers at HDOP 1: 3 m in open sky (CEP 2.5 m of u-blox M8's data sheet) to 7 m (Kaplan and Hegarty,
    ///   Understanding GPS, table of the standard positioning service); 5 m lies between. SBAS and DGPS: half. RTK: the centimetre and
    ///   decimetre classes in receivers' data sheets.
    public static func rangeErrorMetres(_ status: FixStatus) -> Double {
        switch status {
        case .rtkFixed: 0.02
        case .rtkFloat: 0.4
        case .differential, .precise: 2.5
        case .deadReckoning: 15
        case .unknown, .gps, .gnssDeadReckoning, .timeOnly, .simulated: 5
        }
    }

    /// The radius in metres that holds 68 % of positions, from HDOP and the kind of fix.
    public static func radius68(hdop: Double, status: FixStatus) -> Double {
        // DRMS to 68 % of a circular normal error: sqrt(-ln 0.32) = 1.0674.
        hdop * rangeErrorMetres(status) * 1.0674
    }
}
