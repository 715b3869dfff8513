import Waypost
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Puts the positions of a manager into a log: leaves out those that are too close, gets the rest onto the disk in time, and has the tracks
/// finished and deleted meanwhile.
///
/// The tracker's log and an application's ``TrackLog`` both work with it; they differ in what their observers do with the news.
package actor LogKeeper: PositioningConsumer {
    /// What happened to a fix.
    package enum Outcome: Sendable {
        /// It is in the log.
        case logged
        /// It is too close to the one logged before.
        case tooClose
        /// The rules of the log leave it out.
        case leftOut(TrackSegmenter.Reason)
        /// The log is off.
        case off
        /// It could not be written.
        case failed(RecordingError)
    }

    /// The log; nil while it is off.
    private let recorder: TrackRecorder?
    private let observer: any LogObserver
    private var thinner: PositionThinner
    /// Whether one type of the log keeps every fix, including those that are left out of the others.
    private let keepsEverything: Bool
    /// Whether each fix is followed by its place on a road: the current position waits for that.
    private var expectsMatches: Bool
    /// The fix whose current position is not logged yet.
    private var waiting: Position?
    /// Whether the last fix was kept, and what became of it was noted.
    private var (isKept, isNoted) = (false, false)
    /// Whether the last fix was on a road.
    private var isOnRoad = false
    /// The problems that the observer knows: once per kind of failure, not once per position.
    private var told = RecorderProblems()
    private var synchronizer: Task<Void, Never>?
    /// Whether a position arrived since the synchronizer last checked; it might have just found nothing to do.
    private var hasNews = false
    private var tidying: Task<Void, Never>?
    private var tidyAt: Int64 = 0
    private var tidiedAt: Int64 = 0
    private var lookAt: Int64 = 0
    /// Whether the disk had too little free space when that was last looked at.
    private var isShort = false

    /// How often the log is maintained while positions arrive, milliseconds.
    private static let tidyInterval: Int64 = 300_000
    /// How long before its time the log may be synced to disk, nanoseconds.
    private static let synchronizesEarlier: Int64 = 500_000_000
    /// The least time between two attempts to free space on a full disk, milliseconds.
    private static let tidyIntervalWhenFull: Int64 = 10_000
    /// The same while there is room for positions, but less free space than is to be left.
    private static let tidyIntervalWhenShort: Int64 = 60_000
    /// How often it looks at the free space while positions arrive, milliseconds.
    private static let lookInterval: Int64 = 10_000

    /// Creates a keeper that has seen no position yet.
    ///
    /// - Parameters:
    ///   - recorder: the log; nil while it is off.
    ///   - thinning: which fixes are left out.
    ///   - keepsEverything: whether a type of the log has those, too.
    ///   - expectsMatches: whether fixes are matched from the start on; if not, that is found out.
    ///   - observer: gets the news.
    package init(
        recorder: TrackRecorder?, thinning: PositionThinner.Settings, keepsEverything: Bool, expectsMatches: Bool = false,
        observer: any LogObserver
    ) {
        self.recorder = recorder
        self.expectsMatches = expectsMatches
        self.observer = observer
        self.keepsEverything = keepsEverything
        thinner = PositionThinner(thinning)
    }

    /// Processes an update of the manager.
    package func consume(_ update: PositioningUpdate) async {
        switch update {
        case .position(let position):
            if waiting != nil {
                // It was not matched: positions are no longer.
                await recordWaiting()
                expectsMatches = false
            }
            await record(position)
        case .matched(let match): await record(match)
        case .lost:
            await recordWaiting()
            observer.noteLoss()
            thinner.breakTrack()
            await recorder?.note(.loss)
        case .failed, .finished, .noFix, .paused, .resumed, .significantChange, .sky, .stationary, .status: break
        }
    }

    /// Brings the last positions onto the disk at once, and waits until no work on the log is left.
    package func stop() async {
        await recordWaiting()
        synchronizer?.cancel()
        await synchronizer?.value
        await tidying?.value
    }

    private func record(_ position: Position) async {
        observer.noteFix(position)
        guard let recorder else {
            observer.note(.off, of: position)
            return tidyIfDue(now: MonotonicClock.milliseconds)
        }
        (isKept, isNoted) = (thinner.keeps(position), false)
        guard isKept || keepsEverything else { return observer.note(.tooClose, of: position) }
        await append(position, to: recorder, as: !isKept ? .source : expectsMatches ? [.source, .raw] : [.source, .raw, .current])
        if isKept, expectsMatches { waiting = position }
    }

    /// Logs where the last fix is on a road: the current position, if that is likely enough.
    private func record(_ match: MatchedPosition?) async {
        expectsMatches = true
        let fix = waiting
        waiting = nil
        guard let recorder, isKept else { return }
        if let match {
            isOnRoad = true
            if let fix, !match.isConfident { await append(fix, to: recorder, as: .current) }
            await append(match.position, to: recorder, as: fix != nil && match.isConfident ? [.current, .matched] : .matched)
        } else {
            // The track of matched positions does not lead across the fields.
            if isOnRoad { await recorder.note(.loss, of: .matched) }
            isOnRoad = false
            if let fix { await append(fix, to: recorder, as: .current) }
        }
    }

    /// Logs the current position of a fix that was not matched any more.
    private func recordWaiting() async {
        guard let fix = waiting, let recorder else { return }
        waiting = nil
        await append(fix, to: recorder, as: .current)
    }

    private func append(_ position: Position, to recorder: TrackRecorder, as types: LogTypes) async {
        let now = MonotonicClock.milliseconds
        do throws(RecordingError) {
            switch try await recorder.record(position, as: types) {
            case .logged(_, let endedTrack):
                if endedTrack { tidyAt = now }
                note(.logged, of: position)
            case .leftOut(let reason): note(.leftOut(reason), of: position)
            case .notWanted: break
            }
            if told.writing != nil || told.synchronizing != nil { await noteProblems() }
            keepSynchronized()
        } catch {
            // A position that is not yet safe on the disk is logged all the same.
            if case .cannotSynchronize = error {} else { note(.failed(error), of: position) }
            await noteProblems(after: error)
            if case .cannotAppend(_, let cause) = error, cause.isDiskFull {
                tidyAt = min(tidyAt, tidiedAt + LogKeeper.tidyIntervalWhenFull)
            }
        }
        await lookAtSpace(of: recorder, now: now)
        tidyIfDue(now: now)
    }

    /// Makes sure that tracks are deleted soon when the disk fills up, not only once the open journal has used up its room.
    private func lookAtSpace(of recorder: TrackRecorder, now: Int64) async {
        guard now >= lookAt else { return }
        lookAt = now + LogKeeper.lookInterval
        let wasShort = isShort
        isShort = await recorder.isDiskShort
        if isShort { tidyAt = min(tidyAt, wasShort ? tidiedAt + LogKeeper.tidyIntervalWhenShort : now) }
    }

    /// Notes what happened to a fix, once, in however many types it is logged.
    private func note(_ outcome: Outcome, of position: Position) {
        if !isNoted { observer.note(outcome, of: position) }
        isNoted = true
    }

    private func tidyIfDue(now: Int64) {
        guard now >= tidyAt, tidying == nil else { return }
        tidyAt = now + LogKeeper.tidyInterval
        tidiedAt = now
        tidying = Task {
            await observer.maintain()
            tidying = nil
        }
    }

    /// Checks whether the log is where it belongs, because somebody asks; if it is not, it is created there at once.
    package func checkPlace() async {
        do throws(RecordingError) {
            try await recorder?.checkPlace()
        } catch {
            await noteProblems(after: error)
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
                // Together with a fix that arrives shortly before, as that wakes the process anyway.
                let tolerance = wait > LogKeeper.synchronizesEarlier ? LogKeeper.synchronizesEarlier : 0
                let pause = Duration.nanoseconds(wait - tolerance)
                try? await Task.sleep(for: pause, tolerance: .nanoseconds(tolerance))  // Cancelled: at once, which does no harm.
                let now = max(deadline, MonotonicClock.nanoseconds)
                do throws(RecordingError) { try await recorder.synchronizeIfDue(now: now) } catch { await noteProblems(after: error) }
                if told.synchronizing != nil { await noteProblems() }
                if Task.isCancelled { break }  // One try: a disk that refuses would be tried without a pause.
            }
        }
        synchronizer = nil
    }

    /// Notes what is wrong.
    ///
    /// - Parameter error: why something failed just now; a log that went on in another place at once had no problem any more when it was asked.
    private func noteProblems(after error: RecordingError? = nil) async {
        guard let problems = await recorder?.problems else { return }
        if let error, error.isDisplacement, problems.synchronizing == nil, told.synchronizing == nil {
            let former = told
            told.synchronizing = .init(error: error, sinceMilliseconds: MonotonicClock.milliseconds)
            observer.note(told, before: former)
        }
        observer.note(problems, before: told)
        told = problems
    }
}

/// Gets the news of a ``LogKeeper``, in its isolation: what takes long, or waits, belongs into ``maintain()``.
package protocol LogObserver: Sendable {
    /// Notes a fix, before anything is done with it.
    func noteFix(_ position: Position)
    /// Notes what happened to it.
    func note(_ outcome: LogKeeper.Outcome, of position: Position)
    /// Notes that the position was lost.
    func noteLoss()
    /// Notes what is wrong with the log, and what was when this was last called.
    func note(_ problems: RecorderProblems, before: RecorderProblems)
    /// Finishes tracks whose files are missing, and deletes old ones, while recording goes on.
    func maintain() async
}
