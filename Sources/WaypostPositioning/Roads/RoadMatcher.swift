import Waypost
import WaypostSystem

/// Puts the positions of a manager on the roads of a road file, as they come.
///
/// ```swift
/// await manager.matchPositions(with: try RoadMatcher(path: "/var/lib/waypost/home.roads", mode: .car))
/// ```
/// Of a folder of road files that one is used which has roads around the device; at the border of two areas it goes over to the other one. A
/// road file that is replaced is opened instead of the old one; while the new one cannot be used, the old one stays.
/// - Cost: a few microseconds for a fix at 1 Hz; memory for the pages of the file that are touched. Opening reads the whole file once.
public actor RoadMatcher: PositionMatching {
    /// How the device travels; ``travel(by:)`` changes it.
    public private(set) var mode: TravelMode?
    /// The road of the last fix; nil off the roads and while the position is lost.
    public private(set) var currentRoad: Road?

    private var areas: RoadAreas
    /// Is told when something is wrong with a file, or no longer.
    private var noteProblem: (@Sendable (RoadProblem?) -> Void)?
    private var notedProblem: RoadProblem?
    /// Nil while there are no roads.
    private var matcher: MapMatcher?

    /// Opens a road file, or a folder of road files (`*.roads`).
    ///
    /// - Parameters:
    ///   - path: the road file, or the folder.
    ///   - mode: how the device travels.
    ///   - settling: how long a file that has changed must stay as it is before it is opened.
    /// - Errors: the file, or the folder, cannot be used. One of several files that cannot is left out: see ``failure``.
    public init(path: String, mode: TravelMode = .car, settling: Duration = .seconds(2)) throws(RoadFileFailure) {
        var areas = RoadAreas(path: path, settles: settling)
        areas.look(now: MonotonicClock.milliseconds)
        if let failure = areas.failure { throw failure }
        self.areas = areas
        self.mode = mode
    }

    /// Matches to roads that are open already.
    ///
    /// - Parameters:
    ///   - roads: the roads.
    ///   - mode: how the device travels.
    public init(roads: Roads, mode: TravelMode = .car) {
        areas = RoadAreas(roads)
        self.mode = mode
    }

    /// Matches to the roads of a file, or a folder of files, that may not be there yet; it is opened for the first fix.
    ///
    /// - Parameters:
    ///   - path: the road file, or the folder.
    ///   - mode: how the device travels.
    ///   - noteProblem: is told what is wrong with a file, and nil when nothing is any more.
    package init(openingLater path: String, mode: TravelMode, noteProblem: @escaping @Sendable (RoadProblem?) -> Void) {
        areas = RoadAreas(path: path, settles: .seconds(2))
        self.mode = mode
        self.noteProblem = noteProblem
    }

    /// Checks a road file, or all files of a folder.
    ///
    /// - Errors: one of them cannot be used.
    package static func check(path: String) throws(RoadFileFailure) {
        var areas = RoadAreas(path: path, settles: .zero)
        areas.openAll()
        if let failure = areas.failure { throw failure }
    }

    /// Why there are no roads, or why a file of the folder is left out; nil while all is well.
    public var failure: RoadFileFailure? { areas.failure }

    /// What is wrong with a file, and whether the roads that were read before are still used; nil while all is well.
    package var problem: RoadProblem? { areas.problem }

    /// The roads that are in use; nil while there are none.
    package var roads: Roads? { areas.current }

    /// Opens what is to be opened, so that ``failure`` says what is wrong.
    package func look() { look(now: MonotonicClock.milliseconds) }

    private func look(now: Int64) {
        areas.look(now: now)
        guard let noteProblem, areas.problem != notedProblem else { return }
        notedProblem = areas.problem
        noteProblem(notedProblem)
    }

    /// Whether a file has the area of a place.
    ///
    /// - Parameter place: the place.
    package func covers(_ place: Coordinate) -> Bool { areas.cover(place) }

    /// Goes on in another mode from the next fix on.
    public func travel(by mode: TravelMode) {
        self.mode = mode
        begin()
    }

    /// The place of the next fix on its road; nil off the roads.
    public func match(_ position: Position) -> MatchedPosition? {
        let now = MonotonicClock.milliseconds
        look(now: now)
        if areas.current !== matcher?.roads { begin() }
        var found = matcher?.process(position).last
        if found?.match == nil, let mode, areas.move(to: position.coordinate, mode: mode, now: now) {
            begin()
            found = matcher?.process(position).last
        }
        guard let found, var match = found.match else {
            currentRoad = nil
            return nil
        }
        // Most fixes are on the road of the one before.
        if currentRoad?.wayNumber != match.wayID { currentRoad = matcher?.road(of: found) }
        match.road = currentRoad
        return match
    }

    /// The position was lost: the next fix begins anew.
    public func lose() {
        _ = matcher?.finish()
        currentRoad = nil
    }

    private func begin() {
        matcher = areas.current.map { MapMatcher(roads: $0, mode: mode ?? .car) }
        currentRoad = nil
    }
}
