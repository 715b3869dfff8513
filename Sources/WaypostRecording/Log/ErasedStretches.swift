import Waypost
import WaypostSystem

/// The stretches that were erased from a log and may still be known elsewhere: what waits to be sent, the last position, the fences' events.
///
/// ```
/// LOG/journal/.erased    a line each: first moment, first moment behind it (milliseconds since 1970)
/// ```
/// Not sealed: what can be read of a damaged list is better forgotten than kept.
/// A tracker that is not running cannot forget; it does when it starts. Written before anything is erased, so that nothing is forgotten by a
/// power cut.
/// - Concurrency: whoever holds the lock of the log folder.
extension LogFolder {
    private var erasedPath: String { journalFolder + "/.erased" }

    /// Stretches that the tracker has not been told of, or has not dealt with; lines that nobody can read are passed over.
    public func erasedStretches() throws(RecordingError) -> [Range<UTCTime>] {
        let bytes: [UInt8]?
        do { bytes = try Syscalls.contents(of: erasedPath, limit: 1 << 20, as: .own) } catch {
            throw .cannotRead(path: erasedPath, cause: error)
        }
        return (bytes ?? []).split(separator: UInt8(ascii: "\n")).compactMap { Range(erasedStretch: $0) }
    }

    /// Notes that a stretch is erased; on the disk when it returns.
    func noteErased(_ stretch: Range<UTCTime>) throws(RecordingError) {
        let known = try erasedStretches()
        if known.contains(stretch) { return }
        let text = (known + [stretch]).map { "\($0.erasureLine)\n" }.joined()
        do { try AtomicFile.write(Array(text.utf8), to: erasedPath, adoptsFolderOwner: true) } catch {
            throw .cannotErase(path: erasedPath, cause: error)
        }
    }

    /// Takes that these are forgotten everywhere.
    public func settleErased(_ stretches: [Range<UTCTime>]) throws(RecordingError) {
        if stretches.isEmpty { return }
        let left = try erasedStretches().filter { !stretches.contains($0) }
        do {
            if left.isEmpty {
                try Syscalls.remove(erasedPath)
            } else {
                let text = left.map { "\($0.erasureLine)\n" }.joined()
                try AtomicFile.write(Array(text.utf8), to: erasedPath, adoptsFolderOwner: true)
            }
        } catch {
            throw .cannotErase(path: erasedPath, cause: error)
        }
    }
}

extension Range<UTCTime> {
    /// The stretch as a line of text has it: two numbers of milliseconds since 1970.
    var erasureLine: String { "\(lowerBound.millisecondsSince1970) \(upperBound.millisecondsSince1970)" }

    /// Nil for what is no such line.
    init?(erasedStretch line: ArraySlice<UInt8>) {
        let bounds = line.split { $0 <= UInt8(ascii: " ") }.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        self = UTCTime(millisecondsSince1970: bounds[0])..<UTCTime(millisecondsSince1970: bounds[1])
    }
}
