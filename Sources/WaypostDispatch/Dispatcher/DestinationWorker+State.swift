// The state of a worker, the records it has read, and how an attempt ends.
extension DestinationWorker {
    /// Why all sending is switched off.
    enum Silence: Sendable {
        case privateMode, optedOut

        /// The reason that ends last; nil when sending is on.
        init?(isPrivate: Bool, isOptedOut: Bool) {
            if isOptedOut { self = .optedOut } else if isPrivate { self = .privateMode } else { return nil }
        }

        /// The switch, and where it is, for people.
        var words: String {
            switch self {
            case .privateMode: "private mode is on; see waypost private"
            case .optedOut: "opt_out is on; see [dispatch] opt_out"
            }
        }
    }

    /// What the worker does.
    enum State {
        /// No run is under way; the alarm starts the next one.
        case idle(next: Alarm?)
        /// A run is under way; the alarm starts another one after it.
        case sending(Run, next: Alarm?)
        /// No more runs start; the last one may not have ended yet.
        case stopped(last: Run?)

        typealias Run = Task<DispatchCompletion, Never>

        /// The run that is under way.
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

        /// A run starts; none may be under way.
        mutating func begin(_ run: Run) { self = .sending(run, next: alarm) }

        /// The run has ended.
        mutating func endRun() { self = isStopped ? .stopped(last: nil) : .idle(next: alarm) }

        /// Sets another alarm, or none.
        mutating func setAlarm(_ next: Alarm?) {
            alarm?.task.cancel()
            keep(next)
        }

        /// The alarm has fired: its task continues with the run that it starts.
        mutating func noteRing() { keep(nil) }

        private mutating func keep(_ next: Alarm?) {
            switch self {
            case .idle: self = .idle(next: next)
            case .sending(let run, _): self = .sending(run, next: next)
            case .stopped: next?.task.cancel()
            }
        }

        /// Cancels the run that is under way, and starts no more.
        mutating func stop() {
            alarm?.task.cancel()
            run?.cancel()
            self = .stopped(last: run)
        }
    }

    /// A moment of the boot clock at which a run starts by itself.
    struct Alarm {
        var moment: Int64
        var task: Task<Void, Never>
    }

    /// The waiting records that were read.
    struct Reading {
        var queues: [DispatchLane: LaneQueue] = [:]
        /// Whether there may be dead letters that are due for another attempt.
        var mayHaveDueLetters = true

        /// Whether some of what was read is not settled.
        var hasItems: Bool { queues.values.contains { !$0.items.isEmpty || $0.unsaved != nil } }

        /// Whether events were read that came after those that waited.
        func hasEvents(after newest: NewestWaiting) -> Bool { (queues[.events]?.items.last?.number ?? 0) > newest.entry }
    }

    /// The newest records that waited when somebody asked for a run, or when it began.
    struct NewestWaiting: Sendable {
        /// The number of the last entry.
        var entry: UInt64
        /// The number of the last position.
        var position: UInt64

        /// The number of the last record of a lane.
        func number(in lane: DispatchLane) -> UInt64 { lane == .events ? entry : position }
    }

    /// The newest records that wait now.
    func newestWaiting() async -> NewestWaiting {
        // What cannot be read says so when it is to be sent.
        let entry = try? await outbox.newestNumber()  // See above.
        let position = settings.sendsPositions ? try? await supply.newestNumber() : 0  // See above.
        return NewestWaiting(entry: entry ?? .max, position: position ?? .max)
    }

    /// What a caller hears whose time is over.
    static let timeIsOver = "the time was over before it was sent"

    /// Why nothing arrives, and since which moment of the boot clock.
    struct Failure {
        var reason: String
        /// Whether a person has to change something.
        var needsMending: Bool
        var since: Int64
    }
}

/// How an attempt ended, or why there was none.
enum RunEnding {
    /// A batch was sent and answered.
    case sent
    /// A batch was settled without a request to the server: it held nothing for this server.
    case skipped
    /// The server refused the batch; the bad record in it is searched for.
    case refused
    /// Nothing waits.
    case empty
    /// This many records would have been sent.
    case dryRun(count: Int)
    /// The attempt failed, but may work later.
    case failed(reason: String, isUnreachable: Bool, retryAfter: Duration?)
    /// A person has to change something, or the server refuses everything.
    case denied(reason: String)
}
