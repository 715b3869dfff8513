import Waypost
import WaypostSystem

/// The steps of a recording, read as they are played.
struct RecordingFeed: PlaybackFeed, ~Copyable {
    private let path: String
    private let format: RecordingFormat
    private let stop: WakeSignal
    private var file: RecordingFile
    private let options: SharedOptions<ReplaySource.Options>
    private var schedule: ReplaySchedule
    /// The rule of receivers, for what the recording says of times without a fix.
    private var receiver = PositionLossRule()
    private var hasSaidNone = false
    private var sink = RecordedItems()
    private var nextItem = 0
    private var hasEnded = false
    private var isFinished = false
    private var last: Position?
    /// The damage, for people; complete at the end.
    private(set) var warnings: [String] = []

    /// Opens the file.
    ///
    /// - Errors: `cannotOpen`.
    static func open(
        path: String, format: RecordingFormat, options: SharedOptions<ReplaySource.Options>, stop: WakeSignal
    ) throws(PositionSourceError) -> RecordingFeed {
        let file: RecordingFile
        do throws(SystemError) {
            file = try RecordingFile(path: path, decoder: format.makeDecoder())
        } catch {
            throw .cannotOpen(path: path, reason: error.reason)
        }
        return RecordingFeed(file, path: path, format: format, options: options, stop: stop)
    }

    /// Opens a recording and reads to the first step, as if it were played.
    ///
    /// - Errors: it cannot be opened or read, or holds nothing that can be played.
    static func tryOut(path: String, format: RecordingFormat) throws(PositionSourceError) {
        let stop: WakeSignal
        do throws(SystemError) { stop = try WakeSignal() } catch { throw .cannotOpen(path: path, reason: error.reason) }
        var feed = try open(path: path, format: format, options: SharedOptions(.init()), stop: stop)
        _ = try feed.next()
    }

    private init(
        _ file: consuming RecordingFile, path: String, format: RecordingFormat, options: SharedOptions<ReplaySource.Options>,
        stop: WakeSignal
    ) {
        self.file = file
        self.path = path
        self.format = format
        self.stop = stop
        self.options = options
        schedule = ReplaySchedule(style: options.value.style, interval: options.value.interval)
    }

    mutating func heldPosition() -> Position? {
        var position = last
        position?.speedMetresPerSecond = 0
        return position
    }

    mutating func next() throws(PositionSourceError) -> ReplaySchedule.Step? {
        while true {
            if let step = schedule.next() {
                if case .position(let position, _, _) = step { last = position }
                return step
            }
            if nextItem < sink.items.count {
                add(sink.items[nextItem])
                nextItem += 1
            } else if isFinished {
                return nil
            } else if hasEnded {
                schedule.finish()
                isFinished = true
            } else {
                // A compressed file can take hours to read without a single step.
                if stop.isRaised { return nil }
                try readMore()
            }
        }
    }

    mutating func change(takingBack step: ReplaySchedule.Step) throws(PositionSourceError) -> ReplaySchedule.Step? {
        let options = options.value
        guard let step = schedule.change(to: options.style, interval: options.interval, takingBack: step) else { return try next() }
        return step
    }

    private mutating func add(_ item: RecordedItem) {
        switch item {
        case .point(let position, let beginsSegment):
            if receiver.addFix(at: position.time), hasSaidNone { schedule.addLoss() }
            hasSaidNone = false
            schedule.add(position, beginsSegment: beginsSegment)
        case .noFix(let time):
            hasSaidNone = true
            // In a table, or a track, a row without a time is the mark of a loss.
            let isMark = time == nil && format != .jsonl
            if isMark ? receiver.lose() : receiver.addNoFix(at: time) { schedule.addLoss() }
        }
    }

    private mutating func readMore() throws(PositionSourceError) {
        sink.items.removeAll(keepingCapacity: true)
        nextItem = 0
        do throws(SystemError) {
            hasEnded = try !file.read(into: &sink)
        } catch {
            throw .cannotRead(path: path, reason: error.reason)
        }
        if hasEnded || file.decoder.refusal != nil { try end() }
        for case .point(let position, let beginsSegment) in sink.items { schedule.foresee(position, beginsSegment: beginsSegment) }
    }

    /// Sums up the damage.
    ///
    /// - Errors: the file holds nothing that can be played.
    private mutating func end() throws(PositionSourceError) {
        if let problem = file.gzipProblem, !file.decoder.hasContent {
            throw .unusable(path: path, reason: "\(problem), and nothing usable is before that")
        }
        if let reason = file.decoder.refusal ?? emptiness { throw .unusable(path: path, reason: reason) }
        warnings = file.decoder.warnings + schedule.warnings
        if let problem = file.gzipProblem { warnings.append(problem.playbackWarning) }
    }

    /// Why nothing can be played; nil when something can.
    private var emptiness: String? {
        if sink.hasAny { return nil }
        if sink.hasRoute { return "holds no track point; to drive along its route use route:FILE" }
        if sink.hasWaypoint || format == .gpx || format == .kml { return "holds no track point" }
        if file.decoder.hasContent { return nil }
        guard let lineCount = (file.decoder as? NMEARecordingDecoder)?.lineCount else {
            return "holds nothing usable as \(format.rawValue)"
        }
        return "holds no NMEA sentence in \(counted(lineCount, "line"))"
    }
}

extension ReplaySchedule {
    /// A line for each kind of oddity, for people.
    fileprivate var warnings: [String] {
        var lines: [String] = []
        if disorderedCount > 0 { lines.append("points whose time is not after the one before, left out: \(disorderedCount)") }
        if untimedCount > 0 { lines.append("points without a time, taken one interval after the one before: \(untimedCount)") }
        return lines
    }
}

extension GzipInput.Problem {
    /// The warning once the rest has been played.
    var playbackWarning: String {
        self == .followed ? "\(self), which is not read" : "\(self); what came before that was played"
    }
}
