import Waypost
import WaypostSystem

/// The steps that a ``Playback`` plays: those of a recording or a simulation, from its start.
protocol PlaybackFeed: ~Copyable {
    /// The next step; nil at the end, and when it was cancelled.
    mutating func next() throws(PositionSourceError) -> ReplaySchedule.Step?
    /// Adopts changed options; returns the step to play now in place of the one returned last, which is not played yet.
    mutating func change(takingBack step: ReplaySchedule.Step) throws(PositionSourceError) -> ReplaySchedule.Step?
    /// The position while it stands still; nil before the first step.
    mutating func heldPosition() -> Position?
    /// Oddities in the recording, for people; complete at the end.
    var warnings: [String] { get }
}

/// How a ``Playback`` plays.
struct PlaybackOptions: Sendable {
    /// The name that positions carry.
    var name: String
    /// How many times faster than its own times; 0 is as fast as the listeners accept it.
    var speed = 1.0
    /// Whether the times are moved so that the drive begins now; otherwise they are the recording's own.
    var rebasesTimes = true
    /// The time between repeated positions while it stands still.
    var interval: Duration = .seconds(1)
}

/// The thread's side of a replay or a simulated drive: plays steps at their moments, and obeys the controls.
///
/// - Rebased times grow by the drive's own time, at any playback speed: rules that depend on them give the same results.
/// - While it is stationary the last position is repeated with growing times, and everything that follows is delayed by as much.
struct Playback: ~Copyable {
    /// Why the playback has ended.
    enum End: Equatable {
        case finished
        case cancelled
        /// Somebody asked to start again.
        case reset
    }

    private var options: PlaybackOptions
    private let read: @Sendable () -> PlaybackOptions
    private let queue: EventQueue
    private let stop: WakeSignal
    private let control: PlaybackControl
    private let wake: WakeSignal
    private var resetCount: Int
    private var changeCount: Int
    /// Whether a loss was reported since the last position.
    private var isLost = false

    /// The time that standing still has added since the drive's start.
    private var heldMilliseconds: Int64 = 0
    /// The drive's time now, standing still included.
    private var clock: Int64 = 0
    /// The UTC of the drive's time 0, in rebased times.
    private var start: UTCTime
    private var monotonicStart: Int64
    /// How many times as fast as its own times it is played now.
    private var speed: Double

    /// - Parameter options: reads how it is played; again whenever the control says that this has changed.
    init(
        control: PlaybackControl, queue: EventQueue, stop: WakeSignal, options read: @escaping @Sendable () -> PlaybackOptions
    ) throws(PositionSourceError) {
        let wake: WakeSignal
        let state = control.state
        let options = read()
        do throws(SystemError) {
            wake = try WakeSignal()
        } catch {
            throw .cannotRead(path: options.name, reason: error.description)
        }
        self.wake = wake
        self.options = options
        self.read = read
        speed = state.speed ?? options.speed
        self.queue = queue
        self.stop = stop
        self.control = control
        start = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        monotonicStart = MonotonicClock.milliseconds
        resetCount = state.resetCount
        changeCount = state.changeCount
        control.attach(wake)
    }

    deinit {
        control.detach(wake)
    }

    /// Plays the feed to its end.
    mutating func play(_ feed: inout some PlaybackFeed & ~Copyable) throws(PositionSourceError) -> End {
        begin()
        while var step = try feed.next() {
            switch try reach(&step, feed: &feed) {
            case nil: break
            case let end?: return end
            }
            guard deliver(step) else { return .cancelled }
        }
        return stop.isRaised ? .cancelled : .finished
    }

    /// Starts the drive's time again; rebased times go on growing.
    private mutating func begin() {
        guard clock > 0 else { return }
        start = start.advanced(byMilliseconds: clock + options.interval.milliseconds)
        monotonicStart = MonotonicClock.milliseconds
        (clock, heldMilliseconds) = (0, 0)
    }

