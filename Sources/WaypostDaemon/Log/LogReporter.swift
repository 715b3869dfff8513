import Logging
import Synchronization
import Waypost
import WaypostKit
import WaypostRecording
import WaypostSystem

/// Reports what happens to the fixes of the tracker: in the log of messages, in the status, and to whoever sends them.
final class LogReporter: LogObserver {
    /// What the status says of the fixes.
    struct Summary: Sendable {
        /// How many fixes were left out because they were too close to the one logged before.
        var thinnedCount = 0
        /// Which these were, and others that were not logged.
        var filtered = FilteredFixes()
        /// Whether positions arrive and none is logged.
        var standstill = LogStandstill()
    }

    private let state = Mutex(Summary())
    private let upkeep: LogUpkeep
    private let logger: Logger
    private let clock: ConfirmedClock
    private let noteLogged: @Sendable () -> Void
    private let noteDeleting: @Sendable ([DeletedTrack]) async -> Bool

    init(
        upkeep: LogUpkeep, clock: ConfirmedClock, logger: Logger, noteLogged: @escaping @Sendable () -> Void,
        noteDeleting: @escaping @Sendable ([DeletedTrack]) async -> Bool
    ) {
        self.upkeep = upkeep
        self.clock = clock
        self.logger = logger
        self.noteLogged = noteLogged
        self.noteDeleting = noteDeleting
    }

    /// What has happened so far.
    var summary: Summary { state.withLock { $0 } }

    func noteFix(_ position: Position) {
        if let time = position.time, position.status.isMeasured { clock.process(time, from: position.source) }
    }

    func note(_ outcome: LogKeeper.Outcome, of position: Position) {
        let reason: String
        switch outcome {
        case .logged:
            state.withLock { $0.standstill.end() }
            return noteLogged()
        case .off: reason = LogSwitch.reason
        case .tooClose: reason = "near the one before: [log] min_distance, min_interval, min_turn"
        case .leftOut(let cause): reason = cause.words
        case .failed(let error): reason = "\(error)"
        }
        let time = position.time ?? clock.now
        state.withLock { state in
            switch outcome {
            case .tooClose:
                state.thinnedCount += 1
                state.standstill.end()
            case .leftOut(let cause): state.standstill.note(position, leftOutAs: cause, now: MonotonicClock.milliseconds)
            case .logged, .off, .failed: break
            }
            state.filtered.note(time, because: reason)
        }
    }

    func noteLoss() { state.withLock { $0.standstill.end() } }

    /// Reports changes between a working and a failing log.
    func note(_ problems: RecorderProblems, before told: RecorderProblems) {
        if let writing = problems.writing {
            if told.writing?.error != writing.error { logger.error("logging is paused: \(DaemonFailure(writing.error).lines.joined())") }
        } else if let writing = told.writing {
            logger.notice("the log takes positions again; \(counted(writing.lostPositionCount, "position")) or more lost")
        }
        if let synchronizing = problems.synchronizing {
            if told.synchronizing?.error != synchronizing.error {
                let what = synchronizing.error.isDisplacement ? "the log is not in its place" : "what is logged may not survive a power cut"
                logger.error("\(what): \(DaemonFailure(synchronizing.error).lines.joined())")
            }
        } else if let synchronizing = told.synchronizing {
            logger.notice("\(synchronizing.error.isDisplacement ? "the log is in its place" : "what is logged survives a power cut") again")
        }
        if problems.otherDiskSince != nil, told.otherDiskSince == nil { logger.error("\(RecorderProblems.otherDisk)") }
        if problems.otherDiskSince == nil, told.otherDiskSince != nil { logger.notice("the log is on its own disk again") }
    }

    func maintain() async {
        await upkeep.recoverTracks()
        await upkeep.deleteOldTracks(confirmedTime: clock.certainNow, noting: noteDeleting)
    }
}
