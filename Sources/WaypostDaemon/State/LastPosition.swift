import Logging
import Waypost
import WaypostSystem

/// The last position that was known, in the state folder: the first report of those who ask for significant changes after a restart.
///
/// One line of JSON (TPV), for the daemon's user alone. A file that cannot be read is as good as none: it is no more than a convenience.
struct LastPosition {
    let path: String

    init(folder: String) {
        path = folder + "/last-position"
    }

    /// What the run before knew; nil when it knew nothing.
    func load() -> Position? {
        guard let line = try? Syscalls.contents(of: path, as: .own) else { return nil }  // See above.
        guard case .position(let position)? = try? TPVCodec.decode(line) else { return nil }  // See above.
        return position
    }

    /// What the run before knew and may be told now; what must not be told, by a zone that was added since, in private mode, or because it
    /// was erased from the log since, is removed.
    func load(through gate: PrivacyGate, erased: [Range<UTCTime>], logger: Logger) -> Position? {
        guard let position = load() else { return nil }
        let isErased = position.time.map { time in erased.contains { $0.contains(time) } } ?? false
        guard isErased || gate.withholds(stored: position) else { return position }
        do throws(SystemError) { try erase() } catch { logger.error("the last position cannot be removed: \(error.description)") }
        return nil
    }

    /// Keeps a position; it is on the disk when this returns.
    func save(_ position: Position) throws(SystemError) {
        var text = TextBuffer(capacity: 512)
        TPVCodec.append(position, to: &text)
        try AtomicFile.write(text.bytes, to: path, mode: 0o600)
    }

    /// Forgets it; it is off the disk when this returns.
    func erase() throws(SystemError) {
        if try Syscalls.remove(path), let slash = path.lastIndex(of: "/") {
            try Syscalls.synchronizeFolder(String(path[..<slash]))
        }
    }
}
