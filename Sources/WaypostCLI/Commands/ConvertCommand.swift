import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost convert IN OUT`, `waypost convert IN... --output OUT`: offline, one pass, bounded memory.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert recordings between formats.",
        usage: """
            waypost convert <in> <out> [--from <from>] [--to <to>] [--fix-rollover] [--force]
            waypost convert <in> ... --output <out> [--by-time] [--from <from>] [--to <to>] [--fix-rollover] [--force]
            """,
        discussion: """
            The format follows from the extension (.nmea .log .txt, .gpx, .jsonl .json, .csv, .kml, .geojson; with or without .gz), or from \
            --from and --to; - is standard input or output. Gzip files are unpacked, whatever their names; an output whose name ends in .gz is \
            compressed. Damage is skipped and reported on standard error, one line per kind. GeoJSON can only be written.

            With --output, several recordings are joined: in the order given or, with --by-time, by their first times.

            Example: waypost convert drive.nmea drive.gpx
            Example: waypost convert monday.gpx tuesday.nmea.gz --output week.gpx
            """)

    @Argument(
        help: ArgumentHelp(
            "The recording to read, then the file to write; with --output only recordings. An existing file is replaced once the new one is complete; on a terminal the command asks first, and an input is never replaced without --force.",
            valueName: "in"),
        completion: .file(), transform: PathValue.parse)
    var files: [String]

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "out"), completion: .file(), transform: PathValue.parse)
    var output: String?

    @Flag(help: "Join the recordings in the order of their first times, not in the order given.")
    var byTime = false

    @Option(help: "The format of the input.")
    var from: InputFormat?

    @Option(help: "The format of the output.")
    var to: ConversionFormat?

    @Flag(help: "Add 1024 weeks to dates before 2020 (receivers whose week counter has rolled over).")
    var fixRollover = false

    @Flag(name: [.short, .long], help: "Do not ask before an existing file is replaced, an input too.")
    var force = false

    /// Refuses files that do not fit together; the parser has refused unknown options before.
    private func checkFiles() throws {
        if output == nil {
            if byTime {
                throw ValidationError(
                    "--by-time joins recordings, which need --output FILE: convert --by-time a.gpx b.gpx --output all.gpx")
            }
            // The last file of *.gpx is not meant as the output.
            if files.count > 2 {
                throw ValidationError("several recordings need --output FILE: convert a.gpx b.gpx c.gpx --output all.gpx")
            }
            if files.count == 1 { throw ValidationError("Missing expected argument '<out>'") }
        }
        if files.dropLast(output == nil ? 1 : 0).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read once")
        }
    }

    func run() throws {
        try checkFiles()
        let output = output ?? files[files.count - 1]
        let paths = self.output == nil ? Array(files.dropLast()) : files
        var inputs = try paths.map { try ConversionInput(path: $0, named: from?.format) }
        guard let target = to ?? ConversionFormat(extensionOf: output) else {
            throw CommandFailure.withoutFormat(
                output, called: "standard output", next: "use --to \(ConversionFormat.list(ConversionFormat.writable))")
        }
        if byTime { inputs = try inTimeOrder(inputs) }
        try refuseOwnInput(output, paths)
        try askBeforeReplacing(output, paths)
        try Conversion(inputs: inputs, output: output, target: target, fixesRollover: fixRollover).run()
    }

    /// Refuses to write over what is read: a format that says less would take the rest of the recording with it.
    private func refuseOwnInput(_ output: String, _ paths: [String]) throws(CommandFailure) {
        // The shell may have opened either of them.
        let isStandard = output == "-"
        let target = isStandard ? FileIdentity(ofFile: Syscalls.standardOutput) : FileIdentity(of: output)
        // Written while it is read, a file grows without end: nobody wants that.
        guard !force || isStandard, let target, paths.contains(where: { identity(ofInput: $0) == target }) else { return }
        throw CommandFailure(
            .usage, what: isStandard ? "standard output" : output, why: "it is the input and the output",
            next: isStandard ? "write to another file" : "name another output, or replace the recording with --force")
    }

    private func identity(ofInput path: String) -> FileIdentity? {
        path == "-" ? FileIdentity(ofFile: Syscalls.standardInput) : FileIdentity(of: path)
    }

    /// Asks whoever types `convert *.gpx` where there are two; a script that names an output means it.
    private func askBeforeReplacing(_ output: String, _ paths: [String]) throws(CommandFailure) {
        guard !force, output != "-", !paths.contains("-"), Syscalls.isTerminal(Syscalls.standardInput), Terminal.isErrorInteractive,
            let size = Syscalls.byteCount(of: output), size > 0, Syscalls.oddFile(output) == nil
        else { return }
        try Confirmation.ask(
            "Replace \(output), which exists (\(sizeText(bytes: size)))?", command: "convert", refusal: "\(output) is as it was")
    }

    /// The inputs by their first times; one without a time stays after the one that it follows on the command line.
    private func inTimeOrder(_ inputs: [ConversionInput]) throws -> [ConversionInput] {
        var timed: [(input: ConversionInput, time: UTCTime)] = []
        for input in inputs {
            if input.path != "-", !Syscalls.exists(input.path) {
                throw CommandFailure(.inputMissing, what: input.path, why: "there is no such file")
            }
            guard input.isRepeatable else {
                throw CommandFailure(.usage, what: input.path, why: "--by-time reads every recording twice", next: "name files")
            }
            let last = timed.last?.time ?? UTCTime(millisecondsSince1970: 0)
            timed.append((input, try input.firstTime(fixesRollover: fixRollover) ?? last))
        }
        // Equal times keep the order of the command line.
        return timed.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element.input)
    }
}
