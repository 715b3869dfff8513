import Waypost
import WaypostSystem

/// Looks for faults in a log that others may change meanwhile.
///
/// While a stretch is erased, a track has no GPX file until it is written anew; of one that is deleted the journal goes last. What is no
/// longer so after a moment is no fault.
/// ```swift
/// for journal in try folder.journals() { tell(try inspection.look(at: journal)) }
/// tell(try inspection.lookAgain())
/// ```
/// - Cost: that of ``LogVerifier``, and two seconds where there are such faults; up to half a minute while a stretch is erased.
package struct LogInspection {
    /// Faults that may be gone in a moment.
    private struct Doubt {
        var stem: String
        var faults: [LogFault]
        /// What the files of the track were; nil when that has to be found out.
        var files: [FileStamp?]?
    }

    private let folder: LogFolder
    private let verifier: LogVerifier
    private var doubts: [Doubt] = []

    private static let pauseMilliseconds: Int64 = 500
    private static let lookCount = 4
    private static let lookCountWhileErasing = 60

    /// An inspection that has seen nothing yet.
    package init(of folder: LogFolder) {
        self.folder = folder
        verifier = LogVerifier(folder: folder)
    }

    /// The faults in a journal and its track that will stay; others are for ``lookAgain()``.
    package mutating func look(at journal: LogJournal) throws(RecordingError) -> [LogFault] {
        guard let found = try doubt(of: journal) else { return [] }
        let isOfTrack = found.faults.contains { $0.path != journal.path }
        if !isOfTrack, found.files == files(of: journal.stem) { return found.faults }
        doubts.append(found)
        return []
    }

    /// Waits a moment, and returns which of the other faults are still there.
    package mutating func lookAgain() throws(RecordingError) -> [LogFault] {
        var count = 0
        while !doubts.isEmpty, count < LogInspection.lookCount || isErasing && count < LogInspection.lookCountWhileErasing {
            MonotonicClock.wait(milliseconds: LogInspection.pauseMilliseconds)
            count += 1
            var left: [Doubt] = []
            for doubt in doubts {
                guard doubt.files != files(of: doubt.stem) else {
                    left.append(doubt)
                    continue
                }
                // Without a journal it was deleted.
                guard let journal = try folder.journals().first(where: { $0.stem == doubt.stem }) else { continue }
                if let found = try self.doubt(of: journal) { left.append(found) }
            }
            doubts = left
        }
        defer { doubts = [] }
        return doubts.flatMap(\.faults)
    }

    /// The faults in a journal and its track, and what the files were before; nil when there are none.
    private func doubt(of journal: LogJournal) throws(RecordingError) -> Doubt? {
        let files = files(of: journal.stem)
        do {
            let faults = try verifier.faults(of: journal)
            return faults.isEmpty ? nil : Doubt(stem: journal.stem, faults: faults, files: files)
        } catch {
            // Deleted, or renamed, since the listing.
            if case .cannotRead(_, let cause) = error, cause.isMissing { return Doubt(stem: journal.stem, faults: [], files: nil) }
            throw error
        }
    }

    private func files(of stem: String) -> [FileStamp?] {
        let types: [LogType?] = [nil] + LogType.allCases
        let tracks = types.map { "\(folder.path)/\(LogFolder.trackName(stem, type: $0))" }
        return ([folder.openJournalPath(stem), folder.finishedJournalPath(stem)] + tracks).map(FileStamp.init)
    }

    /// Whether a stretch is being erased, or was until a crash.
    private var isErasing: Bool { Syscalls.exists(folder.erasureOrderPath) }
}
