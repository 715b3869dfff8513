/// Decides which positions one listener gets.
///
/// - Quality: a position whose accuracy is worse than the level's ``DesiredAccuracy/limitMetres`` is left out, unless none has reached the limit
///   for ``DesiredAccuracy/patience``: a receiver in a street canyon is not hidden from anybody. After the start and after a loss the first such
///   position begins that wait. A position without an accuracy or a time, and one that was made coarse on purpose, is taken as it is.
/// - Distance: of the others it gets the first one, the first after a loss, and then each that is at least one step away from the last one it
///   got. The step is the larger of its distance filter and its accuracy level's ``DesiredAccuracy/stepMetres``.
public struct UpdateFilter: Sendable {
    /// The step in metres; 0 lets every fix through.
    public let stepMetres: Double
    /// The worst accuracy of a fix that passes at once, in metres (68 %); nil for any.
    public let limitMetres: Double?
    private var last: Coordinate?
    /// Since when better positions have not come: the moment of the last that was good enough, or of the first one.
    private var waitingSince: Int64?

    /// Creates a filter from a distance in metres and an accuracy level.
    ///
    /// - Parameters:
    ///   - distanceMetres: the shortest distance between two positions.
    ///   - accuracy: the level.
    ///   - takesPoor: whether poor positions pass like all others: for a log.
    public init(distanceMetres: Double = 0, accuracy: DesiredAccuracy = .best, takesPoor: Bool = false) {
        stepMetres = max(distanceMetres, accuracy.stepMetres)
        limitMetres = takesPoor ? nil : accuracy.limitMetres
    }

    /// Whether the listener gets this position.
    public mutating func passes(_ position: Position) -> Bool {
        guard isAsGoodAsItGets(position) else { return false }
        guard stepMetres > 0 else { return true }
        if let last, Geodesic.distanceMetres(from: last, to: position.coordinate) < stepMetres { return false }
        last = position.coordinate
        return true
    }

    /// Notes that the position was lost: the next one passes if it is good enough.
    public mutating func lose() {
        last = nil
        waitingSince = nil
    }

    private mutating func isAsGoodAsItGets(_ position: Position) -> Bool {
        guard let limitMetres, let now = position.durationMilliseconds, let accuracy = position.accuracy, accuracy.origin != .reduced else {
            return true
        }
        guard accuracy.radiusMetres > limitMetres else {
            waitingSince = now
            return true
        }
        // A recording whose time goes back begins the wait anew.
        guard let waitingSince, waitingSince <= now else {
            self.waitingSince = now
            return false
        }
        return now - waitingSince >= DesiredAccuracy.patience.milliseconds
    }
}
