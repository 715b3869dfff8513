import ArgumentParser
import Waypost
import WaypostRecording
import WaypostSystem

/// `waypost log export`: writes what was logged to standard output.
struct LogExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write what was logged to standard output.",
        discussion: """
            Each line of jsonl is a TPV with a growing "seq"; --since SEQ continues exactly after it, whatever happened to the connection. For the \
            other formats the last line on standard error is the cursor reached: "cursor N". "break" says that the track was interrupted \
            before a fix, and why. With --puller the export begins after what that puller has acknowledged (see waypost log ack). It ends at \
            the end of the log as it is, or, with --follow, goes on with what is logged until Ctrl-C; gpx and geojson are closed then. Of a \
            day and a time that come twice, because the clocks are set back, --since is the first and --until the second.

            Example: waypost log export --since 2026-11-21 --format gpx
            Example: waypost log export --since today --follow
            """)

    @Option(help: ArgumentHelp("Begin after \(LogMoment.forms); default: the oldest.", valueName: "when"), transform: LogMoment.parse)
    var since: LogMoment?

    @Option(help: ArgumentHelp("Only fixes before that moment, in the same forms.", valueName: "time"), transform: MomentValue.parse)
    var until: MomentText?

    @Option(help: "The format.")
    var format = ConversionFormat.jsonl

    @Option(
        help: ArgumentHelp("Begin after what this puller has acknowledged.", valueName: "name"), completion: .puller,
        transform: NameValue.parse)
    var puller: String?

    @Option(help: ArgumentHelp("Only positions of that type of log: \(LogType.list); default: each track's first.", valueName: "type"))
    var type: LogType?

    @Flag(name: [.short, .long], help: "Go on with what is logged from now on, until Ctrl-C.")
    var follow = false

    @OptionGroup var location: LogLocation

    func validate() throws {
        if since != nil, puller != nil { throw ValidationError("--since and --puller exclude each other") }
        if follow, until != nil { throw ValidationError("--follow and --until exclude each other") }
        if follow, format == .kml {
            throw ValidationError(
                "--follow: kml has all times of a track before its places, so nothing could be shown; use jsonl, csv, nmea or gpx")
        }
    }

    func run() throws {
        let folder = try location.folder()
        let (since, until) = try stretch()
        let start = try start(in: folder, since)
        if follow { return try LogFollowing(type: type, format: format).run(folder, from: start) }
        var reader = LogReader(folder: folder, from: start, until: until)
        // The current end of the log: the cursor for a time without positions yet.
        let end = try attempt { () throws(RecordingError) in try folder.lastSequence() }
        if case .after(let cursor) = start, cursor > end {
            SystemProcess.printError(
                "waypost: log export: the cursor \(cursor) is after the end of the log (\(end)): it is of another log, or this one began anew"
            )
        }
        var writer = LogExportWriter(format: format, output: try OutputStream(path: "-", endsWithReader: true))
        var failures: [RecordingError] = []
        while let record = try attempt({ () throws(RecordingError) in try reader.nextPassingOver { failures.append($0) } }) {
            guard record.isOf(type, in: reader.header) else { continue }
            try writer.add(record)
        }
        // Scripts that pull every hour get no message about each empty hour.
        if writer.lastSequence == nil, Terminal.isErrorInteractive {
            SystemProcess.printError("waypost: log export: no positions were logged \(stretchWords)")
        }
        let last = writer.lastSequence ?? (reader.cursor > 0 ? reader.cursor : end)
        try writer.finish()
        let isOfTime = if case .from = start { true } else { false }
        reader.tellDamage(isOfTime: isOfTime)
        // A jsonl line has its own cursor.
        if format != .jsonl { SystemProcess.printError("cursor \(last)") }
        try CommandFailure.end(with: failures)
    }

    /// The requested stretch, for people.
    private var stretchWords: String {
        since == nil && until == nil && puller == nil ? "yet" : until == nil ? "after that" : "in that time"
    }

    /// The moments that were named.
    private func stretch() throws -> (since: UTCTime?, until: UTCTime?) {
        let named: MomentText? = if case .time(let moment)? = since { moment } else { nil }
        if named == nil, until == nil { return (nil, nil) }
        let format = location.daemon.format
        if let named, let until {
            let (from, to) = try MomentText.stretch(named, until, by: format)
            return (from, to)
        }
        return (
            try named?.time(of: "--since", by: format.zone), try until?.time(of: "--until", by: format.zone, ofTwo: .last)
        )
    }

    private func start(in folder: LogFolder, _ time: UTCTime?) throws(CommandFailure) -> LogReader.Start {
        if let puller {
            let known = try attempt { () throws(RecordingError) in try Pullers(folder: folder).all() }
            guard Pullers.isValid(name: puller) else { throw CommandFailure(.invalidPuller(name: puller)) }
            return .after(known.first { $0.name == puller }?.cursor ?? 0)
        }
        if case .cursor(let cursor)? = since { return .after(cursor) }
        // Who fetches everything learns what is gone before the oldest record, too.
        return time.map { .from($0) } ?? .after(0)
    }
}

/// Works on a log; an error becomes the command's failure.
func attempt<Value: ~Copyable>(_ body: () throws(RecordingError) -> Value) throws(CommandFailure) -> Value {
    do throws(RecordingError) { return try body() } catch { throw CommandFailure(error) }
}

extension JournalRecord {
    /// Whether an export of that type contains it; nil is the first type of its journal.
    ///
    /// A break belongs to the types that it names, and a reader of one type skips the positions of others.
    func isOf(_ type: LogType?, in header: JournalHeader?) -> Bool { types.contains(type.map(LogTypes.init) ?? header.mainType(or: .raw)) }
}

extension LogReader {
    /// Reports on standard error what could not be read.
    ///
    /// - Parameter isOfTime: whether the reader began at a moment: then nobody expects what was before it.
    borrowing func tellDamage(isOfTime: Bool) {
        for line in LogHoles(of: self, hasRemoved: !isOfTime).lines { SystemProcess.printError("waypost: \(line)") }
        // What has cost records was told with their numbers.
        let toldCount = losses.count { !$0.isMissing && $0.note == nil }
        guard let first = damage.first, damagedByteCount > 0, damageCount > toldCount else { return }
        let what = "not readable: \(counted(damageCount, "stretch")), \(counted(damagedByteCount, "byte")), first"
        SystemProcess.printError("waypost: \(logPath(first.path)): \(what) at byte \(first.stretch.offset)")
    }
}

extension SegmentBreak {
    /// Its name on the wire.
    var code: String {
        switch self {
        case .start: "start"
        case .loss: "loss"
        case .jump: "jump"
        case .restart: "restart"
        case .gap: "gap"
        }
    }
}

extension LogType: ExpressibleByArgument {
    /// The names, for messages.
    fileprivate static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
