/// Finds where a device stood: at least ``leastMilliseconds`` within ``radiusMetres`` of one place.
///
/// - A red light takes up to two minutes, so three are a stop.
/// - Drift and multipath of a parked receiver do not end a stop: only leaving for ``absenceMilliseconds``, or further than ``farMetres``.
/// - A loss or a pause of the log does not end one either: a tracker that is switched off with the engine stands where it is switched on again.
/// - Units: metres, milliseconds on the time of the fixes; a fix without a time is passed over, and a time that goes backward begins anew.
/// - Cost: a geodesic (some 150 ns) per fix; no memory but the stops found.
package struct StopFinder: Sendable {
    /// A stop.
    package struct Stop: Sendable, Hashable {
        /// The first and the last moment at that place.
        package var since, until: UTCTime
        /// The mean of the fixes.
        package var place: Coordinate
        /// Whether nothing says yet that the device has left.
        package var isOpen: Bool
    }

    /// How long a stop lasts at least.
    package static let leastMilliseconds: Int64 = 180_000
    /// How far from the place a fix may be, unless its accuracy is worse.
    package static let radiusMetres = 30.0
    /// How long fixes must be elsewhere.
    package static let absenceMilliseconds: Int64 = 30_000
    /// A distance that no drift explains.
    package static let farMetres = 150.0

    /// The stops that have ended, in their order.
    package private(set) var stops: [Stop] = []

    private var stay: (since: UTCTime, until: UTCTime, place: Coordinate, count: Double)?
    private var leftAt: UTCTime?

    /// A finder before its first fix.
    package init() {}

    /// Adds the next fix.
    package mutating func add(_ position: Position) {
        guard let time = position.time else { return }
        guard let stay, stay.until <= time else {
            // A clock that was set back ends a stop, and does not undo it.
            end()
            return begin(position.coordinate, time)
        }
        let distance = Geodesic.distanceMetres(from: stay.place, to: position.coordinate)
        // Twice the radius that holds 68 %: nearly all fixes of a parked receiver.
        let radius = min(StopFinder.farMetres / 2, max(StopFinder.radiusMetres, 2 * (position.accuracy?.radiusMetres ?? 0)))
        if distance <= radius {
            // A mean of at most a hundred fixes: it follows the drift of an hour, but no walker.
            let count = min(100, stay.count + 1)
            self.stay = (stay.since, time, stay.place.interpolated(to: position.coordinate, fraction: 1 / count), count)
            leftAt = nil
            return
        }
        let left = leftAt ?? time
        leftAt = left
        let absence = time.millisecondsSince1970 - left.millisecondsSince1970
        if distance > StopFinder.farMetres || absence >= StopFinder.absenceMilliseconds || !isStop {
            end()
            begin(position.coordinate, time)
        }
    }

    /// The stops so far, the one that still lasts included.
    package var all: [Stop] { stops + (current.map { [$0] } ?? []) }

    private var isStop: Bool {
        stay.map { $0.until.millisecondsSince1970 - $0.since.millisecondsSince1970 >= StopFinder.leastMilliseconds } ?? false
    }

    private var current: Stop? {
        guard let stay, isStop else { return nil }
        return Stop(since: stay.since, until: stay.until, place: stay.place, isOpen: true)
    }

    private mutating func begin(_ place: Coordinate, _ time: UTCTime) {
        (stay, leftAt) = ((time, time, place, 1), nil)
    }

    private mutating func end() {
        guard var stop = current else { return }
        stop.isOpen = false
        stops.append(stop)
    }
}
