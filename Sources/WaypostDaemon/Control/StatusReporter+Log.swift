import Waypost
import WaypostControl
import WaypostRecording
import WaypostSystem

extension RecorderProblems {
    /// What is wrong, for people.
    var words: [String] {
        var lines: [String] = []
        if let writing {
            lines.append(
                "logging has been paused for \(spanText(seconds: writing.seconds)), \(counted(writing.lostPositionCount, "position")) lost: "
                    + DaemonFailure(writing.error).lines.joined())
        }
        if let synchronizing {
            let what =
                synchronizing.error.isDisplacement ? "the log is not in its place" : "what is logged might not have survived a power cut"
            lines.append(
                "for \(spanText(seconds: synchronizing.seconds)) \(what): "
                    + DaemonFailure(synchronizing.error).lines.joined())
        }
        if let otherDiskSince {
            let seconds = Int((MonotonicClock.milliseconds - otherDiskSince) / 1_000)
            lines.append(
                "for \(spanText(seconds: seconds)) \(RecorderProblems.otherDisk); mount it again, or restart the tracker if that is meant")
        }
        for error in finishing { lines.append("a track has no file yet: " + DaemonFailure(error).lines.joined()) }
        if let retention { lines.append("old tracks cannot be deleted: " + DaemonFailure(retention).lines.joined()) }
        return lines
    }

    /// What is wrong when the log's disk is not the one that it was.
    static let otherDisk = "the log has been on another disk, as its own was unmounted or replaced"
}

extension RecorderProblems.Problem {
    /// How long it has lasted.
    fileprivate var seconds: Int { Int((MonotonicClock.milliseconds - sinceMilliseconds) / 1_000) }
}

extension JSONWriter {
    /// What the log did, and what it costs the disk.
    ///
    /// - Parameter waitingEventCount: how many events wait for it.
    mutating func appendLog(
        _ statistics: RecorderStatistics, _ problems: RecorderProblems, waitingEventCount: Int, uptimeMilliseconds: Int64
    ) {
        member("recording", problems.writing == nil)
        member("paused_seconds", problems.writing?.seconds)
        member("lost_while_paused", problems.writing?.lostPositionCount)
        member("events_waiting", waitingEventCount > 0 ? waitingEventCount : nil)
        member("durable", problems.synchronizing == nil)
        member("unfinished_tracks", problems.finishing.count)
        member("positions", statistics.loggedCount)
        member("events", statistics.eventCount)
        member("segments", statistics.segmentCount)
        member("untimed", statistics.untimedCount)
        member("not_measured", statistics.notMeasuredCount)
        member("repeated", statistics.repeatedCount)
        member("failed", statistics.failedCount)
        member("deleted_tracks", statistics.deletedTrackCount)
        member("bytes", statistics.journalByteCount)
        member("fsyncs", statistics.synchronizationCount)
        // The whole process: flash does not care what it wears for.
        let (fsyncs, bytes) = (DiskWork.synchronizationCount, DiskWork.byteCount)
        object("writes") { json in
            json.member("fsyncs", fsyncs)
            json.member("journal_bytes", statistics.journalByteCount)
            json.member("gpx_bytes", statistics.trackByteCount)
            json.member("other_bytes", max(0, bytes - statistics.journalByteCount - statistics.trackByteCount))
            let days = Double(uptimeMilliseconds) / 86_400_000
            // Of a shorter time nothing follows for a day.
            if days >= 1.0 / 24 {
                json.member("fsyncs_per_day", Int(Double(fsyncs) / days))
                json.member("bytes_per_day", Int(Double(bytes) / days))
            }
        }
    }
}
