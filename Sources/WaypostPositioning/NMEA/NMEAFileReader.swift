import Waypost
import WaypostSystem

/// The thread's side of one run of an ``NMEAFileSource`` that is played, from the start to the end or to a reset.
///
/// That is a file, or what comes through a FIFO or standard input when a speed is given for it.
struct NMEAFileReader: ~Copyable {
    private let source: NMEAFileSource
    private let queue: EventQueue
    private let stop: WakeSignal
    private var file: UnpackedFile
    private let isRegular: Bool
    private var decoder: NMEADecoder
    /// The speed of the source, unless the control has another one.
    private let ownSpeed: Double
    private var pace: ReplayPace

    // The controls of a file.
    private let control: PlaybackControl
    private let wake: WakeSignal
    private let resetCount: Int
    private var last: Position?
    /// The time that standing still has added to the recording's times.
    private var heldMilliseconds: Int64 = 0
    /// Whether a loss was reported since the last position.
    private var isLost = false
    /// Where the position was lost in a file.
    private var losses = RecordingLosses()

    /// Why a run has ended.
    enum End {
        case finished, cancelled
        /// Somebody asked to start again.
        case reset
    }

    /// The time between repeated positions while the position stands still.
    private static let heldInterval: Int64 = 1_000

    static func open(_ path: String) throws(PositionSourceError) -> UnpackedFile {
        try opening(path) { (path) throws(SystemError) in try UnpackedFile(path: path) }
    }

    init(
        _ file: consuming UnpackedFile, source: NMEAFileSource, queue: EventQueue, stop: WakeSignal
    ) throws(PositionSourceError) {
        let wake = try NMEAFileReader.opening(source.path) { (_) throws(SystemError) in try WakeSignal() }
        isRegular = file.isRegular
        self.file = file
        self.wake = wake
        self.source = source
        self.queue = queue
        self.stop = stop
        control = source.control
        resetCount = source.control.state.resetCount
        var options = NMEADecoder.Options()
        options.deliversSky = true
        options.endsEpochAtLearnedSentence = !isRegular
        decoder = NMEADecoder(options: options)
        ownSpeed = source.speed ?? (isRegular ? 1 : 0)
        pace = ReplayPace(speed: ownSpeed)
        control.attach(wake)
    }

    private static func opening<Opened: ~Copyable>(
        _ path: String, _ open: (String) throws(SystemError) -> Opened
    ) throws(PositionSourceError) -> Opened {
        do throws(SystemError) { return try open(path) } catch { throw .cannotOpen(path: path, reason: error.reason) }
    }

    deinit {
        control.detach(wake)
    }

