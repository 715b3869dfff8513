import Logging
import Waypost
import WaypostRecording
import WaypostSystem

/// Finishes and deletes tracks, and tells people of it.
struct LogUpkeep: Sendable {
    /// The log; nil for none.
    let recorder: TrackRecorder?
    let logger: Logger

    /// Makes the files of tracks that are unfinished; false, with the reasons in the log of messages, when some fail.
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

    /// Ends the track and makes its file.
    func finishTrack() async {
        do throws(RecordingError) {
            if let track = try await recorder?.finishTrack() { report(track, how: "wrote") }
        } catch {
            logger.error("\(DaemonFailure(error).lines.joined()); what is in the journal becomes a track later")
        }
    }

    /// Gives the log folder back.
    func close() async {
        do throws(RecordingError) { _ = try await recorder?.close() } catch { logger.error("\(DaemonFailure(error).lines.joined())") }
    }

    /// Deletes what the configuration does not keep.
    func deleteOldTracks(confirmedTime: UTCTime?) async {
        guard let recorder else { return }
        let known = await recorder.problems.retention
        do throws(RecordingError) {
            for stem in try await recorder.applyRetention(confirmedTime: confirmedTime) {
                logger.notice("deleted \(stem): too old or too much")
            }
        } catch {
            if error != known { logger.error("old tracks cannot be deleted: \(DaemonFailure(error).lines.joined())") }
        }
    }

    private func report(_ track: FinishedTrack, how verb: String) {
        if track.damageCount > 0 {
            logger.warning(
                "\(track.journalPath): \(counted(track.damagedByteCount, "byte")) in \(counted(track.damageCount, "place")) could not be read"
            )
        }
        guard let path = track.trackPath else { return }
        logger.info("\(verb) \(path): \(counted(track.positionCount, "position")), \(counted(track.segmentCount, "segment"))")
    }
}
