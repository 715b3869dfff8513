import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost fences add`: add a circle.
struct FencesAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a circle to the fences of the running tracker.",
        discussion: """
            The fence is kept over restarts, and replaces one with the same id; then it says how that one was. For other shapes see waypost fences \
            import.

            Example: waypost fences add Home --at 52.51702,13.38886 --radius 150
            """)

    @Argument(help: "The fence's name.", transform: NameValue.parse)
    var name: String

    @Option(help: ArgumentHelp("The centre, in degrees.", valueName: "latitude,longitude"), transform: PlaceValue.parse)
    var at: Coordinate

    @Option(help: ArgumentHelp("The radius: \(DistanceValue.forms).", valueName: "distance"), transform: DistanceValue.parse)
    var radius: Double

    @Option(
        help: ArgumentHelp("Report a dwell when the device has stayed inside for this long: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var dwell: Duration?

    @Option(help: "The id that identifies it; default: the name.", transform: NameValue.parse)
    var id: String?

    @Flag(help: "Print one JSON object, with the fence that was replaced.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func validate() throws {
        if name.isEmpty { throw ValidationError("NAME must not be empty") }
        if id?.isEmpty == true { throw ValidationError("--id must not be empty; without it the name is used") }
        _ = try fence()
    }

    func run() throws {
        let fence = try fence()
        let answer = try FenceUpload(daemon).send([fence])
        daemon.tellHidden([fence])
        let output = try OutputStream(path: "-")
        if json { return try output.write(line: String(decoding: answer.line, as: UTF8.self)) }
        let isNew = answer.replacedCount ?? 0 == 0
        var line = "\(isNew ? "added" : "replaced") the fence with the id \(quoted(fence.id))"
        if let previous = answer.previous.first {
            let format = screen.format(by: daemon)
            let (now, before) = (FenceTable.words(entry(fence), format), FenceTable.words(previous, format))
            line += now == before ? ": it is as it was, \(now)" : ": \(now); it was \(before)"
        }
        try output.write(line: printable(line))
    }

    /// The fence as the tracker lists it.
    private func entry(_ fence: Geofence) -> FenceEntry {
        var entry = FenceEntry()
        (entry.id, entry.name, entry.dwellSeconds, entry.radiusMetres) = (fence.id, fence.name, fence.dwellSeconds, radius)
        (entry.latitudeDegrees, entry.longitudeDegrees) = (at.latitudeDegrees, at.longitudeDegrees)
        entry.shape = .circle
        return entry
    }

    private func fence() throws -> Geofence {
        do throws(FenceShapeError) {
            let shape = try FenceShape.circle(centre: at, radiusMetres: radius)
            return Geofence(id: id ?? name, name: name, shape: shape, dwellSeconds: dwell.map { $0 / .seconds(1) })
        } catch {
            throw ValidationError("--radius: \(error.description)")
        }
    }
}

/// `waypost fences import`: add the fences of a file.
struct FencesImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the fences of a file to those of the running tracker.",
        discussion: """
            Reads GeoJSON, Tealium, OwnTracks, Traccar and KML, and says how many fences are new and how many replaced others with the same id. What waypost \
            fences check warns of is told. They are kept over restarts. Name a file that changes by itself in the configuration instead: [geofences] file.

            Example: waypost fences import yards.kml
            """)

    @Argument(help: "The fence file, or - for standard input.", completion: .file(), transform: PathValue.parse)
    var file: String

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let fences = try Patience.during("reading \(file)") { try FenceInput(path: file).fences(warns: true) }
        let replaced = try FenceUpload(daemon).send(fences).replacedCount
        daemon.tellHidden(fences)
        let count = Set(fences.map(\.id)).count
        var line = "imported \(counted(count, "fence"))"
        if let replaced { line += replaced == 0 ? ", all new" : ": \(count - replaced) new, \(replaced) replaced" }
        try OutputStream(path: "-").write(line: line)
    }
}

/// `waypost fences remove`: remove a fence.
struct FencesRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a fence that was added or imported.",
        discussion: """
            When the device is inside, this reports an exit with the reason "removed".

            Example: waypost fences remove Home
            """)

    @Argument(help: "The fence's id, as waypost fences list shows it.", completion: .fence, transform: NameValue.parse)
    var id: String

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let answer = try daemon.ask(RemoveFenceRequest(id: id))
        let rest = answer.isInFile ? "; the fence file has one with this id, which is watched from now on" : ""
        try OutputStream(path: "-").write(line: "removed the fence with the id \(quoted(id))\(rest)")
    }
}

/// `waypost fences export`: the running tracker's fences as a file.
struct FencesExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the fences of the running tracker to a file.",
        discussion: """
            The extension gives the format (.geojson, .kml, .otrw), or --format does. GeoJSON keeps everything; a remark says what another format \
            leaves out.

            Example: waypost fences export fences.geojson
            """)

    @Argument(help: "The file, or - for standard output. (default: -)", completion: .file(), transform: PathValue.parse)
    var file: String = "-"

    @Option(help: "\(FenceFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    var format: FenceFormat?

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let format = try format ?? named()
        let export = FenceFormat.write(try Patience.during("fetching the fences", fences), as: format)
        for remark in export.remarks { SystemProcess.printError("waypost: \(remark)") }
        let output = try OutputStream(path: file)
        if format == .kml {
            try output.write(export.text)
        } else {
            // JSON means the same, and no name in it changes the reading direction of a screen.
            try output.write(bytes: Array(printable(export.text.string, keepsLines: true).utf8))
        }
        try output.finish()
    }

    /// The format of the file's extension; GeoJSON where it has none.
    private func named() throws(CommandFailure) -> FenceFormat {
        let name = file.split(separator: "/").last ?? ""
        guard file != "-", let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...] != "." else { return .geojson }
        let suffix = name[dot...].dropFirst()
        // GeoJSON is JSON.
        if suffix.lowercased() == "json" { return .geojson }
        if let format = FenceFormat(fileExtension: String(suffix)) { return format }
        let formats = FenceFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, what: file, why: "its extension does not give a format", next: "use --format \(formats)")
    }

    private func fences() throws -> [Geofence] {
        var client = try daemon.connect()
        var fences: [Geofence] = []
        var next: UInt64? = 0
        while let start = next {
            let answer = try client.askPatiently(ListFencesRequest(start: start, hasShapes: true))
            do throws(FenceFileError) { fences += try FenceFormat.read(answer.collection?.bytes ?? []).fences } catch {
                throw CommandFailure.strangeAnswer("has fences that cannot be read: \(error.description)")
            }
            next = answer.next
        }
        return fences
    }
}

/// Sends fences to the running tracker, as many at a time as fit into a request; they become one change.
private struct FenceUpload {
    private let daemon: DaemonConnection
    /// The tracker writes and checks all fences.
    private static let timeout: Duration = .seconds(120)

    init(_ daemon: DaemonConnection) {
        self.daemon = daemon
    }

    /// Sends the fences; returns what the tracker says in the end.
    func send(_ fences: [Geofence]) throws -> FencesChanged {
        var answer = FencesChanged()
        var client = try daemon.connect()
        var parts = AddFencesRequest.Parts(of: fences)
        var progress = Progress(name: "fences", totalBytes: Int64(fences.count))
        while let (request, count) = try next(of: &parts) {
            answer = try client.askPatiently(request, timeout: FenceUpload.timeout)
            progress.add(bytes: count)
        }
        progress.add(bytes: 0)
        return answer
    }

    private func next(of parts: inout AddFencesRequest.Parts) throws(CommandFailure) -> (AddFencesRequest, count: Int)? {
        do throws(ControlRefusal) { return try parts.next() } catch { throw CommandFailure(.badData, line: error.message) }
    }
}

extension FenceFormat: ExpressibleByArgument {}
