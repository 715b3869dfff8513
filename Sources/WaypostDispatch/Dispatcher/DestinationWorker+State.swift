// What a worker does, what it has read, and how an attempt ends.
extension DestinationWorker {
    /// What it does.
    enum State {
        /// Nothing is on its way; the alarm begins the next run.
        case idle(next: Alarm?)
        /// A run is on its way; the alarm begins another one behind it.
        case sending(Run, next: Alarm?)
        /// Nothing begins any more; the last run may not have ended yet.
        case stopped(last: Run?)

        typealias Run = Task<DispatchCompletion, Never>

        /// The run that is on its way.
        var run: Run? {
            switch self {
            case .idle: nil
            case .sending(let run, _): run
            case .stopped(let run): run
            }
        }

        /// The alarm that is set.
        var alarm: Alarm? {
            switch self {
            case .idle(let alarm), .sending(_, let alarm): alarm
            case .stopped: nil
            }
        }

        var isStopped: Bool { if case .stopped = self { true } else { false } }

        /// A run begins; there is none.
        mutating func begin(_ run: Run) { self = .sending(run, next: alarm) }

        /// The run has ended.
        mutating func endRun() { self = isStopped ? .stopped(last: nil) : .idle(next: alarm) }

        /// Sets another alarm, or none.
        mutating func setAlarm(_ next: Alarm?) {
            alarm?.task.cancel()
            keep(next)
        }

        /// The alarm has rung: its task goes on with the run that it begins.
        mutating func noteRing() { keep(nil) }

        private mutating func keep(_ next: Alarm?) {
            switch self {
            case .idle: self = .idle(next: next)
            case .sending(let run, _): self = .sending(run, next: next)
            case .stopped: next?.task.cancel()
            }
        }

        /// Ends the run that is on its way, and begins none any more.
        mutating func stop() {
            alarm?.task.cancel()
            run?.cancel()
            self = .stopped(last: run)
        }
    }

    /// A moment of the boot clock at which a run begins by itself.
    struct Alarm {
        var moment: Int64
        var task: Task<Void, Never>
    }

    /// What was read of what waits.
    struct Reading {
        var queues: [DispatchLane: LaneQueue] = [:]
        /// Whether there may be dead letters that are to be tried once more.
        var mayHaveDueLetters = true
    }

    /// Why nothing arrives, and since which moment of the boot clock.
    struct Failure {
        var reason: String
        /// Whether somebody has to change something.
        var needsMending: Bool
        var since: Int64
    }
}

/// How an attempt ended, or why there was none.
enum RunEnding {
    /// A batch was sent and answered.
    case sent
    /// A batch was settled without a word to the server: there was nothing in it for it.
    case skipped
    /// The server refused them; the one to blame is looked for.
    case refused
    /// Nothing waits.
    case empty
    /// So many would have been sent.
    case dryRun(count: Int)
    /// It may work later.
    case failed(reason: String, isUnreachable: Bool, retryAfter: Duration?)
    /// Somebody has to change something, or the server refuses everything.
    case denied(reason: String)
}
