import Waypost
import WaypostSystem

/// The road files of a path, one or those of a folder, and which of them has the roads around the device.
///
/// A file is opened when the device is in its area, and opened again when it has changed and then stays as it is for a while. One that was
/// changed where it stands is not read any more: what was mapped may be gone.
struct RoadAreas: Sendable {
    /// A file, and what is known of it.
    private struct Area {
        let path: String
        /// The state of the file when it was last tried.
        var stamp: FileStamp?
        var roads: Roads?
        /// When the roads were read; nil before that, and while no clock is set.
        private(set) var readAt: UTCTime?
        /// The box around its roads, once that was read.
        private var box: BoundingBox?
        var failure: RoadFileFailure?
        /// Another state that it was found in, without a stamp when it was not there, and since when.
        var changed: (stamp: FileStamp?, since: Int64)?

        init(path: String) { self.path = path }

        /// Opens it, unless it is opened already, or was found unusable as it is.
        mutating func open() {
            guard roads == nil, failure == nil else { return }
            stamp = FileStamp(of: path)
            read()
        }

        private mutating func read() {
            do throws(RoadFileFailure) {
                roads = try Roads(path: path)
                readAt = UTCTime(millisecondsSince1970: WallClock.milliseconds)
                (failure, box) = (nil, nil)
            } catch {
                failure = error
            }
        }

        /// Whether its area has a place; reads only the first bytes of a file that is not open.
        mutating func reaches(_ place: Coordinate) -> Bool {
            if let roads { return roads.summary.box.reaches(place) }
            guard failure == nil else { return false }
            if box == nil {
                stamp = FileStamp(of: path)
                do throws(RoadFileFailure) { box = try Roads.box(ofFile: path) } catch { failure = error }
            }
            return box?.reaches(place) == true
        }

        /// Notes whether the file has changed.
        mutating func look(now: Int64, settles: Int64) {
            // One that was not needed yet is opened as it is then.
            guard roads != nil || failure != nil else { return }
            let found = FileStamp(of: path)
            guard found != stamp else { return changed = nil }
            // Written over where it stands: reading behind a new end would stop the program.
            if let stamp, let found, found.isSameFile(as: stamp) { roads = nil }
            if roads == nil, failure == nil { failure = .unusable(path: path, .changing) }
            // Removed, perhaps for a moment only: what is mapped stays.
            if changed == nil || changed?.stamp != found { changed = (found, now) }
            guard let changed, now - changed.since >= settles else { return }
            (self.changed, box) = (nil, nil)
            stamp = found
            read()
        }
    }

    private let path: String
    private let settlesMilliseconds: Int64
    private var areas: [Area] = []
    private var currentPath: String?
    private var isFolder = false
    private var listFailure: RoadFileFailure?
    private var nextList = Int64.min
    /// The state of the folder when it was last asked for its files.
    private var folderStamp: FileStamp?

    /// How often a folder is asked for new files of which its own state has not told.
    private static let listMilliseconds: Int64 = 60_000
    /// A road that is not farther is near.
    private static let nearMetres = 60.0

    /// The files of a path, none of which is opened yet.
    ///
    /// - Parameter settles: how long a changed file must stay the same before it is opened.
    init(path: String, settles: Duration) {
        self.path = path
        settlesMilliseconds = Int64(settles / .milliseconds(1))
    }

    /// Roads that stand in no file of a path.
    init(_ roads: Roads) {
        path = ""
        settlesMilliseconds = 0
        var area = Area(path: "")
        area.roads = roads
        areas = [area]
        currentPath = ""
        nextList = .max
    }

    /// The roads that are in use.
    var current: Roads? { currentPath.flatMap { path in areas.first { $0.path == path }?.roads } }

    /// Why no roads, or not all of them, can be used; nil while nothing is wrong.
    var failure: RoadFileFailure? { problem?.failure }

    /// What is wrong, and what holds in spite of it.
    var problem: RoadProblem? {
        if let listFailure { return RoadProblem(failure: listFailure) }
        guard let area = areas.first(where: { $0.failure != nil }), let failure = area.failure else { return nil }
        return RoadProblem(failure: failure, goesOn: area.roads != nil, readAt: area.roads == nil ? nil : area.readAt)
    }

    /// Looks for files that are new or have changed.
    mutating func look(now: Int64) {
        guard nextList < .max else { return }
        // A file that comes or goes changes the folder.
        if now >= nextList || isFolder && FileStamp(of: path) != folderStamp {
            nextList = now + RoadAreas.listMilliseconds
            list()
        }
        for index in areas.indices where areas[index].path == currentPath || areas[index].failure != nil {
            areas[index].look(now: now, settles: settlesMilliseconds)
        }
    }

    /// Opens every file.
    mutating func openAll() {
        list()
        for index in areas.indices { areas[index].open() }
    }

    private mutating func list() {
        isFolder = Syscalls.isFolder(path)
        guard isFolder else {
            if areas.map(\.path) != [path] { areas = [Area(path: path)] }
            currentPath = path
            areas[0].open()
            return listFailure = nil
        }
        folderStamp = FileStamp(of: path)
        do throws(SystemError) {
            let names = try Syscalls.names(inFolder: path).filter { $0.hasSuffix(".\(RoadFileFailure.fileExtension)") }.sorted()
            let paths = names.map { "\(path)/\($0)" }
            // The roads under way stay until other ones are there.
            areas.removeAll { $0.path != currentPath && !paths.contains($0.path) }
            for path in paths where !areas.contains(where: { $0.path == path }) { areas.append(Area(path: path)) }
            listFailure = areas.isEmpty ? .empty(path: path) : nil
        } catch {
            listFailure = .unreadable(path: path, error)
        }
    }

    /// Whether the roads that are in use, or others, reach to a place.
    mutating func cover(_ place: Coordinate) -> Bool {
        areas.indices.contains { areas[$0].reaches(place) }
    }

    /// Goes over to the file that has roads near a place, if that in use has none there; returns whether it did.
    mutating func move(to place: Coordinate, mode: TravelMode, now: Int64) -> Bool {
        guard isFolder, current?.hasRoad(near: place, withinMetres: RoadAreas.nearMetres, mode: mode) != true else { return false }
        for index in areas.indices where areas[index].path != currentPath {
            areas[index].look(now: now, settles: settlesMilliseconds)
            guard areas[index].reaches(place) else { continue }
            areas[index].open()
            guard let roads = areas[index].roads, roads.hasRoad(near: place, withinMetres: RoadAreas.nearMetres, mode: mode) else {
                continue
            }
            currentPath = areas[index].path
            return true
        }
        return false
    }
}

extension BoundingBox {
    /// Whether a place is inside, or so near that a fix of a road inside may be there: within a thousandth of a degree, some 100 m.
    fileprivate func reaches(_ place: Coordinate) -> Bool {
        let margin = 0.001
        let wide = BoundingBox(
            southDegrees: max(southDegrees - margin, -90), westDegrees: max(westDegrees - margin, -180),
            northDegrees: min(northDegrees + margin, 90), eastDegrees: min(eastDegrees + margin, 180))
        return (wide ?? self).contains(place)
    }
}
