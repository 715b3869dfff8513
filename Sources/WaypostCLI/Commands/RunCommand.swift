import ArgumentParser
import Waypost
import WaypostPositioning
import WaypostSystem

/// `waypost run`: the tracker in the foreground.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the tracker in the foreground.",
        usage: """
            waypost run [<recording> | --source <url> ...] [--config <file>] [--state <dir>] [--log <dir>] [--socket <path>] [--stay]
            """,
        discussion: """
            Runs the waypostd beside this program with the same options. It does not need root when all paths are given. Stop it with Ctrl-C; \
            in the background of a script (&), where shells ignore Ctrl-C, with kill and its process ID.

            Example: waypost run drive.gpx.gz --state /tmp/waypost --log /tmp/waypost/log --socket /tmp/waypost/socket

            SOURCES:
            \(SourceRegistry.helpLines.joined(separator: "\n"))
            """)

    @Argument(
        help: """
            A recording to play instead of a --source. The extension gives the format (.nmea .log .txt, .gpx, .jsonl .json, .csv, .kml; with or without .gz).
            """,
        completion: .file(), transform: PathValue.parse)
    var recording: String?

    @Option(help: ArgumentHelp("Configuration file.", valueName: "file"), completion: .file(), transform: PathValue.parse)
    var config: String?

    @Option(
        help: ArgumentHelp(
            """
            Where positions come from: one of the sources above. With several, the first is preferred, the others are fallbacks.
            """, valueName: "url"), completion: .source)
    var source: [String] = []

    @Option(help: ArgumentHelp("Folder of the tracker's state.", valueName: "dir"), completion: .directory, transform: PathValue.parse)
    var state: String?

    @Option(help: ArgumentHelp("Folder of the recorded tracks.", valueName: "dir"), completion: .directory, transform: PathValue.parse)
    var log: String?

    @Option(help: ArgumentHelp("Control socket.", valueName: "path"), completion: .file(), transform: PathValue.parse)
    var socket: String?

    @Flag(help: "Keep running when the source has ended.")
    var stay = false

    func validate() throws {
        if recording != nil, !source.isEmpty { throw ValidationError("a recording is played alone, without --source") }
    }

    func run() throws {
        let sources = try recording.map { [try playing($0)] } ?? source
        guard let program = SystemProcess.executablePath, let slash = program.lastIndex(of: "/") else {
            throw CommandFailure(.failed, what: "waypostd", why: "cannot be found: /proc is not mounted")
        }
        let daemon = program[...slash] + "waypostd"
        if Signals.isInterruptIgnored, Terminal.isErrorInteractive {
            Terminal.sayError("waypost: run: Ctrl-C is ignored in the background; stop it with kill \(SystemProcess.processID)")
        }
        if Terminal.isErrorInteractive {
            // The other terminal may be in another folder.
            let path = socket.flatMap { try? Syscalls.absolutePath($0) }  // The tracker reports what is wrong with it.
            let option = path.map { " --socket \(shellWord($0))" } ?? ""
            Terminal.sayError(
                "waypost: run: to see it work, in another terminal: waypost watch\(option), or waypost status\(option)")
        }
        let error = SystemProcess.replace(by: String(daemon), arguments: arguments(sources))
        throw CommandFailure(.unavailable, what: String(daemon), why: "cannot be started: \(error.reason)")
    }

    private func playing(_ recording: String) throws(CommandFailure) -> String {
        // `waypost run sim:walk` means a source, unless there is such a file.
        if recording.contains(":"), !Syscalls.exists(recording), SourceRegistry.kind(named: recording) != nil { return recording }
        guard let url = SourceRegistry.playing(recording) else {
            throw CommandFailure(
                .usage, what: recording, why: "its extension does not give a format that is played",
                next: "use --source nmea:FILE or gpx:FILE")
        }
        return url.description
    }

    private func arguments(_ sources: [String]) -> [String] {
        var arguments = ["waypostd"]
        for (name, value) in [("--config", config), ("--state", state), ("--log", log), ("--socket", socket)] {
            if let value { arguments.append("\(name)=\(value)") }
        }
        arguments += sources.map { "--source=\($0)" }
        if stay { arguments.append("--stay") }
        return arguments
    }
}
