/// Detects a receiver that reports 2D fixes although it solves for the altitude, as modems for LTE do.
///
/// A true 2D fix has a fixed altitude, which does not change. So a fix reported as 2D, with a vertical dilution and at least four
/// satellites, is 3D while the altitude of such fixes has changed within the last minute.
struct AltitudeWitness {
    /// How long a change of altitude counts, in milliseconds; a receiver at rest may report the same altitude for a while.
    static let validMilliseconds = 60_000
    /// The fewest satellites of a 3D fix.
    static let fewestSatellites = 4

    private var lastAltitude: Double?
    /// When the altitude last changed; nil when it has not.
    private var movedAtMillisecondOfDay: Int?

    /// Processes the next fix with a mode; returns whether its altitude was solved for although it is reported as 2D.
    mutating func speaksFor(
        _ mode: FixMode?, altitude: Double?, vdop: Double?, satellites: Int?, atMillisecondOfDay moment: Int?
    ) -> Bool {
        guard mode == .twoDimensional, let altitude, vdop != nil, let satellites, satellites >= AltitudeWitness.fewestSatellites, let moment
        else {
            self = AltitudeWitness()
            return false
        }
        if let lastAltitude, lastAltitude != altitude { movedAtMillisecondOfDay = moment }
        lastAltitude = altitude
        guard let moved = movedAtMillisecondOfDay else { return false }
        return TimeOfDay.distance(moment, moved) <= AltitudeWitness.validMilliseconds
    }
}
