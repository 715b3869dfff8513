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

extension StatusReport.Log {
    /// What the log did.
    ///
    /// - Parameter waitingEventCount: how many events wait for it.
    init(_ directory: String, _ statistics: RecorderStatistics, _ problems: RecorderProblems, waitingEventCount: Int) {
        self.init()
        self.directory = directory
        isRecording = problems.writing == nil
        pausedSeconds = problems.writing?.seconds
        lostWhilePausedCount = problems.writing?.lostPositionCount
        self.waitingEventCount = waitingEventCount > 0 ? waitingEventCount : nil
        isDurable = problems.synchronizing == nil
        unfinishedTrackCount = problems.finishing.count
        positionCount = statistics.loggedCount
        eventCount = statistics.eventCount
        segmentCount = statistics.segmentCount
        untimedCount = statistics.untimedCount
        notMeasuredCount = statistics.notMeasuredCount
        repeatedCount = statistics.repeatedCount
        failedCount = statistics.failedCount
        deletedTrackCount = statistics.deletedTrackCount
        byteCount = statistics.journalByteCount
        synchronizationCount = statistics.synchronizationCount
    }
}

extension StatusReport.Writes {
    /// What the whole process has cost the disk: flash does not care what it wears for.
    init(_ statistics: RecorderStatistics, uptimeMilliseconds: Int64) {
        self.init()
        let (fsyncs, bytes) = (DiskWork.synchronizationCount, DiskWork.byteCount)
        synchronizationCount = fsyncs
        journalByteCount = statistics.journalByteCount
        trackByteCount = statistics.trackByteCount
        otherByteCount = max(0, bytes - statistics.journalByteCount - statistics.trackByteCount)
        let days = Double(uptimeMilliseconds) / 86_400_000
        // Of a shorter time nothing follows for a day.
        guard days >= 1.0 / 24 else { return }
        synchronizationsPerDay = Int(Double(fsyncs) / days)
        bytesPerDay = Int(Double(bytes) / days)
    }
}
