/// Decides which positions one listener gets.
///
/// The first one, the first after a loss, and then each that is at least one step away from the last one the listener got. The step is the larger
/// of its distance filter and its accuracy level's ``DesiredAccuracy/stepMetres``.
public struct UpdateFilter: Sendable {
    /// The step in metres; 0 lets every fix through.
    public let stepMetres: Double
    private var last: Coordinate?

    /// Creates a filter from a distance in metres and an accuracy level.
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

    /// Notes that the position was lost: the next one passes.
    public mutating func lose() {
        last = nil
    }
}
