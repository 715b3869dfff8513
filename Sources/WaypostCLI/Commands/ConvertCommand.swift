import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost convert IN OUT`: offline, one pass, bounded memory.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert recordings between formats.",
        discussion: """
            The extension gives the format (.nmea .log .txt, .gpx, .jsonl .json, .geojson, .csv, .kml) or --from and --to do; - is standard input or output. \
            Damage is skipped and reported on standard error, one line per kind.

            Example: waypost convert drive.nmea drive.gpx
            """)

    @Argument(help: "The recording to read.", completion: .file())
    var input: String

    @Argument(help: "The file to write; an existing one is replaced once the new one is complete.", completion: .file())
    var output: String

    @Option(help: "Format of the input: \(ConversionFormat.list(ConversionFormat.readable)).")
    var from: ConversionFormat?

    @Option(help: "Format of the output: \(ConversionFormat.list(ConversionFormat.writable)).")
    var to: ConversionFormat?

    @Flag(help: "Add 1024 weeks to dates before 2020 (receivers whose week counter has rolled over).")
    var fixRollover = false

    func run() throws {
        let source = try format(from, of: input, among: ConversionFormat.readable, option: "--from")
        let target = try format(to, of: output, among: ConversionFormat.writable, option: "--to")
        try Conversion(input: input, source: source, output: output, target: target, fixesRollover: fixRollover).run()
    }

    private func format(
        _ named: ConversionFormat?, of path: String, among known: [ConversionFormat], option: String
    ) throws -> ConversionFormat {
        if let format = named ?? ConversionFormat(extensionOf: path) { return format }
        throw CommandFailure(
            .usage, what: path, why: "its extension does not give a format", next: "use \(option) \(ConversionFormat.list(known))")
    }
}
