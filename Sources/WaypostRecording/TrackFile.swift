import Waypost
import WaypostSystem

/// A GPX file being written.
struct TrackFile: ~Copyable {
    private let path: String
    private let file: AtomicFile
    private var writer: GPXWriter
    private var text: TextBuffer
    private var digest: SHA256
    private var byteCount = 0

    init(path: String, name: String, time: UTCTime?, creator: String) throws(RecordingError) {
        do {
            file = try AtomicFile(path: path, adoptsFolderOwner: true)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
        self.path = path
        digest = SHA256()
        var (writer, text) = (GPXWriter(creator: creator), TextBuffer(capacity: 1 << 16))
        writer.begin(name: name, time: time, into: &text)
        (self.writer, self.text) = (writer, text)
    }

    mutating func add(_ position: Position, beginsSegment: Bool) throws(RecordingError) {
        if beginsSegment { writer.breakSegment(into: &text) }
        writer.point(position, into: &text)
        if text.count > 60_000 { try flush() }
    }

    /// Adds a waypoint; call it before adding any position.
    mutating func add(_ event: TrackerEvent) throws(RecordingError) {
        guard var position = event.position else { return }
        position.time = event.time
        writer.waypoint(GPXPoint(position, name: event.name, description: event.kind), into: &text)
        if text.count > 60_000 { try flush() }
    }

    /// Ends the file; returns its size in bytes and its SHA-256.
    consuming func finish(lastTime: UTCTime?) throws(RecordingError) -> (byteCount: Int, digest: String) {
        try end()
        let (path, byteCount, digest) = (path, byteCount, SHA256.hexadecimal(digest.finish()))
        do {
            try file.commit(mode: 0o440, modifiedMilliseconds: lastTime?.millisecondsSince1970)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
        return (byteCount, digest)
    }

    private mutating func end() throws(RecordingError) {
        writer.end(into: &text)
        try flush()
    }

    private mutating func flush() throws(RecordingError) {
        do {
            try file.write(text.bytes)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
        do {
            let bytes = text.bytes
            digest.update(bytes.span.bytes)
        }
        byteCount += text.count
        text.removeAll()
    }
}
