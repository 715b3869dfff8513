import Logging
import Synchronization
import Waypost
import WaypostSystem

/// The position as those may know it who may only know roughly where the device is: one for all of them.
///
/// Were there one for each client, two clients in different cells would show that the device is between them. For the same reason it survives a
/// restart, in the file `reduced-position` of the state folder, which is written only when the cell changes.
/// - Concurrency: from anywhere.
final class ReducedPositions: Sendable {
    private struct State {
        var reduction: PositionReduction
        /// Nil while nobody may know anything.
        var told: PositionReduction.Told?
        var isWithheld = false
        var hasFailed = false
    }

    private let path: String
    private let logger: Logger
    private let state: Mutex<State>

    /// What is known from the run before.
    ///
    /// - Parameter erased: stretches that were erased from the log while no tracker ran.
    init(folder: String, erased: [Range<UTCTime>] = [], logger: Logger) {
        (path, self.logger) = (folder + "/reduced-position", logger)
        var reduction = PositionReduction()
        if let position = ReducedPositions.stored(at: path) { reduction = PositionReduction(resuming: position) }
        state = Mutex(State(reduction: reduction, told: reduction.lastTold))
        for stretch in erased {
            do throws(SystemError) { try forget(stretch) } catch {
                logger.error("the reduced position cannot be removed: \(error.description)")
            }
        }
    }

    private static func stored(at path: String) -> Position? {
        guard let line = try? Syscalls.contents(of: path, as: .own) else { return nil }  // Missing, or as good as that.
        guard case .position(let position)? = try? TPVCodec.decode(line) else { return nil }  // See above.
        return position
    }

    /// What may be told now; nil when there is nothing.
    var told: PositionReduction.Told? { state.withLock { $0.isWithheld ? nil : $0.told } }

    /// Notes a position, and returns what may be told now.
    func process(_ position: Position) -> PositionReduction.Told? {
        let (told, isElsewhere) = state.withLock { state in
            let before = state.told?.position.coordinate
            state.isWithheld = false
            state.told = state.reduction.process(position) ?? state.told
            return (state.told, state.told?.position.coordinate != before)
        }
        if isElsewhere, let told { save(told.position) }
        return told
    }

    /// Notes that nothing may be told until the next position comes.
    func withhold() { state.withLock { $0.isWithheld = true } }

    /// Forgets where the device was when that is of a quarter of an hour of that stretch; it is off the disk when this returns.
    func forget(_ stretch: Range<UTCTime>) throws(SystemError) {
        let isOfStretch = state.withLock { state in
            guard let time = state.told?.position.time, PositionReduction.span(ofQuarterAt: time).overlaps(stretch) else { return false }
            (state.reduction, state.told) = (PositionReduction(), nil)
            return true
        }
        guard isOfStretch || isIn([stretch]) else { return }
        if try Syscalls.remove(path), let slash = path.lastIndex(of: "/") {
            try Syscalls.synchronizeFolder(String(path[..<slash]))
        }
    }

    /// Whether what is on the disk is from one of those stretches.
    func isIn(_ stretches: [Range<UTCTime>]) -> Bool {
        guard let time = ReducedPositions.stored(at: path)?.time else { return false }
        return stretches.contains { PositionReduction.span(ofQuarterAt: time).overlaps($0) }
    }

    /// Writes the state into a new folder.
    func writeAnew() {
        if let told = state.withLock({ $0.told }) { save(told.position) }
    }

    private func save(_ position: Position) {
        var text = TextBuffer(capacity: 256)
        TPVCodec.append(position, to: &text)
        do throws(SystemError) {
            try AtomicFile.write(text.bytes, to: path, mode: 0o600)
        } catch {
            let isNew = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isNew { logger.warning("the reduced position cannot be kept over a restart: \(error.description)") }
        }
    }
}
