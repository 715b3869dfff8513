import func Glibc.exp

/// What turning costs, in metres of way: it is rare to leave the straight road, and rarer to turn round.
///
/// - Source: the form is that of Valhalla's Meili, factor * exp(-angle / 45°) with the angle between the two roads; the factors are ours, tuned on
///   the development tracks.
struct TurnCost: Sendable {
    private let metres: [Double]
    /// The cost of turning round on the road.
    let uTurnMetres: Double

    init(factor: Double, uTurnMetres: Double) {
        // The deflection is 0...128 of 256 to a turn; the angle between the roads is what is missing to half a turn.
        metres = (0...128).map { factor * exp(-(180 - Double($0) * 360 / 256) / 45) }
        self.uTurnMetres = uTurnMetres
    }

    /// The cost of leaving in a direction after coming in another one, both 256 to a turn.
    @inline(__always)
    func metres(from last: UInt8, to first: UInt8) -> Double {
        metres[Int(Int8(bitPattern: first &- last).magnitude)]
    }
}
