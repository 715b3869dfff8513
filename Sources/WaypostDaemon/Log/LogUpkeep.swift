import Logging
import Waypost
import WaypostRecording
import WaypostSystem

/// Finishes and deletes tracks, and reports that.
struct LogUpkeep: Sendable {
    /// The log; nil for none.
    let recorder: TrackRecorder?
    let logger: Logger

    /// Writes the files of unfinished tracks; returns false, with the reasons in the log of messages, when some fail.
    @discardableResult
    func recoverTracks(how verb: String = "wrote") async -> Bool {
        guard let recorder else { return true }
        do throws(RecordingError) {
            let known = await recorder.problems.finishing
            let recovery = try await recorder.recover()
            for track in recovery.tracks { report(track, how: verb) }
            for failure in recovery.failures where !known.contains(failure) { logger.error("\(DaemonFailure(failure).lines.joined())") }
            return recovery.failures.isEmpty
        } catch {
            logger.error("\(DaemonFailure(error).lines.joined())")
            return false
        }
    }

    /// Ends the track and writes its file.
    func finishTrack() async {
        do throws(RecordingError) {
            if let track = try await recorder?.finishTrack() { report(track, how: "wrote") }
        } catch {
            logger.error("\(DaemonFailure(error).lines.joined()); what is in the journal becomes a track later")
        }
    }

    /// Closes the log folder.
    func close() async {
        do throws(RecordingError) { _ = try await recorder?.close() } catch { logger.error("\(DaemonFailure(error).lines.joined())") }
    }

    /// Deletes the tracks that the configuration does not keep.
    ///
    /// - Parameters:
    ///   - confirmedTime: the current time, when it is certain.
    ///   - note: receives the tracks before they are deleted, because a destination may still wait for them; returns whether that is counted.
    func deleteOldTracks(confirmedTime: UTCTime?, noting note: @Sendable ([DeletedTrack]) async -> Bool) async {
        guard let recorder else { return }
        let known = await recorder.problems.retention
        do throws(RecordingError) {
            let deleted = try await recorder.applyRetention(confirmedTime: confirmedTime, noting: note)
            for track in deleted { logger.notice("deleted \(track.stem): \(track.reason.words)") }
        } catch {
            if error != known { logger.error("old tracks cannot be deleted: \(DaemonFailure(error).lines.joined())") }
        }
    }

    private func report(_ track: FinishedTrack, how verb: String) {
        if let words = track.damageWords { logger.warning("\(track.journalPath): \(words)") }
        guard let path = track.trackPath else { return }
        logger.info("\(verb) \(path): \(counted(track.positionCount, "position")), \(counted(track.segmentCount, "segment"))")
    }
}

extension RetentionRule.Reason {
    /// The reason, for people.
    fileprivate var words: String {
        switch self {
        case .tooOld: "too old ([log] max_age)"
        case .tooMuch: "the log has too much ([log] max_bytes)"
        case .tooFull: "the disk is nearly full ([log] min_free)"
        }
    }

    /// The key of the configuration that sets this limit.
    var key: String {
        switch self {
        case .tooOld: "max_age"
        case .tooMuch: "max_bytes"
        case .tooFull: "min_free"
        }
    }
}
