/// Decides which positions one listener gets.
///
/// The first one, the first after a loss, and then each that is at least the step away from the last one the listener got: the larger of its
/// distance filter and its accuracy level's ``DesiredAccuracy/stepMetres``.
public struct UpdateFilter: Sendable {
    /// The step in metres; 0 lets every fix through.
    public let stepMetres: Double
    private var last: Coordinate?

    /// A filter of that distance in metres and that level.
    public init(distanceMetres: Double = 0, accuracy: DesiredAccuracy = .best) {
        stepMetres = max(distanceMetres, accuracy.stepMetres)
    }

    /// Whether the listener gets this position.
    public mutating func passes(_ position: Position) -> Bool {
        guard stepMetres > 0 else { return true }
        if let last, Geodesic.distanceMetres(from: last, to: position.coordinate) < stepMetres { return false }
        last = position.coordinate
        return true
    }

    /// Takes that the position was lost: the next one passes.
    public mutating func lose() {
        last = nil
    }
}
