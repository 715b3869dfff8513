import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost route ROADS --from PLACE --to PLACE`: a route over roads, for a simulated drive.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Find the quickest route over the roads of a road file.",
        discussion: """
            The route is legal: one-way roads, barriers and forbidden turns count. It begins and ends on the nearest roads, at most 500 m away, and says \
            when they are not at the places themselves. GPX goes straight into a simulated drive: waypost run --source route:FILE.

            Example: waypost route berlin.roads --from 52.51702,13.38886 --to 52.52194,13.41321 > drive.gpx
            """)

    /// A format of routes.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case gpx, geojson
    }

    @Argument(help: "The road file.", completion: .file(), transform: PathValue.parse)
    var roads: String

    @Option(help: ArgumentHelp("Where it begins: latitude,longitude.", valueName: "place"), transform: PlaceValue.parse)
    var from: Coordinate

    @Option(help: ArgumentHelp("Where it ends.", valueName: "place"), transform: PlaceValue.parse)
    var to: Coordinate

    @Option(help: ArgumentHelp("A place on the way; as often as wanted, in order.", valueName: "place"), transform: PlaceValue.parse)
    var via: [Coordinate] = []

    @Option(help: "How to travel: car, foot or bicycle.")
    var mode: TravelMode = .car

    @Option(help: "What to print: gpx or geojson.")
    var format: Format = .gpx

    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let places = [from] + via + [to]
        let file = try RoadFileInput.open(roads)
        let route: RoadRoute
        do throws(RouteError) { route = try file.route(places, mode: mode) } catch {
            throw failure(error, places, file.summary)
        }
        for remark in RouteCommand.remarks(route, mode, screen.format.units.distance) {
            SystemProcess.printError("waypost: route: \(remark)")
        }
        let output = try OutputStream(path: "-")
        var text = TextBuffer()
        switch format {
        case .gpx: RouteCommand.appendGPX(route, mode, to: &text)
        case .geojson: RouteCommand.appendGeoJSON(route, mode, to: &text)
        }
        try output.write(text)
        try output.finish()
    }

    /// A place that is not farther from its road is at the road.
    private static let nearMetres = 10.0

    /// Where the route is not at the wanted places.
    private static func remarks(_ route: RoadRoute, _ mode: TravelMode, _ distance: (Double) -> String) -> [String] {
        route.offsetsMetres.enumerated().filter { $1 >= nearMetres }.map { index, metres in
            let isLast = index == route.offsetsMetres.count - 1
            let (what, option) = index == 0 ? ("begins", "--from") : isLast ? ("ends", "--to") : ("passes", "--via number \(index)")
            return "\(what) \(distance(metres.rounded())) from \(option), where the nearest road for \(mode.word) is"
        }
    }

    private func failure(_ error: RouteError, _ places: [Coordinate], _ summary: RoadSummary) -> CommandFailure {
        func text(_ index: Int) -> String { "\(places[index].latitudeDegrees),\(places[index].longitudeDegrees)" }
        return switch error {
        case .noRoad(let place):
            CommandFailure(
                .badData, what: roads, why: "has no road for \(mode.word) within \(screen.format.units.distance(500)) of \(text(place))",
                next: summary.box.contains(places[place])
                    ? "name a place on a road"
                    : RouteCommand.isSwapped(places[place], summary)
                        ? "they may be swapped: write latitude,longitude" : "that is outside of its area; see waypost roads info")
        case .noWay(let place):
            CommandFailure(.badData, what: roads, why: "has no way for \(mode.word) from \(text(place)) to \(text(place + 1))")
        }
    }

    /// Whether a place is in the file's area once its two numbers are exchanged.
    private static func isSwapped(_ place: Coordinate, _ summary: RoadSummary) -> Bool {
        Coordinate(latitudeDegrees: place.longitudeDegrees, longitudeDegrees: place.latitudeDegrees).map(summary.box.contains) ?? false
    }

    /// A route in GPX: one `rte`, with the name of the road where one begins; its own name is data, in metres.
    private static func appendGPX(_ route: RoadRoute, _ mode: TravelMode, to text: inout TextBuffer) {
        var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)", precision: .exchange, requiresTime: false)
        writer.begin(into: &text)
        let name = "\(distanceText(route.lengthMetres)), \(spanText(seconds: Int(route.seconds))) by \(mode.rawValue)"
        writer.beginRoute(name: ([name] + remarks(route, mode, distanceText)).joined(separator: "; "), into: &text)
        var parts = route.parts[...]
        var last: String?
        for (index, coordinate) in route.coordinates.enumerated() {
            var point = GPXPoint(Position(time: nil, coordinate: coordinate, status: .simulated))
            while let part = parts.first, part.firstIndex <= index {
                if part.road.name != last { point.name = part.road.name }
                last = part.road.name
                parts.removeFirst()
            }
            writer.routePoint(point, into: &text)
        }
        writer.end(into: &text)
    }

    private static func appendGeoJSON(_ route: RoadRoute, _ mode: TravelMode, to text: inout TextBuffer) {
        text.appendJSON { json in
            json.object { json in
                json.member("type", "Feature")
                json.object("geometry") { json in
                    json.member("type", "LineString")
                    json.array("coordinates") { json in
                        for coordinate in route.coordinates {
                            json.array { json in
                                json.element(rounded(coordinate.longitudeDegrees, 1e7))
                                json.element(rounded(coordinate.latitudeDegrees, 1e7))
                            }
                        }
                    }
                }
                json.object("properties") { json in
                    json.member("mode", mode.rawValue)
                    json.member("distance_m", rounded(route.lengthMetres, 10))
                    json.member("duration_s", rounded(route.seconds, 10))
                    json.array("offsets_m") { json in for metres in route.offsetsMetres { json.element(rounded(metres, 10)) } }
                    json.array("roads") { json in
                        for part in route.parts {
                            json.object { json in
                                json.member("way_id", Int(part.road.wayNumber))
                                json.member("name", part.road.name)
                                json.member("class", part.road.roadClass.text)
                                json.member("first_index", part.firstIndex)
                            }
                        }
                    }
                }
            }
        }
        text.append(byte: UInt8(ascii: "\n"))
    }

    private static func distanceText(_ metres: Double) -> String {
        metres < 1_000 ? "\(Int(metres.rounded())) m" : "\(rounded(metres / 1_000, 10)) km"
    }
}

/// A number to that part of its unit: `rounded(x, 10)` to a tenth.
func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }

extension TravelMode: ExpressibleByArgument {
    /// The word for whom a road is.
    var word: String {
        switch self {
        case .car: "cars"
        case .foot: "walkers"
        case .bicycle: "bicycles"
        }
    }
}
