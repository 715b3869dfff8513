import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost roads build IN OUT`: makes a road file of an extract.
struct RoadsBuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Make a road file of an extract of OpenStreetMap.",
        usage: "waypost roads build <in> <out> [--bbox <box> | --around <place> --km <distance>] [--units <units>]",
        discussion: """
            Reads an .osm.pbf, as from download.geofabrik.de, and keeps the roads that cars, walkers or bicycles may use, with one-way roads, \
            barriers, forbidden turns, speeds and names. An existing file is replaced once the new one is complete.

            With --around and --km, or --bbox, only roads that reach into that area are kept, with less memory: a PC cuts a country's \
            extract so that a small card holds its roads.

            Example: waypost roads build berlin.osm.pbf berlin.roads
            Example: waypost roads build germany.osm.pbf home.roads --around 52.51702,13.38886 --km 40
            """)

    @Argument(help: "The extract: .osm.pbf or .opl.", completion: .file(extensions: ["pbf", "opl"]), transform: PathValue.parse)
    var `in`: String

    @Argument(help: "The road file to write.", completion: .file(), transform: PathValue.parse)
    var out: String

    @Option(
        help: ArgumentHelp("Only roads in this box, in degrees: south,west,north,east.", valueName: "box"), transform: BoxValue.parse)
    var bbox: BoundingBox?

    @Option(
        help: ArgumentHelp("Only roads around this place: latitude,longitude; with --km.", valueName: "place"), transform: PlaceValue.parse)
    var around: Coordinate?

    @Option(
        help: ArgumentHelp("How far from that place to each side, in kilometres.", valueName: "distance"),
        transform: NumberValue.parse("kilometres without a unit, such as 40"))
    var km: Double?

    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let build = RoadBuild(path: `in`, area: try area())
        if let identity = FileIdentity(of: out), identity == FileIdentity(of: `in`) {
            throw CommandFailure(.usage, what: out, why: "is the extract itself", next: "name another file for the roads")
        }
        // Before the work: an output that cannot be written is known at once.
        let output = try OutputStream(path: out)
        let outcome = try build.run()
        try output.write(bytes: outcome.file)
        try output.finish()
        guard out != "-" else { return }
        let report = try OutputStream(path: "-")
        try report.write(line: "\(out): \(outcome.summary.words(screen.format.units))")
        try report.finish()
    }

    private func area() throws -> RoadBuild.Area? {
        if bbox != nil, around != nil { throw ValidationError("--bbox and --around exclude each other") }
        if let bbox { return .box(bbox) }
        guard let around, let km else {
            if around != nil || km != nil { throw ValidationError("--around and --km belong together: --around 52.51702,13.38886 --km 40") }
            return nil
        }
        guard km > 0, km <= 2_000 else { throw ValidationError("--km is \(km); it must be more than 0 and at most 2000") }
        return .around(around, kilometres: km)
    }
}

extension RoadSummary {
    /// What a road file holds, on one line.
    func words(_ units: UnitSystem) -> String {
        let perKilometre = roadMetres > 0 ? Int((Double(byteCount) / roadMetres * 1_000).rounded()) : 0
        return
            "\(units.distance(roadMetres)) of roads, \(counted(wayCount, "way")), \(counted(edgeCount, "edge")), \(counted(turnCount, "forbidden turn"));"
            + " \(sizeText(bytes: byteCount)), \(perKilometre) bytes per km; \(notice)"
    }
}
