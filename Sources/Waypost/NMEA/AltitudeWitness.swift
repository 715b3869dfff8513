/// Whether a receiver that calls its fixes 2D solves for the altitude all the same, as modems for LTE do.
///
/// A 2D fix stands on an altitude that is held: it does not move. So a fix that is called 2D, with a vertical dilution and at least four
/// satellites, is 3D while the altitude of such fixes has moved within the last minute.
struct AltitudeWitness {
    /// How long a move of the altitude speaks for it, in milliseconds; a receiver at rest may say the same for a while.
    static let validMilliseconds = 60_000
    /// The fewest satellites of a 3D fix.
    static let fewestSatellites = 4

    private var lastAltitude: Double?
    /// When the altitude moved last; nil when it has not.
    private var movedAtMillisecondOfDay: Int?

    /// Takes the next fix that the receiver gives a mode for; whether its altitude was solved for though it is called 2D.
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
