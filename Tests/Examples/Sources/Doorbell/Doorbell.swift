import Waypost
import WaypostPositioning

/// Rings when the van is within 50 metres of the door, once.
actor Doorbell: PositioningConsumer {
    /// When it rang; nil before.
    private(set) var rangAt: UTCTime?
    private let door: Coordinate

    /// A bell at that door.
    init(door: Coordinate) {
        self.door = door
    }

    func consume(_ update: PositioningUpdate) {
        guard case .position(let position) = update, rangAt == nil else { return }
        if Geodesic.distanceMetres(from: position.coordinate, to: door) < 50 { rangAt = position.time }
    }
}
