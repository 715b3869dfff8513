import Logging
import Waypost
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Feeds the log with positions, reports when it cannot accept them, and maintains it: unfinished tracks, old ones.
actor LogConsumer: PositioningConsumer {
    /// How many fixes were left out because they were too close to the one logged before.
    private(set) var thinnedCount = 0
    /// Which these were, and others that were not logged.
    private(set) var filtered = FilteredFixes()
    /// Whether positions arrive and none is logged.
    private(set) var standstill = LogStandstill()

    /// The log; nil while it is off.
    private let recorder: TrackRecorder?
    private var thinner: PositionThinner
    /// Whether one type of the log keeps every fix, including those that are left out of the others.
    private let keepsEverything: Bool
    private let upkeep: LogUpkeep
    private let logger: Logger
    private let clock: ConfirmedClock
    private let noteLogged: @Sendable () -> Void
    private let noteDeleting: @Sendable ([DeletedTrack]) async -> Void
    /// The problems that were reported: once per kind of failure, not once per position.
    private var told = RecorderProblems()
    private var synchronizer: Task<Void, Never>?
    /// Whether a position arrived since the synchronizer last checked; it might have just found nothing to do.
    private var hasNews = false
    private var tidying: Task<Void, Never>?
    private var tidyAt: Int64 = 0

    /// How often the log is maintained while positions arrive, milliseconds.
    private static let tidyInterval: Int64 = 300_000
    /// How long before its time the log may be synced to disk, nanoseconds.
    private static let synchronizesEarlier: Int64 = 500_000_000
    /// The wait after a full disk before it tries again to free space, milliseconds.
    private static let tidyIntervalWhenFull: Int64 = 10_000

    init(
        recorder: TrackRecorder?, upkeep: LogUpkeep, thinning: PositionThinner.Settings, keepsEverything: Bool, clock: ConfirmedClock,
        logger: Logger,
        noteLogged: @escaping @Sendable () -> Void, noteDeleting: @escaping @Sendable ([DeletedTrack]) async -> Void
    ) {
        self.noteDeleting = noteDeleting
        self.clock = clock
        self.noteLogged = noteLogged
        self.recorder = recorder
        thinner = PositionThinner(thinning)
        self.keepsEverything = keepsEverything
        self.upkeep = upkeep
        self.logger = logger
    }

    func consume(_ update: PositioningUpdate) async {
        switch update {
        case .position(let position): await record(position)
        case .lost:
            standstill.end()
            thinner.breakTrack()
            await recorder?.note(.loss)
        case .failed, .finished, .matched, .noFix, .paused, .resumed, .significantChange, .sky, .stationary, .status: break
        }
    }

    /// Waits until no work on the log is left.
    func stop() async {
        await tidying?.value
    }

    private func record(_ position: Position) async {
        if let time = position.time, position.status.isMeasured { clock.process(time, from: position.source) }
        guard let recorder else {
            filtered.note(position.time ?? clock.now, because: LogSwitch.reason)
            return tidyIfDue(now: MonotonicClock.milliseconds)
        }
        let isKept = thinner.keeps(position)
        guard isKept || keepsEverything else {
            thinnedCount += 1
            standstill.end()
            filtered.note(position.time ?? clock.now, because: "near the one before: [log] min_distance, min_interval, min_turn")
            return
        }
        let now = MonotonicClock.milliseconds
        do throws(RecordingError) {
            switch try await recorder.record(position, as: isKept ? [.source, .raw, .current] : .source) {
            case .logged(_, let endedTrack):
                standstill.end()
                if endedTrack { tidyAt = now }
            case .leftOut(let reason):
                standstill.note(position, leftOutAs: reason, now: now)
                filtered.note(position.time ?? clock.now, because: reason.words)
            case .notWanted: break
            }
            if told.writing != nil || told.synchronizing != nil { await logChange() }
            noteLogged()
            keepSynchronized()
        } catch {
            // A position that is not yet safe on the disk is logged all the same.
            if case .cannotSynchronize = error {
            } else {
                filtered.note(position.time ?? clock.now, because: DaemonFailure(error).lines.joined())
            }
            await logChange()
            if case .cannotAppend(_, let cause) = error, cause.isDiskFull { tidyAt = min(tidyAt, now + LogConsumer.tidyIntervalWhenFull) }
        }
        tidyIfDue(now: now)
    }

    private func tidyIfDue(now: Int64) {
        guard now >= tidyAt, tidying == nil else { return }
        tidyAt = now + LogConsumer.tidyInterval
        tidying = Task { await tidy() }
    }

    /// Finishes unfinished tracks and deletes old ones, while recording goes on.
    private func tidy() async {
        await upkeep.recoverTracks()
        await upkeep.deleteOldTracks(confirmedTime: clock.certainNow, noting: noteDeleting)
        tidying = nil
    }

    /// Checks whether the log is where it belongs, because somebody asks; if it is not, it is created there at once.
    func checkPlace() async {
        do throws(RecordingError) {
            try await recorder?.checkPlace()
        } catch {
            await logChange()
            keepSynchronized()
        }
    }

    private func keepSynchronized() {
        hasNews = true
        if synchronizer == nil { synchronizer = Task { await synchronize() } }
    }

    /// Syncs the last positions to disk when no further ones arrive to do it; ends when everything is there.
    private func synchronize() async {
        while hasNews {
            hasNews = false
            while let recorder, let deadline = await recorder.synchronizationDeadline {
                let wait = max(0, deadline - MonotonicClock.nanoseconds)
                // Together with a fix that arrives shortly before, as that wakes the tracker anyway.
                let tolerance = wait > LogConsumer.synchronizesEarlier ? LogConsumer.synchronizesEarlier : 0
                let pause = Duration.nanoseconds(wait - tolerance)
                try? await Task.sleep(for: pause, tolerance: .nanoseconds(tolerance))  // Cancelled: at once, which does no harm.
                let now = max(deadline, MonotonicClock.nanoseconds)
                do throws(RecordingError) { try await recorder.synchronizeIfDue(now: now) } catch { await logChange() }
                if told.synchronizing != nil { await logChange() }
            }
        }
        synchronizer = nil
    }

    /// Reports changes between a working and a failing log.
    private func logChange() async {
        guard let problems = await recorder?.problems else { return }
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
        told = problems
    }
}
