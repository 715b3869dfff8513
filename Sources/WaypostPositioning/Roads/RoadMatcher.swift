import Waypost
import WaypostSystem

/// Puts the positions of a manager on the roads of a road file, as they come.
///
/// ```swift
/// await manager.matchPositions(with: try RoadMatcher(path: "/var/lib/waypost/home.roads", mode: .car))
/// ```
/// A road file that is replaced (renamed over) is opened instead of the old one; while the new one cannot be used, the old one stays.
/// - Cost: a few microseconds for a fix at 1 Hz; memory for the pages of the file that are touched.
public actor RoadMatcher: PositionMatching {
    /// Why there is nothing to match with.
    public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The file cannot be read.
        case unreadable(path: String, SystemError)
        /// It is damaged, of another version, or no road file.
        case unusable(path: String, RoadFileError)

        /// For people: `PATH: why`.
        public var description: String {
            switch self {
            case .unreadable(let path, let error): "\(path): cannot be read: \(error.reason)"
            case .unusable(let path, let error): "\(path): \(error)"
            }
        }
    }

    /// How the device travels; a change begins anew.
    public private(set) var mode: TravelMode
    /// The road of the last fix; nil off the roads and while the position is lost.
    public private(set) var currentRoad: Road?

    private let path: String
    private let refreshMilliseconds: Int64
    private var matcher: MapMatcher
    private var stamp: FileStamp?
    private var nextLook: Int64

    /// Opens a road file, and checks that all of it is as it was written.
    ///
    /// - Parameters:
    ///   - path: the road file.
    ///   - mode: how the device travels.
    ///   - refresh: how often it is asked whether the file has been replaced.
    public init(path: String, mode: TravelMode = .car, refresh: Duration = .seconds(60)) throws(Failure) {
        stamp = FileStamp(of: path)
        matcher = MapMatcher(roads: try RoadMatcher.open(path), mode: mode)
        self.path = path
        self.mode = mode
        refreshMilliseconds = refresh.components.seconds * 1_000
        nextLook = MonotonicClock.milliseconds + refreshMilliseconds
    }

    /// Goes on in another mode from the next fix on.
    public func travel(by mode: TravelMode) {
        self.mode = mode
        begin(with: matcher.roads)
    }

    /// The place of the next fix on its road; nil off the roads.
    public func match(_ position: Position) -> MatchedPosition? {
        look()
        guard let result = matcher.process(position).last else { return nil }
        currentRoad = matcher.road(of: result)
        return result.match
    }

    /// The position was lost: the next fix begins anew.
    public func lose() {
        _ = matcher.finish()
        currentRoad = nil
    }

    private func begin(with roads: Roads) {
        matcher = MapMatcher(roads: roads, mode: mode)
        currentRoad = nil
    }

    /// Opens the file that has taken the place of the old one.
    private func look() {
        let now = MonotonicClock.milliseconds
        guard now >= nextLook else { return }
        nextLook = now + refreshMilliseconds
        let found = FileStamp(of: path)
        guard let found, found != stamp else { return }
        // One that cannot be used yet is looked at again when it changes.
        stamp = found
        if let roads = try? RoadMatcher.open(path) { begin(with: roads) }  // See above.
    }

    private static func open(_ path: String) throws(Failure) -> Roads {
        let file: MappedFile
        do throws(SystemError) { file = try MappedFile(path: path) } catch { throw .unreadable(path: path, error) }
        do throws(RoadFileError) {
            let roads = try Roads(file)
            if let damage = roads.damage(release: { file.release($0) }) { throw damage }
            return roads
        } catch {
            throw .unusable(path: path, error)
        }
    }
}
