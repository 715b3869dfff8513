import Waypost

/// Turns the output of a program into events: NMEA and lines of JSON as they come.
///
/// The rules besides those of ``NMEAInterpreter``:
/// - Lines that are neither NMEA nor JSON with positions are reported once per run; so is JSON that cannot be read.
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct ExecInterpreter {
    private let name: String
    private var interpreter: NMEAInterpreter
    private var lines = LineSwitch()
    private var errors = ErrorLines()
    private var reportCount = 0
    private var jsonLineCount = 0
    private var told: Set<Told> = []

    /// The warnings that are reported once per run.
    private enum Told {
        case tooFast, unreadable, unknownLanguage
    }

    /// An interpreter before the program's first start.
    init(name: String, at now: Int64) {
        self.name = name
        interpreter = NMEAInterpreter(name: name, at: now)
    }

    /// The moment of the next ``judge(at:)``.
    var judgementDeadline: Int64 { interpreter.judgementDeadline }
    /// Whether an epoch of NMEA waits for its end.
    var isEpochOpen: Bool { interpreter.isEpochOpen }

    /// The program runs: half-read output of the previous run is dropped.
    mutating func started(processID: Int32, at now: Int64) -> [PositionSourceEvent] {
        lines = LineSwitch()
        errors = ErrorLines()
        (reportCount, jsonLineCount, told) = (0, 0, [])
        // A program that ends at once, again and again, is always the same problem.
        return interpreter.connected(to: "process \(processID)", isAnswer: false, at: now)
    }

    /// The program has ended, or could not be started; reported once until the next fix.
    mutating func ended(_ words: String, at now: Int64) -> [PositionSourceEvent] {
        endEpoch() + warnings(errors.finish(at: now)) + interpreter.lose(.disconnected("\(name): \(words)"))
    }

    /// Processes the next bytes of its output, cut anywhere.
    mutating func process(_ bytes: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        var events: [PositionSourceEvent] = []
        // Outside self during the read, because the results go into self.
        var lines = LineSwitch()
        swap(&lines, &self.lines)
        lines.process(bytes) { language, piece in
            switch language {
            case .nmea: events += interpreter.process(piece, at: now)
            case .json: events += read(piece, at: now)
            case .overlongJSON:
                interpreter.noteNoise(LineSwitch.longestLine, at: now)
                events += tellUnreadable("a line has more than \(LineSwitch.longestLine) bytes")
            }
        }
        swap(&lines, &self.lines)
        return events
    }

    /// Processes the next bytes of its error output, cut anywhere.
    mutating func processErrors(_ bytes: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        warnings(errors.process(bytes, at: now))
    }

    /// The output has fallen quiet: the lines so far belong together.
    mutating func endEpoch() -> [PositionSourceEvent] { interpreter.endEpoch() }

    /// The judgement deadline may have passed: silence, output that cannot be read, and a fix that comes again and again are losses.
    mutating func judge(at now: Int64) -> [PositionSourceEvent] {
        var events = interpreter.judge(at: now)
        let hasReported = reportCount + interpreter.counters.sentences > 0
        if now >= interpreter.silenceDeadline, !hasReported, jsonLineCount + interpreter.counters.lines > 0 {
            events += warn(.unknownLanguage, "prints lines, but neither NMEA nor JSON with positions")
        }
        return events
    }

    /// It prints more than the tracker reads.
    mutating func tellTooFast(_ bytesPerSecond: Int) -> [PositionSourceEvent] {
        warn(.tooFast, "prints more than \(bytesPerSecond / 1_000) kB a second, and is read no faster")
    }

    private mutating func read(_ line: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        do throws(TPVError) {
            jsonLineCount += 1
            // Nil is JSON of another class: gpsd's VERSION and DEVICES.
            guard let report = try TPVCodec.decode(line, line: jsonLineCount) else {
                interpreter.noteNoise(line.count, at: now)
                return []
            }
            reportCount += 1
            return interpreter.process(report, at: now)
        } catch {
            interpreter.noteNoise(line.count, at: now)
            return tellUnreadable(error.description)
        }
    }

    private mutating func tellUnreadable(_ words: String) -> [PositionSourceEvent] {
        warn(.unreadable, "JSON that cannot be read: \(words)")
    }

    private mutating func warn(_ kind: Told, _ words: String) -> [PositionSourceEvent] {
        told.insert(kind).inserted ? [.status(.warning("\(name): \(words)"))] : []
    }

    private func warnings(_ lines: [String]) -> [PositionSourceEvent] {
        lines.map { .status(.warning("\(name): \($0)")) }
    }
}