    /// Waits until the step is due, and stands still meanwhile as long as the control says so.
    private mutating func reach(
        _ step: inout ReplaySchedule.Step, feed: inout some PlaybackFeed & ~Copyable
    ) throws(PositionSourceError) -> End? {
        while true {
            let state = control.state
            if state.resetCount != resetCount {
                resetCount = state.resetCount
                return lose(.ended) ? .reset : .cancelled
            }
            if state.changeCount != changeCount {
                changeCount = state.changeCount
                adopt(read())
                guard let next = try feed.change(takingBack: step) else { return stop.isRaised ? .cancelled : .finished }
                step = next
            }
            changeSpeed(to: state.speed ?? options.speed)
            if state.isStationary, let position = feed.heldPosition() {
                clock += options.interval.milliseconds
                heldMilliseconds += options.interval.milliseconds
                guard deliver(position, recordedTime: nil), pauseWhileHeld() else { return .cancelled }
                continue
            }
            let due = step.atMilliseconds + heldMilliseconds
            switch stop.sleep(milliseconds: wallMilliseconds(of: due), orUntil: wake) {
            case .raised: return .cancelled
            case .ready: continue
            case .timedOut:
                clock = due
                return nil
            }
        }
    }

    /// Plays with other options; times go on as they began.
    private mutating func adopt(_ options: PlaybackOptions) {
        let rebasesTimes = self.options.rebasesTimes
        self.options = options
        self.options.rebasesTimes = rebasesTimes
    }

    /// Goes on from the drive's present time.
    private mutating func changeSpeed(to wanted: Double) {
        guard wanted != speed else { return }
        let now = MonotonicClock.milliseconds
        let moment = speed > 0 ? Double(now - monotonicStart) * speed : Double(clock)
        speed = wanted
        if wanted > 0 { monotonicStart = now - Int64(moment / wanted) }
    }

    /// How long to wait until a moment of the drive.
    private func wallMilliseconds(of moment: Int64) -> Int64 {
        guard speed > 0 else { return 0 }
        return monotonicStart + Int64(Double(moment) / speed) - MonotonicClock.milliseconds
    }

    /// Waits for one interval, at full speed, too: standing still has no end of its own.
    private mutating func pauseWhileHeld() -> Bool {
        let pause = speed > 0 ? wallMilliseconds(of: clock) : options.interval.milliseconds
        return stop.sleep(milliseconds: max(1, pause), orUntil: wake) != .raised
    }

    // MARK: - Delivery

    private mutating func deliver(_ step: ReplaySchedule.Step) -> Bool {
        switch step {
        case .position(let position, _, let recordedTime): deliver(position, recordedTime: recordedTime)
        case .lost: lose(.noFix)
        }
    }

    /// Reports a loss, once.
    private mutating func lose(_ reason: LossReason) -> Bool {
        defer { isLost = true }
        return isLost || queue.send(.lost(reason))
    }

    private mutating func deliver(_ position: Position, recordedTime: UTCTime?) -> Bool {
        let time = options.rebasesTimes ? start.advanced(byMilliseconds: clock) : recordedTime?.advanced(byMilliseconds: heldMilliseconds)
        if control.state.isPositionLost {
            return lose(.noFix) && queue.send(.noFix(NoFix(time: time, source: options.name)))
        }
        isLost = false
        var position = position
        position.time = time
        position.source = options.name
        return queue.send(.position(position))
    }
}

extension ReplaySchedule.Step {
    /// When it is due, in milliseconds of the drive.
    var atMilliseconds: Int64 {
        switch self {
        case .position(_, let moment, _): moment
        case .lost(let moment): moment
        }
    }
}

extension Playback {
    /// Plays a feed to its end, from the start again whenever that is requested, and reports the end.
    mutating func playAll<Feed: PlaybackFeed & ~Copyable>(
        _ open: () throws(PositionSourceError) -> Feed
    ) throws(PositionSourceError) {
        while true {
            var feed = try open()
            switch try play(&feed) {
            case .reset: continue
            case .cancelled: return
            case .finished:
                for line in feed.warnings { queue.send(.status(.warning(line))) }
                queue.send(.finished)
                return
            }
        }
    }
}
