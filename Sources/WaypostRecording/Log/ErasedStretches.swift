import Waypost
import WaypostSystem

/// The stretches that were erased from a log but may still be known elsewhere: in the outbox, the last position, the fences' events.
///
/// ```
/// LOG/journal/.erased    one line each: first moment, first moment after it (milliseconds since 1970)
/// ```
/// Not sealed: it is better to forget what a damaged list still shows than to keep it.
/// A tracker that is not running forgets the stretches when it starts. The list is written before anything is erased, so that a power cut
/// loses none.
/// - Concurrency: for the holder of the log folder's lock only.
extension LogFolder {
    private var erasedPath: String { journalFolder + "/.erased" }

    /// The stretches that the tracker has not yet been told about or has not dealt with; unreadable lines are skipped.
    public func erasedStretches() throws(RecordingError) -> [Range<UTCTime>] {
        let bytes: [UInt8]?
        do { bytes = try Syscalls.contents(of: erasedPath, limit: 1 << 20, as: .own) } catch {
            throw .cannotRead(path: erasedPath, cause: error)
        }
        return (bytes ?? []).split(separator: UInt8(ascii: "\n")).compactMap { Range(erasedStretch: $0) }
    }

    /// Notes that a stretch is erased; on the disk when the call returns.
    func noteErased(_ stretch: Range<UTCTime>) throws(RecordingError) {
        let known = try erasedStretches()
        if known.contains(stretch) { return }
        let text = (known + [stretch]).map { "\($0.erasureLine)\n" }.joined()
        do { try AtomicFile.write(Array(text.utf8), to: erasedPath, adoptsFolderOwner: true) } catch {
            throw .cannotErase(path: erasedPath, cause: error)
        }
    }

    /// Notes that these stretches are forgotten everywhere.
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
    /// The stretch as a line of text: two numbers of milliseconds since 1970.
    var erasureLine: String { "\(lowerBound.millisecondsSince1970) \(upperBound.millisecondsSince1970)" }

    /// Parses a line; nil when it is not one.
    init?(erasedStretch line: ArraySlice<UInt8>) {
        let bounds = line.split { $0 <= UInt8(ascii: " ") }.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        self = UTCTime(millisecondsSince1970: bounds[0])..<UTCTime(millisecondsSince1970: bounds[1])
    }
}
