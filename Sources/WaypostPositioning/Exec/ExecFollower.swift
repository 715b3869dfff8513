import Waypost

/// Turns what a program prints into events: NMEA and lines of JSON as they come, no more than a listener can use.
///
/// The rules beside those of ``NMEAFollower``:
/// - At most ``reportsPerSecond`` positions (and reports without a fix) pass, and as many sky views; the others are left out, which is
///   said once a run.
/// - What is neither NMEA nor JSON with positions is said once a run; so is JSON that cannot be read.
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct ExecFollower {
    /// How many positions a second pass in the long run; as many may come at once.
    static let reportsPerSecond = 50.0

    private let name: String
    private var follower: NMEAFollower
    private var lines = LineSwitch()
    private var errors = ErrorLines()
    private var positionLimit = RateLimit(burst: ExecFollower.reportsPerSecond, perSecond: ExecFollower.reportsPerSecond)
    private var skyLimit = RateLimit(burst: ExecFollower.reportsPerSecond, perSecond: ExecFollower.reportsPerSecond)
    private var reportCount = 0
    private var jsonLineCount = 0
    private var told: Set<Told> = []

    /// What is told once a run.
    private enum Told {
        case tooMany, tooFast, unreadable, unknownLanguage
    }

    /// Nothing started yet.
    init(name: String, at now: Int64) {
        self.name = name
        follower = NMEAFollower(name: name, at: now)
    }

    /// The moment at which silence will be a loss, unless something comes before.
    var silenceDeadline: Int64 { follower.silenceDeadline }
    /// Whether an epoch of NMEA waits for its end.
    var isEpochOpen: Bool { follower.isEpochOpen }

    /// The program runs: what was half read of the one before is gone.
    mutating func started(processID: Int32, at now: Int64) -> [PositionSourceEvent] {
        lines = LineSwitch()
        errors = ErrorLines()
        (reportCount, jsonLineCount, told) = (0, 0, [])
        return follower.connected(to: "process \(processID)", at: now)
    }

    /// The program has ended, or could not be started; told once until the next fix.
    mutating func ended(_ words: String, at now: Int64) -> [PositionSourceEvent] {
        endEpoch(at: now) + warnings(errors.finish(at: now)) + follower.lose(.disconnected("\(name): \(words)"))
    }

    /// Takes the next bytes of its output, cut anywhere.
    mutating func process(_ bytes: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        var events: [PositionSourceEvent] = []
        // Out of self while it reads, because what it reads goes into self.
        var lines = LineSwitch()
        swap(&lines, &self.lines)
        lines.process(bytes) { language, piece in
            switch language {
            case .nmea: events += follower.process(piece, at: now)
            case .json: events += read(piece, at: now)
            case .overlongJSON: events += tellUnreadable("a line has more than \(LineSwitch.longestLine) bytes")
            }
        }
        swap(&lines, &self.lines)
        return limited(events, at: now)
    }

    /// Takes the next bytes of its errors, cut anywhere.
    mutating func processErrors(_ bytes: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        warnings(errors.process(bytes, at: now))
    }

    /// The output has fallen quiet: what was said belongs together.
    mutating func endEpoch(at now: Int64) -> [PositionSourceEvent] { limited(follower.endEpoch(), at: now) }

    /// The silence deadline may have passed.
    mutating func checkSilence(at now: Int64) -> [PositionSourceEvent] {
        var events = follower.checkSilence(at: now)
        let hasReported = reportCount + follower.counters.sentences > 0
        if now >= silenceDeadline, !hasReported, jsonLineCount + follower.counters.lines > 0 {
            events += tell(.unknownLanguage, "prints lines, but neither NMEA nor JSON with positions")
        }
        return events
    }

    /// It prints more than is read.
    mutating func tellTooFast(_ bytesPerSecond: Int) -> [PositionSourceEvent] {
        tell(.tooFast, "prints more than \(bytesPerSecond / 1_000) kB a second, and is read no faster")
    }

    private mutating func read(_ line: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        do throws(TPVError) {
            jsonLineCount += 1
            // Nil is JSON of another class: gpsd's VERSION and DEVICES.
            guard let report = try TPVCodec.decode(line, line: jsonLineCount) else { return [] }
            reportCount += 1
            return follower.process(report, at: now)
        } catch {
            return tellUnreadable(error.description)
        }
    }

    private mutating func tellUnreadable(_ words: String) -> [PositionSourceEvent] {
        tell(.unreadable, "JSON that cannot be read: \(words)")
    }

    private mutating func limited(_ events: [PositionSourceEvent], at now: Int64) -> [PositionSourceEvent] {
        var passed: [PositionSourceEvent] = []
        for event in events {
            let passes =
                switch event {
                case .position, .noFix: positionLimit.passes(at: now)
                case .sky: skyLimit.passes(at: now)
                case .lost, .status, .finished: true
                }
            if passes { passed.append(event) }
        }
        if positionLimit.heldBack + skyLimit.heldBack > 0 {
            passed += tell(
                .tooMany,
                "gives more than \(Int(ExecFollower.reportsPerSecond)) positions at once or a second; some are left out "
                    + "(a program that buffers what it prints must flush every line)")
        }
        return passed
    }

    private mutating func tell(_ kind: Told, _ words: String) -> [PositionSourceEvent] {
        told.insert(kind).inserted ? [.status(.warning("\(name): \(words)"))] : []
    }

    private func warnings(_ lines: [String]) -> [PositionSourceEvent] {
        lines.map { .status(.warning("\(name): \($0)")) }
    }
}
