import Logging
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostRecording
import WaypostSystem

/// What came of erasing in the folders of this run's log and of earlier ones.
struct FolderErasure: Sendable {
    var erased = LogErasure()
    /// What could not be erased, with the folders that may still have it.
    var left: [KnownLogs.Unerased] = []
    /// Why it could not, by folder.
    var reasons: [String: RecordingError] = [:]
    /// Whether the next run knows of it: else it would send it.
    var isNoted = true

    /// The folders that may still have something of a stretch.
    func folders(with stretch: Range<UTCTime>) -> [String] { left.filter { $0.erased.stretch == stretch }.flatMap(\.folders) }

    /// Whether that folder may still have something of a stretch.
    func isLeft(_ stretch: Range<UTCTime>, in folder: String) -> Bool { folders(with: stretch).contains(folder) }
}

// Erasing in the folders of all logs from which something may still be to be sent.
extension DispatchOpening {
    /// Erases what was erased from any of these logs while no tracker ran, and what could not be erased before, from all of them.
    ///
    /// - Parameter recorder: that of the log of this run.
    func eraseLeft(by recorder: TrackRecorder?) async -> FolderErasure {
        let folders = knownLogs.folders(with: configuration.log.directory)
        var left = knownLogs.unerased()
        for stretch in PendingErasures(folders, logger: logger).stretches {
            let others = folders.filter { !LogFolder(path: $0).hasErased(stretch) }
            left.add(.init(erased: ErasedRecords(stretch, through: given), folders: others))
        }
        return left.isEmpty ? FolderErasure() : await erase(left, by: recorder)
    }

    /// Erases records from folders, and notes what could not be erased.
    func erase(_ unerased: [KnownLogs.Unerased], by recorder: TrackRecorder?) async -> FolderErasure {
        var result = FolderErasure()
        for var entry in unerased {
            var left: [String] = []
            for folder in entry.folders {
                do throws(RecordingError) {
                    result.erased += try await erase(entry.erased, in: folder, by: recorder)
                } catch {
                    left.append(folder)
                    result.reasons[folder] = error
                }
            }
            entry.folders = left
            if !entry.isDone { result.left.append(entry) }
        }
        // Another request may have noted others meanwhile.
        let others = knownLogs.unerased().filter { other in !unerased.contains { $0.erased.stretch == other.erased.stretch } }
        let isWritten = knownLogs.write(knownLogs.folders(with: configuration.log.directory), unerased: others + result.left)
        result.isNoted = isWritten || Set(knownLogs.unerased()).isSuperset(of: result.left)
        return result
    }

    /// Notes whether the outbox may still have something of a stretch.
    ///
    /// The log may have lists of its own, but may be full, or moved away before the next start.
    func note(_ stretch: Range<UTCTime>, isInOutbox: Bool) {
        var unerased = knownLogs.unerased()
        if isInOutbox {
            unerased.add(.init(erased: ErasedRecords(stretch, through: given), folders: [], isInOutbox: true))
        } else {
            guard unerased.contains(where: { $0.erased.stretch == stretch && $0.isInOutbox }) else { return }
            for index in unerased.indices where unerased[index].erased.stretch == stretch { unerased[index].isInOutbox = false }
        }
        knownLogs.write(knownLogs.folders(with: configuration.log.directory), unerased: unerased)
    }

    private func erase(_ erased: ErasedRecords, in folder: String, by recorder: TrackRecorder?) async throws(RecordingError) -> LogErasure {
        guard isCurrent(folder) else { return try LogMaintenance.erase(erased, in: LogFolder(path: folder)) }
        return try await recorder?.erase(erased) ?? LogErasure()
    }

    private func isCurrent(_ folder: String) -> Bool {
        Syscalls.resolvingLinks(folder) == Syscalls.resolvingLinks(configuration.log.directory)
    }

    /// Where something could not be erased, in words for people.
    func words(_ result: FolderErasure) -> [String] {
        result.reasons.sorted { $0.key < $1.key }.map { folder, reason in
            let which = isCurrent(folder) ? "" : ", an earlier one,"
            return "the log at \(folder)\(which) may still have what was erased, which is not sent: \(DispatchOpening.reason(reason))"
        }
    }
}

/// What was erased while no tracker ran from the logs of this run and of earlier ones, and may still be known elsewhere.
struct PendingErasures: Sendable {
    let folders: [String]
    /// The stretches, each of them once.
    let stretches: [Range<UTCTime>]

    /// Reads the lists of these logs; one that cannot be read is reported.
    init(_ folders: [String], logger: Logger) {
        self.folders = folders
        let all = folders.flatMap { LogFolder(path: $0).erasedStretches(logger: logger) }
        stretches = all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Notes that these are forgotten everywhere; where that fails, it is done again at the next start.
    ///
    /// - Parameter current: the log of this run, which is locked by it.
    func settle(current: LogFolder, logger: Logger) {
        for folder in folders {
            do throws(RecordingError) {
                if Syscalls.resolvingLinks(folder) == Syscalls.resolvingLinks(current.path) {
                    try current.settleErased(stretches)
                } else {
                    try LogMaintenance.settleErased(stretches, in: LogFolder(path: folder))
                }
            } catch {
                logger.warning("\(DaemonFailure(error).lines.joined())")
            }
        }
    }
}

/// The outbox opens, but what was erased cannot be removed from it: nothing of it is sent before.
struct ErasureFailure: Error, CustomStringConvertible {
    let cause: OutboxError

    var description: String { "what was erased has to be removed from what waits first: \(cause)" }
}
