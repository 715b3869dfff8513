import Logging
import Synchronization
import Waypost
import WaypostSystem

/// The position as those may know it who may only know roughly where the device is: one for all of them, which changes on the quarter of an hour.
///
/// Were there one for each client, two clients in different cells would show that the device is between them. For the same reason it survives a
/// restart, in the file `reduced-position` of the state folder, which is written only when the cell changes.
/// - Concurrency: from anywhere.
final class ReducedPositions: Sendable {
    /// Is called with what may be told from now on.
    typealias Observer = @Sendable (PositionReduction.Told?) -> Void

    private struct State {
        var quarterly: QuarterlyPosition
        /// Whether private mode is on: that holds at once, as somebody wants it so.
        var isPrivate: Bool
        var observers: [Observer] = []
        var timer: (task: Task<Void, Never>, due: Int64, setAt: Int64)?
        var hasFailed = false

        var told: PositionReduction.Told? { isPrivate ? nil : quarterly.told }
    }

    private let path: String
    private let logger: Logger
    private let state: Mutex<State>

    /// What is known from the run before.
    ///
    /// - Parameters:
    ///   - erased: stretches that were erased from the log while no tracker ran.
    ///   - isPrivate: whether private mode is on.
    init(folder: String, erased: [Range<UTCTime>] = [], isPrivate: Bool = false, logger: Logger) {
        (path, self.logger) = (folder + "/reduced-position", logger)
        let quarterly = QuarterlyPosition(
            resuming: ReducedPositions.stored(at: path), at: UTCTime(millisecondsSince1970: WallClock.milliseconds),
            clock: BootClock.milliseconds)
        state = Mutex(State(quarterly: quarterly, isPrivate: isPrivate))
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

    /// Calls somebody whenever something else may be told.
    func observe(_ observer: @escaping Observer) { state.withLock { $0.observers.append(observer) } }

    /// What may be told now; nil when there is nothing.
    var told: PositionReduction.Told? {
        change { $0.look(clock: $1) }
        return state.withLock(\.told)
    }

    /// Notes a position.
    func process(_ position: Position) { change { $0.process(position, clock: $1) } }

    /// Notes that no position may be told until the next one comes.
    func withhold() { change { $0.withhold(clock: $1) } }

    /// Whether private mode is on.
    var isPrivate: Bool { state.withLock(\.isPrivate) }

    /// Notes that private mode is on or off.
    ///
    /// What was hidden comes back with the next quarter of an hour.
    func setPrivate(_ isOn: Bool) {
        if !isOn, isPrivate { change { $0.holdBack(clock: $1) } }
        let before = told
        state.withLock { $0.isPrivate = isOn }
        tellWithdrawal(since: before)
    }

    /// Tells everybody at once that what was told may not be told any more.
    private func tellWithdrawal(since before: PositionReduction.Told?) {
        let (told, observers) = state.withLock { ($0.told, $0.observers) }
        guard before != nil, told == nil else { return }
        for observer in observers { observer(nil) }
    }

    /// Whether nothing is told for the rest of this quarter of an hour.
    var isHeldBack: Bool { state.withLock(\.quarterly.isHeldBack) }

    /// Changes what is known, tells what has come of it, and sees to it that the next quarter of an hour is not missed.
    private func change(_ body: (inout QuarterlyPosition, _ clock: Int64) -> Void) {
        let clock = BootClock.milliseconds
        let (told, isNew, isElsewhere, observers) = state.withLock { state in
            let (before, beforeTold, wasHeldBack) = (state.quarterly.told, state.told, state.quarterly.isHeldBack)
            body(&state.quarterly, clock)
            schedule(&state, clock)
            let (now, nowTold) = (state.quarterly.told, state.told)
            let isNew = nowTold?.quarter != beforeTold?.quarter || wasHeldBack && !state.quarterly.isHeldBack
            return (now, isNew, now != nil && now?.position.coordinate != before?.position.coordinate, isNew ? state.observers : [])
        }
        if isElsewhere, let told { save(told.position) }
        if isNew {
            let told = state.withLock(\.told)
            for observer in observers { observer(told) }
        }
    }

    private func schedule(_ state: inout State, _ clock: Int64) {
        guard let due = state.quarterly.nextChange(clock: clock) else { return }
        if let timer = state.timer {
            // A little late is as good: the positions' clock and the system's differ by that.
            guard due < timer.due - 1_000, clock >= timer.setAt + 1_000 else { return }
            timer.task.cancel()
        }
        let task = Task { [weak self] in
            guard (try? await Task.sleep(for: .milliseconds(due - clock + 1))) != nil else { return }  // Another one is due first.
            self?.quarterIsOver()
        }
        state.timer = (task, due, clock)
    }

    private func quarterIsOver() {
        state.withLock { $0.timer = nil }
        change { $0.look(clock: $1) }
    }

    /// Forgets where the device was when that is of a quarter of an hour of that stretch; it is off the disk when this returns.
    func forget(_ stretch: Range<UTCTime>) throws(SystemError) {
        let before = told
        let isOfStretch = state.withLock { $0.quarterly.forget(stretch) }
        tellWithdrawal(since: before)
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
        if let told = state.withLock({ $0.quarterly.told }) { save(told.position) }
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
