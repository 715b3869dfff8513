import Logging
import Waypost
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Feeds the log with positions, and says when it cannot take them.
actor LogConsumer: PositioningConsumer {
    /// Why the log does not take positions now; nil while it does.
    private(set) var failure: RecordingError?

    /// Fixes that were left out because the one logged before says enough.
    private(set) var thinnedCount = 0

    private let recorder: TrackRecorder
    private var thinner: PositionThinner
    private let logger: Logger
    private var synchronizer: Task<Void, Never>?
    /// Whether a position came since the synchronizer last looked; it might have just found nothing to do.
    private var hasNews = false

    init(recorder: TrackRecorder, thinning: PositionThinner.Settings, logger: Logger) {
        self.recorder = recorder
        thinner = PositionThinner(thinning)
        self.logger = logger
    }

    func consume(_ update: PositioningUpdate) async {
        switch update {
        case .position(let position): await record(position)
        case .lost:
            thinner.breakTrack()
            await recorder.note(.loss)
        case .noFix, .sky, .status, .finished: break
        }
    }

    private func record(_ position: Position) async {
        guard thinner.keeps(position) else {
            thinnedCount += 1
            return
        }
        do throws(RecordingError) {
            try await recorder.record(position)
            if failure != nil {
                failure = nil
                logger.notice("the log takes positions again")
            }
            hasNews = true
            if synchronizer == nil { synchronizer = Task { await synchronize() } }
        } catch {
            note(error)
        }
    }

    /// Brings the last positions to the disk when no further ones come to do it; ends when everything is there.
    private func synchronize() async {
        while hasNews {
            hasNews = false
            while let deadline = await recorder.synchronizationDeadline {
                let wait = max(0, deadline - MonotonicClock.nanoseconds)
                try? await Task.sleep(for: .nanoseconds(wait))  // Cancelled: at once, which does no harm.
                do throws(RecordingError) { try await recorder.synchronizeIfDue() } catch { note(error) }
            }
        }
        synchronizer = nil
    }

    private func note(_ error: RecordingError) {
        // Once per kind of failure, not once per position.
        if failure != error { logger.error("logging is paused: \(DaemonFailure(error).lines.joined())") }
        failure = error
    }
}
