import ArgumentParser
import Waypost
import WaypostRecording
import WaypostSystem

/// `waypost log export`: what was logged, to standard output.
struct LogExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write what was logged to standard output.",
        discussion: """
            Each line of jsonl is a TPV with a growing "seq"; --since SEQ continues exactly after it, whatever happened to the connection. For the \
            other formats the last line on standard error is the cursor reached: "cursor N". "break" says that the track was interrupted \
            before a fix, and why. With --puller the export begins after what that puller has acknowledged (see waypost log ack). It ends at \
            the end of the log as it is; run it again for what comes.

            Example: waypost log export --since 2026-11-21 --format gpx
            """)

    @Option(help: ArgumentHelp("Begin after \(LogMoment.forms); default: the oldest.", valueName: "when"), transform: LogMoment.parse)
    var since: LogMoment?

    @Option(help: ArgumentHelp("Only fixes before that moment, in the same forms.", valueName: "time"), transform: MomentValue.parse)
    var until: UTCTime?

    @Option(help: "Format: \(ConversionFormat.list(ConversionFormat.writable)).")
    var format = ConversionFormat.jsonl

    @Option(help: ArgumentHelp("Begin after what this puller has acknowledged.", valueName: "name"), completion: .puller)
    var puller: String?

    @Option(help: ArgumentHelp("Only positions of that type of log: \(LogType.list); default: each track's first.", valueName: "type"))
    var type: LogType?

    @OptionGroup var location: LogLocation

    func validate() throws {
        if since != nil, puller != nil { throw ValidationError("--since and --puller exclude each other") }
    }

    func run() throws {
        let folder = try location.folder()
        var reader = LogReader(folder: folder, from: try start(in: folder))
        // Behind what is there now: what a time that has nothing yet goes on from.
        let end = try attempt { () throws(RecordingError) in try folder.lastSequence() }
        var writer = try LogExportWriter(format: format)
        while let record = try attempt({ () throws(RecordingError) in try reader.next() }) {
            // A break concerns the types that it names, and whoever reads a type passes over the positions of others.
            guard record.types.contains(LogTypes(type ?? reader.header?.types.first ?? .raw)) else { continue }
            if case .position(let position) = record.content, let until, let time = position.time, time >= until { continue }
            try writer.add(record)
        }
        if writer.lastSequence == nil { SystemProcess.printError("waypost: log export: no positions were logged \(stretch)") }
        let last = writer.lastSequence ?? (reader.cursor > 0 ? reader.cursor : end)
        try writer.finish()
        if let damage = reader.damage.first {
            SystemProcess.printError(
                "waypost: \(damage.path): not readable: \(counted(reader.damageCount, "stretch")), \(counted(reader.damagedByteCount, "byte")), first at byte \(damage.stretch.offset)"
            )
        }
        // A line of jsonl tells its own.
        if format != .jsonl { SystemProcess.printError("cursor \(last)") }
    }

    /// What was asked for, for people.
    private var stretch: String {
        since == nil && until == nil && puller == nil ? "yet" : until == nil ? "after that" : "in that time"
    }

    private func start(in folder: LogFolder) throws(CommandFailure) -> LogReader.Start {
        if let puller {
            let known = try attempt { () throws(RecordingError) in try Pullers(folder: folder).all() }
            guard Pullers.isValid(name: puller) else { throw CommandFailure(.invalidPuller(name: puller)) }
            return known.first { $0.name == puller }.map { .after($0.cursor) } ?? .oldest
        }
        return switch since {
        case nil: .oldest
        case .cursor(let cursor)?: .after(cursor)
        case .time(let time)?: .from(time)
        }
    }
}

/// Does something with a log; what fails becomes the command's failure.
func attempt<Value: ~Copyable>(_ body: () throws(RecordingError) -> Value) throws(CommandFailure) -> Value {
    do throws(RecordingError) { return try body() } catch { throw CommandFailure(error) }
}

/// Writes records of a log to standard output in one of the formats.
private struct LogExportWriter: ~Copyable {
    /// The number of the last record written, nil before the first.
    private(set) var lastSequence: UInt64?

    private let output: OutputStream
    /// Nil for JSON lines, which tell more than other formats can.
    private var encoder: (any ReportEncoder)?
    private var text = TextBuffer(capacity: 1 << 16)
    private var progress = Progress(name: "export", totalBytes: nil)
    private var segmentBreak: SegmentBreak?

    init(format: ConversionFormat) throws(CommandFailure) {
        output = try OutputStream(path: "-")
        encoder = format == .jsonl ? nil : format.makeEncoder()
        encoder?.begin(&text)
    }

    mutating func add(_ record: JournalRecord) throws(CommandFailure) {
        switch record.content {
        case .segmentBreak(let reason): segmentBreak = reason
        case .position(let position):
            if encoder == nil { addLine(position, record.sequence) }
            encoder?.add(position, after: segmentBreak != nil, to: &text)
            segmentBreak = nil
            lastSequence = record.sequence
            if text.count > 1 << 15 { try flush() }
        case .event, .other: break
        }
    }

    consuming func finish() throws(CommandFailure) {
        encoder?.end(&text)
        try flush()
        progress.add(bytes: 0)
        try output.finish()
    }

    private mutating func addLine(_ position: Position, _ sequence: UInt64) {
        let reason = segmentBreak?.code
        TPVCodec.append(position, to: &text) { json in
            json.member("seq", Int(clamping: sequence))
            json.member("break", reason)
        }
        text.append(byte: UInt8(ascii: "\n"))
    }

    private mutating func flush() throws(CommandFailure) {
        guard text.count > 0 else { return }
        try output.write(text)
        // Where a person reads the export itself there is nothing else to show.
        if !output.isInteractive { progress.add(bytes: text.count) }
        text.removeAll()
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
        }
    }
}

extension LogType: ExpressibleByArgument {
    /// The names, for messages.
    fileprivate static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
