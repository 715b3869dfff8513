/// The kind of movement that a u-blox receiver expects; it decides what the receiver smooths as noise.
///
/// - Source: `CFG-NAV5` of the u-blox 8 / M8 receiver description, `CFG-NAVSPG-DYNMODEL` of the F9 interface description.
package enum UBXDynamicModel: UInt8, Sendable, CaseIterable {
    /// Anything slow; the factory default.
    case portable = 0
    /// Does not move.
    case stationary = 2
    /// On foot.
    case pedestrian = 3
    /// In a car.
    case automotive = 4
    /// At sea: no height.
    case sea = 5
    /// In the air, below 1 g.
    case airborne1g = 6
    /// In the air, below 2 g.
    case airborne2g = 7
    /// In the air, below 4 g.
    case airborne4g = 8
    /// On a wrist.
    case wrist = 9
    /// On a motorcycle.
    case bike = 10
    /// A robotic mower; generation 9 and later.
    case mower = 11
    /// An electric scooter; generation 9 and later.
    case scooter = 12

    /// The name: `automotive`.
    package var name: String { "\(self)" }

    /// The model with that name.
    package init?(name: String) {
        guard let model = UBXDynamicModel.allCases.first(where: { $0.name == name }) else { return nil }
        self = model
    }
}