    consuming func run() throws(PositionSourceError) -> End {
        var events: [NMEAEvent] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch isRegular
                ? .ready : stop.wait(forReading: file.descriptor, timeoutMilliseconds: NMEAFileSource.quietMilliseconds)
            {
            case .raised: return .cancelled
            case .timedOut:
                decoder.endEpoch(into: &events)
                if let end = deliver(&events) { return end }
                if stop.wait(forReading: file.descriptor, timeoutMilliseconds: nil) == .raised { return .cancelled }
            case .ready: break
            }
            let count: Int
            do throws(SystemError) {
                // Live data is read as it is.
                count = try isRegular ? file.read(into: &buffer) : Syscalls.readAvailable(file.descriptor, into: &buffer)
            } catch {
                throw .cannotRead(path: source.path, reason: error.reason)
            }
            if count < 0 { continue }
            if count == 0 { break }
            decoder.decode(buffer.span.extracting(0..<count), into: &events)
            if let end = deliver(&events) { return end }
        }
        decoder.finish(into: &events)
        if let end = deliver(&events) { return end }
        try NMEAFileReader.tellEnd(of: source.path, decoder.counters, file.gzipProblem, to: queue)
        return .finished
    }

    /// Reports the end of the data, and what was damaged in it.
    ///
    /// - Errors: it held no NMEA at all.
    static func tellEnd(
        of path: String, _ counters: NMEACounters, _ gzipProblem: GzipInput.Problem?, to queue: EventQueue
    ) throws(PositionSourceError) {
        guard counters.sentences > 0 else { throw emptiness(path, lineCount: counters.lines, gzipProblem) }
        for line in counters.summary + (gzipProblem.map { [$0.playbackWarning] } ?? []) { queue.send(.status(.warning(line))) }
        queue.send(.finished)
    }

    /// Opens a file and reads to its first sentence, without waiting for anything.
    ///
    /// - Errors: it cannot be opened or read, or holds no NMEA at all.
    static func tryOut(path: String) throws(PositionSourceError) {
        var file = try open(path)
        var decoder = NMEADecoder(options: NMEADecoder.Options())
        var events: [NMEAEvent] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while decoder.counters.sentences == 0 {
            let count: Int
            do throws(SystemError) { count = try file.read(into: &buffer) } catch {
                throw .cannotRead(path: path, reason: error.reason)
            }
            decoder.decode(buffer.span.extracting(0..<count), into: &events)
            events.removeAll(keepingCapacity: true)
            if count > 0 { continue }
            decoder.finish(into: &events)
            guard decoder.counters.sentences > 0 else { throw emptiness(path, lineCount: decoder.counters.lines, file.gzipProblem) }
        }
    }

    /// That there is no NMEA in a file.
    private static func emptiness(_ path: String, lineCount: Int, _ gzipProblem: GzipInput.Problem?) -> PositionSourceError {
        if let gzipProblem { return .unusable(path: path, reason: "\(gzipProblem), and nothing usable is before that") }
        return .unusable(path: path, reason: "holds no NMEA sentence in \(counted(lineCount, "line"))")
    }

    /// Sends events at their time; returns the end when there is one.
    private mutating func deliver(_ events: inout [NMEAEvent]) -> End? {
        defer { events.removeAll(keepingCapacity: true) }
        if isRegular {
            for case .epoch(let epoch) in events where epoch.position != nil { losses.foresee(epoch.recordedTime) }
        }
        for event in events {
            switch event {
            case .sky(var view):
                view.source = source.name
                guard queue.send(.sky(view)) else { return .cancelled }
            case .epoch(let epoch):
                if isRegular, epoch.position != nil, let end = tellGap(before: epoch) { return end }
                if let end = reach(epoch.recordedTime) { return end }
                guard deliver(epoch.position, time: epoch.time) else { return .cancelled }
                if isRegular, epoch.position == nil, losses.addNoFix(at: epoch.recordedTime), !lose(.noFix) { return .cancelled }
                last = epoch.position ?? last
            }
        }
        return stop.isRaised ? .cancelled : nil
    }

    /// Reports a loss in the gap before a fix, when it is due there; returns the end when there is one.
    private mutating func tellGap(before epoch: NMEAEpoch) -> End? {
        let timeout = losses.timeoutMilliseconds.map(UTCTime.init(millisecondsSince1970:))
        guard losses.addFix(at: epoch.recordedTime) else { return nil }
        if let end = reach(timeout) { return end }
        return lose(.silent) ? nil : .cancelled
    }

    /// Reports a loss once; false when nobody receives it any more.
    private mutating func lose(_ reason: LossReason) -> Bool {
        defer { isLost = true }
        return isLost || queue.send(.lost(reason))
    }

    /// Waits until a moment of the recording is due, and stands still meanwhile as long as the control says so.
    private mutating func reach(_ moment: UTCTime?) -> End? {
        while true {
            let state = control.state
            if isRegular, state.resetCount != resetCount { return isLost || queue.send(.lost(.ended)) ? .reset : .cancelled }
            if isRegular, state.isStationary, var position = last {
                let start = MonotonicClock.milliseconds
                heldMilliseconds += NMEAFileReader.heldInterval
                position.speedMetresPerSecond = 0
                guard deliver(position, time: position.time),
                    stop.sleep(milliseconds: NMEAFileReader.heldInterval, orUntil: wake) != .raised
                else {
                    return .cancelled
                }
                pace.delay(byMilliseconds: MonotonicClock.milliseconds - start)
                continue
            }
            if isRegular { pace.change(to: state.speed ?? ownSpeed) }
            switch stop.sleep(milliseconds: pace.waitMilliseconds(until: moment?.millisecondsSince1970), orUntil: wake) {
            case .raised: return .cancelled
            case .ready: continue
            case .timedOut: return nil
            }
        }
    }

    /// Delivers a position or the lack of one; false when nobody receives it any more.
    private mutating func deliver(_ position: Position?, time: UTCTime?) -> Bool {
        let time = time?.advanced(byMilliseconds: heldMilliseconds)
        let isHidden = isRegular && control.state.isPositionLost
        guard var position, !isHidden else {
            if isHidden, !lose(.noFix) { return false }
            return queue.send(.noFix(NoFix(time: time, source: source.name)))
        }
        isLost = false
        position.time = time
        position.source = source.name
        return queue.send(.position(position))
    }
}

extension NMEAEpoch {
    /// Its moment by the recording's clock: of a receiver that does not know the day yet, the time of day.
    fileprivate var recordedTime: UTCTime? { time ?? millisecondOfDay.map { UTCTime(millisecondsSince1970: Int64($0)) } }
}
