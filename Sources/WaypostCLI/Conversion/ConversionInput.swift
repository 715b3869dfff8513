import Waypost
import WaypostSystem

/// A recording to convert: its path and format.
struct ConversionInput {
    /// The file; `-` is standard input.
    let path: String
    /// The format of its content.
    let format: ConversionFormat
    /// Whether the user named the format.
    let isFormatNamed: Bool

    /// The recording of that name.
    ///
    /// - Parameter named: the format that the user named; otherwise the name's extension decides, also before `.gz`.
    init(path: String, named: ConversionFormat?) throws(CommandFailure) {
        self.path = path
        guard let format = named ?? ConversionFormat(extensionOf: path) else {
            throw CommandFailure.withoutFormat(path, next: "use --from \(ConversionFormat.list(ConversionFormat.readable))")
        }
        self.format = format
        isFormatNamed = named != nil
    }

    /// Whether it can be read a second time.
    var isRepeatable: Bool { path != "-" && Syscalls.kind(path) == .regular }

    /// Opens it.
    func reader(fixesRollover: Bool = false, keepsOtherElements: Bool = false) throws(CommandFailure) -> ConversionReader {
        guard let recording = format.recording else {
            throw CommandFailure(
                .usage, what: path, why: "\(format.rawValue) cannot be read",
                next: "use \(ConversionFormat.list(ConversionFormat.readable))")
        }
        let decoder = recording.makeDecoder(fixesRollover: fixesRollover, keepsOtherElements: keepsOtherElements)
        return try ConversionReader(path: path, decoder: decoder)
    }

    /// Reports what was damaged.
    ///
    /// - Errors: it is something else, or nothing of it can be used.
    /// - Returns: why it is incomplete, when it is a gzip file that is; what came before has been read.
    func check(_ reader: borrowing ConversionReader, next: String? = nil) throws(CommandFailure) -> CommandFailure? {
        let problem = reader.gzipProblem
        let incomplete = problem.flatMap { problem in
            problem == .followed ? nil : CommandFailure(.badData, what: path, why: "\(problem)", next: "what came before that was read")
        }
        if let problem, !reader.hasContent {
            throw CommandFailure(.badData, what: path, why: "\(problem), and nothing usable is before that")
        }
        if let refusal = reader.refusal { throw CommandFailure(.badData, what: path, why: "is not \(format.rawValue): \(refusal)") }
        guard reader.hasContent else {
            // In one line, with the first damage as the likely reason.
            let damage = reader.warnings.first.map { ": \($0.prefix { $0 != ";" })" } ?? ""
            // What is not in one of these formats is refused above.
            let isCertain = [.gpx, .kml, .csv].contains(format)
            let why = "holds nothing usable as \(format.rawValue)\(damage)"
            throw CommandFailure(.badData, what: path, why: why, next: isCertain ? nil : next)
        }
        for warning in reader.warnings { warn(warning) }
        if let problem, incomplete == nil { warn("\(problem), which is not read") }
        return incomplete
    }

    /// Writes a message about it to standard error.
    func warn(_ words: String) {
        SystemProcess.printError("waypost: \(path): \(words)")
    }

    /// The time of its first fix; nil when no fix has one.
    func firstTime(fixesRollover: Bool) throws(CommandFailure) -> UTCTime? {
        var reader = try reader(fixesRollover: fixesRollover)
        var first = FirstTime()
        while first.time == nil, try reader.read(into: &first) {}
        return first.time
    }
}

/// Finds the first time of a recording.
private struct FirstTime: RecordingSink {
    private(set) var time: UTCTime?

    mutating func add(_ position: Position) { time = time ?? position.time }

    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(.position(let position)): add(position)
        case .item(.trackPoint(let point, _)): add(point.position)
        case .report, .item: break
        }
    }
}
