import Logging
import Waypost
import WaypostSystem

/// The last known position, in the state folder: the first report after a restart for those who ask for significant changes.
///
/// One line of JSON (TPV), only for the daemon's user. A file that cannot be read counts as missing: it is only a convenience.
struct LastPosition {
    let path: String

    init(folder: String) {
        path = folder + "/last-position"
    }

    /// The last position of the previous run; nil when there is none.
    func load() -> Position? {
        guard let line = try? Syscalls.contents(of: path, as: .own) else { return nil }  // See above.
        guard case .position(let position)? = try? TPVCodec.decode(line) else { return nil }  // See above.
        return position
    }

    /// The last position of the previous run, if it may be shown now.
    ///
    /// It is removed when it must not be shown: in a zone that was added since, in private mode, or erased from the log since.
    func load(through gate: PrivacyGate, erased: [Range<UTCTime>], logger: Logger) -> Position? {
        guard let position = load() else { return nil }
        guard isIn(erased) || gate.withholds(stored: position) else { return position }
        do throws(SystemError) { try erase() } catch { logger.error("the last position cannot be removed: \(error.description)") }
        return nil
    }

    /// Whether what is on the disk is from one of those stretches.
    func isIn(_ stretches: [Range<UTCTime>]) -> Bool {
        load()?.time.map { time in stretches.contains { $0.contains(time) } } ?? false
    }

    /// Saves a position; it is on the disk when this returns.
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
