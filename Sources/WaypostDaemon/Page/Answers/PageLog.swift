import Waypost
import WaypostRecording
import WaypostSystem

/// Reads the log for the page: one reading after the other, on a thread of its own, however many pages ask.
actor PageLog {
    private let folder: LogFolder
    private let type: LogTypes
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How many events one answer has, the newest.
    private static let maximumEvents = 500

    /// - Parameter type: the positions that make the track; of journals of other types it is their first.
    init(folder: LogFolder, type: LogType) throws(SystemError) {
        (self.folder, self.type) = (folder, LogTypes(type))
        executor = try ThreadExecutor(name: "page log")
    }

    /// Reads a track from a moment on, up to another one.
    func track(from start: UTCTime, to end: UTCTime?, box: BoundingBox?, toleranceMetres: Double) throws(RecordingError) -> PageTrack {
        var track = PageTrack(toleranceMetres: toleranceMetres, box: box)
        try read(from: start) { record, type in
            guard !record.types.isDisjoint(with: type) else { return true }
            switch record.content {
            case .position(let position):
                if let end, let time = position.time, time >= end { return false }
                track.add(position)
            case .segmentBreak(let reason): track.interrupt(reason)
            case .event, .lost, .other: break
            }
            return true
        }
        track.end()
        return track
    }

    /// Reads the events from a moment on, up to another one; the newest, in their order.
    func events(from start: UTCTime, to end: UTCTime?) throws(RecordingError) -> [TrackerEvent] {
        var events: [TrackerEvent] = []
        try read(from: start) { record, _ in
            guard case .event(let event) = record.content else { return true }
            if let end, let time = event.time, time >= end { return true }
            events.append(event)
            if events.count > 2 * PageLog.maximumEvents { events.removeFirst(PageLog.maximumEvents) }
            return true
        }
        return events.suffix(PageLog.maximumEvents)
    }

    /// A stretch as a GPX file.
    func gpx(from start: UTCTime, to end: UTCTime?) throws(RecordingError) -> PageGPX {
        PageGPX(folder, from: start, to: end, type: type, events: try events(from: start, to: end), executor: executor)
    }

    /// A finished track that can be fetched.
    struct File: Sendable {
        var name: String
        var byteCount: Int
        var firstTime: UTCTime?
    }

    /// The finished tracks, newest first; a link or the like in the place of one is none.
    func files() throws(RecordingError) -> [File] {
        try folder.journals().filter { !$0.isOpen }.reversed().compactMap { journal in
            let name = "\(journal.stem).gpx"
            return Syscalls.ownByteCount(of: "\(folder.path)/\(name)").map {
                File(name: name, byteCount: Int($0), firstTime: journal.firstTime)
            }
        }
    }

    /// A finished track by its name; nil when there is none of that name.
    func file(named name: String) throws(RecordingError) -> PageFile? {
        // Compared with the names that are there: whatever a browser writes is no path.
        try files().first { $0.name == name }.map { PageFile(path: "\(folder.path)/\($0.name)", byteCount: $0.byteCount) }
    }

    private func read(from start: UTCTime, _ body: (JournalRecord, LogTypes) -> Bool) throws(RecordingError) {
        var reader = LogReader(folder: folder, from: .from(start))
        while let record = try reader.nextPassingOver() {
            if !body(record, reader.header.mainType(or: type)) { return }
        }
    }
}
