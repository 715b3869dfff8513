import Waypost
import WaypostSystem

/// Makes a road file of an extract of OpenStreetMap.
///
/// The extract is read twice, and once more before for a part of it: what is kept in memory is the roads and their nodes, not the extract.
struct RoadBuild {
    /// The extract.
    let path: String
    /// Only roads with a node in this area; nil for all.
    let area: Area?

    /// A part of the extract, as it was asked for.
    enum Area {
        case box(BoundingBox)
        case around(Coordinate, kilometres: Double)

        var box: BoundingBox {
            switch self {
            case .box(let box): box
            case .around(let place, let kilometres): BoundingBox(around: place, radiusMetres: kilometres * 1_000)
            }
        }

        /// Where it is, in the words of the options: `within 5 km of 10.0,10.0 (--around, --km)`.
        var words: String {
            switch self {
            case .box: "in that box (--bbox)"
            case .around(let place, let kilometres):
                "within \(rounded(kilometres, 1_000)) km of \(place.latitudeDegrees),\(place.longitudeDegrees) (--around, --km)"
            }
        }

        /// What is probably meant, with an extract of that area.
        func advice(_ whole: BoundingBox) -> String {
            if case .around(let place, _) = self,
                let other = Coordinate(latitudeDegrees: place.longitudeDegrees, longitudeDegrees: place.latitudeDegrees),
                whole.contains(other)
            {
                return "they may be swapped: write latitude,longitude"
            }
            return "choose a place in it, or get an extract that has this one"
        }
    }

    /// The road file, and what was found.
    struct Outcome {
        var file: [UInt8]
        var summary: RoadSummary
    }

    /// Reads the extract.
    func run() throws(CommandFailure) -> Outcome {
        if Syscalls.isFolder(path) || !Syscalls.exists(path) {
            throw CommandFailure(
                .inputMissing, what: path, why: Syscalls.exists(path) ? "is a folder" : "there is no such file",
                next: "get an extract, such as from https://download.geofabrik.de")
        }
        guard [".pbf", ".opl"].contains(where: path.hasSuffix) else {
            throw CommandFailure(.badData, what: path, why: "is not called like an extract of OpenStreetMap (.osm.pbf, .opl)")
        }
        let inside = try area.map { (area) throws(CommandFailure) in try nodes(in: area) }
        var builder = RoadFileBuilder()
        try read([.ways, .relations], "roads") { object, time in
            builder.dataTime = time
            if object.isWay {
                guard object.hasTags, inside.map({ inside in object.nodes.contains { RoadBuild.contains(inside, $0) } }) ?? true,
                    let way = object.tags.way(number: object.number)
                else { return }
                builder.add(way, nodes: object.nodes)
            } else {
                for restriction in object.tags.restrictions(object.members) { builder.add(restriction) }
            }
        }
        try read(.nodes, "places") { object, _ in
            guard builder.needs(object.number), let coordinate = object.coordinate else { return }
            builder.add(node: object.number, at: coordinate, closedTo: object.hasTags ? object.tags.closedModes : [])
        }
        let finished = Patience.during("writing roads") { [builder] in builder.finish() }
        guard let finished else {
            throw CommandFailure(
                .badData, what: path, why: "holds no road" + (area.map { " \($0.words)" } ?? ""), next: "get an extract with roads in it")
        }
        do throws(RoadFileError) {
            return Outcome(file: finished.file, summary: try Roads(RoadBytes(finished.file)).summary)
        } catch {
            throw CommandFailure(.failed, what: path, why: "what was made of it \(error)")
        }
    }

    /// The numbers of the nodes in a part of the extract, in order.
    private func nodes(in area: Area) throws(CommandFailure) -> [Int64] {
        let box = area.box
        var numbers: [Int64] = []
        var isSorted = true
        var (south, west, north, east) = (90.0, 180.0, -90.0, -180.0)
        try read(.nodes, "area") { object, _ in
            guard let coordinate = object.coordinate else { return }
            (south, north) = (min(south, coordinate.latitudeDegrees), max(north, coordinate.latitudeDegrees))
            (west, east) = (min(west, coordinate.longitudeDegrees), max(east, coordinate.longitudeDegrees))
            guard box.contains(coordinate) else { return }
            if let last = numbers.last, last > object.number { isSorted = false }
            numbers.append(object.number)
        }
        guard !numbers.isEmpty else {
            let whole = BoundingBox(southDegrees: south, westDegrees: west, northDegrees: north, eastDegrees: east)
            let corners = [south, west, north, east].map { "\(rounded($0, 1_000))" }
            throw CommandFailure(
                .badData, what: path,
                why: "has nothing \(area.words)"
                    + (whole == nil ? "" : ": it reaches from \(corners[0]),\(corners[1]) to \(corners[2]),\(corners[3])"),
                next: whole.map(area.advice) ?? "get an extract with roads in it")
        }
        if !isSorted { numbers.sort() }
        return numbers
    }

    private static func contains(_ numbers: [Int64], _ number: Int64) -> Bool {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number
    }

    /// Reads the objects of some kinds, and shows on a terminal how far it is.
    private func read(_ kinds: OSMReader.Kinds, _ what: String, _ body: (OSMObject, UTCTime?) -> Void) throws(CommandFailure) {
        do throws(OSMReader.Failure) {
            var reader = try OSMReader(path: path, kinds)
            let time = reader.dataTime
            var progress = Progress(name: "\(path), \(what)", totalBytes: Int64(clamping: reader.size))
            var shown: UInt64 = 0
            while let object = try reader.next() {
                body(object, time)
                if reader.objectCount % 4_096 == 0, reader.offset > shown {
                    progress.add(bytes: Int(clamping: reader.offset - shown))
                    shown = reader.offset
                }
            }
            progress.clear()
        } catch {
            throw CommandFailure(.badData, what: path, why: "is not an extract of OpenStreetMap: \(error.reason)")
        }
    }
}
