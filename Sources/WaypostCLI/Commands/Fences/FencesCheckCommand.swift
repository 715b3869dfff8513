import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost fences check FILE`: the mistakes and doubtful entries in a fence file.
struct FencesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report the mistakes in a fence file, and where they are.",
        discussion: """
            Errors are entries that give no fence. Warnings are probably mistakes: swapped coordinates, rings that are open or cross themselves, holes \
            outside, fences smaller than a receiver can resolve, repeated names and areas, expired fences. Notes are worth knowing, such as \
            overlaps. The contents give the format: GeoJSON with properties name, radius, width, dwell_seconds, expires, \
            notify; Tealium's geofences.json; OwnTracks waypoints; Traccar geofences; KML.

            Exit code 0 with warnings, 65 when nothing is usable or, with --strict, when there is an error.

            Example: waypost fences check yards.geojson --strict
            """)

    @Argument(help: "The fence file; - is standard input.", completion: .file(), transform: PathValue.parse)
    var file: String

    @Flag(help: "Exit with 65 when an entry gives no fence.")
    var strict = false

    @Flag(help: "Print one JSON object per remark, and one for the file.")
    var json = false

    @Option(
        help: "The accuracy of the receiver, \(DistanceValue.forms); smaller fences get a warning. (default: 10)",
        transform: DistanceValue.parse)
    var accuracy: Double?

    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let bytes = try FenceInput(path: file).bytes()
        let linter = FenceLinter(
            accuracyMetres: accuracy ?? FenceInput.usualAccuracyMetres, now: UTCTime(millisecondsSince1970: WallClock.milliseconds))
        let checked: FenceFile
        do throws(FenceFileError) {
            checked = try Patience.during("checking \(file)") { () throws(FenceFileError) in try linter.check(bytes) }
        } catch {
            throw CommandFailure(.badData, what: file, why: error.description, next: FenceInput.forms)
        }
        let output = try OutputStream(path: "-")
        if json { try printJSON(checked, output) } else { try printText(checked, output) }
        try output.finish()
        guard !checked.fences.isEmpty else { throw CommandFailure(.badData, what: file, why: "holds no usable fence") }
        if strict, checked.hasDropped {
            throw CommandFailure(
                .badData, what: file, why: "refused for \(counted(checked.counts[.error, default: 0], "error")), as --strict asks")
        }
    }

    private func printText(_ checked: FenceFile, _ output: borrowing OutputStream) throws(CommandFailure) {
        let format = checked.remarks.isEmpty ? ScreenFormat() : screen.format
        for remark in checked.remarks {
            SystemProcess.printError("waypost: \(file): \(remark.severity.rawValue): \(remark.words(format))")
        }
        if checked.unlistedCount > 0 { SystemProcess.printError("waypost: \(file): and \(counted(checked.unlistedCount, "more remark"))") }
        let counts = FenceRemark.Severity.allCases.map { counted(checked.counts[$0, default: 0], $0.rawValue) }.joined(separator: ", ")
        try output.write(
            line:
                "\(file): \(counted(checked.fences.count, "fence")) of \(checked.entryCount) in the file (\(checked.format.rawValue)); \(counts)"
        )
    }

    private func printJSON(_ checked: FenceFile, _ output: borrowing OutputStream) throws(CommandFailure) {
        for remark in checked.remarks {
            try output.writeObject { json in
                json.member("file", file)
                remark.write(to: &json)
            }
        }
        try output.writeObject { json in
            json.member("file", file)
            json.member("format", checked.format.rawValue)
            json.member("entries", checked.entryCount)
            json.member("fences", checked.fences.count)
            json.member("errors", checked.counts[.error, default: 0])
            json.member("warnings", checked.counts[.warning, default: 0])
            json.member("notes", checked.counts[.note, default: 0])
        }
    }
}
