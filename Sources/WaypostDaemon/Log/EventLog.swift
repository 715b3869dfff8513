import Logging
import Waypost
import WaypostRecording

/// Logs fence events in order.
///
/// Events that the log cannot accept now, because its disk is full, wait in memory and are logged when it can be written again: with their original
/// ids and times, after what was logged meanwhile.
/// - Concurrency: an actor; events are logged one after the other.
actor EventLog {
    private let recorder: TrackRecorder?
    private let logger: Logger
    private var waiting: [TrackerEvent] = []
    private var droppedCount = 0

    /// How many events may wait.
    private static let maximumCount = 1_000

    /// The log of that recorder; nil for none.
    init(_ recorder: TrackRecorder?, logger: Logger) {
        (self.recorder, self.logger) = (recorder, logger)
    }

    /// The problem, in words for people; nil when there is none.
    var problem: String? {
        var parts: [String] = []
        if !waiting.isEmpty { parts.append("\(counted(waiting.count, "event")) \(waiting.count == 1 ? "waits" : "wait") for the log") }
        if droppedCount > 0 {
            let verb = droppedCount == 1 ? "is" : "are"
            parts.append("\(counted(droppedCount, "event")) \(verb) not in the log: more than \(EventLog.maximumCount) waited for it")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The ids of the events that wait.
    var waitingIDs: Set<String> { Set(waiting.map(\.id)) }

    /// Logs an event after those that wait; returns its number in the log, nil when it is not there now.
    func log(_ event: TrackerEvent) async -> UInt64? {
        guard let recorder else { return nil }
        guard waiting.isEmpty else {
            wait(event)
            return nil
        }
        do throws(RecordingError) { return try await record(event, recorder) } catch {
            // The consumer of positions reports that the log is paused.
            logger.warning("an event is not logged\(error.isPause ? " yet" : ""): \(DaemonFailure(error).lines.joined())")
            if error.isPause { wait(event) }
            return nil
        }
    }

    /// Logs the waiting events, if the log may accept them.
    ///
    /// - Parameter tries: whether to try although the last write to the log failed.
    /// - Returns: the ids of those that are in the log now, and their numbers there.
    func logWaiting(tries: Bool) async -> [(id: String, number: UInt64)] {
        guard let recorder, !waiting.isEmpty else { return [] }
        let takesSome = await recorder.problems.writing == nil
        guard tries || takesSome else { return [] }
        var logged: [(id: String, number: UInt64)] = []
        while let event = waiting.first {
            do throws(RecordingError) {
                if let number = try await record(event, recorder) { logged.append((event.id, number)) }
            } catch {
                if error.isPause { break }
                logger.error("event \(event.id) is not logged: \(DaemonFailure(error).lines.joined())")
            }
            // It may have been erased in the meantime.
            waiting.removeAll { $0.id == event.id }
        }
        if waiting.isEmpty { logger.notice("the log has the events that waited for it") }
        return logged
    }

    /// Forgets what happened from the first time until the second one.
    func forget(from: UTCTime, to: UTCTime) {
        waiting.removeAll { event in event.time.map { from <= $0 && $0 < to } ?? false }
    }

    /// Logs an event and reports which parts of it are missing in the log; returns its number there, nil when it is not logged.
    private func record(_ event: TrackerEvent, _ recorder: TrackRecorder) async throws(RecordingError) -> UInt64? {
        switch try await recorder.record(event) {
        case .logged(let sequence, let isWhole):
            if !isWhole { logger.warning("event \(event.id) is too long for the log: only its kind, fence, time and place are logged") }
            return sequence
        case .untimed:
            logger.warning("event \(event.id) is not logged: the fixes have no time")
            return nil
        case .notWanted: return nil
        }
    }

    private func wait(_ event: TrackerEvent) {
        waiting.append(event)
        if waiting.count > EventLog.maximumCount {
            waiting.removeFirst()
            droppedCount += 1
        }
    }
}

extension RecordingError {
    /// Whether it may be logged later.
    fileprivate var isPause: Bool {
        switch self {
        case .closed: false
        default: true
        }
    }
}
