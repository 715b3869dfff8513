import Logging
import Waypost
import WaypostKit
import WaypostPositioning
import WaypostSystem

/// The tracker's own need for positions: follows the device as configured, logs the result, and keeps the last position.
actor PositionFollower: PositioningConsumer {
    /// The shortest time between two writes of the last position, in milliseconds, because flash wears.
    private static let saveMilliseconds: Int64 = 900_000

    private let log: LogKeeper
    private let hold: PositioningHold
    private let store: LastPosition
    private let logger: Logger
    private var selection: PositionSelection
    private var isStationary = false
    /// Whether the last position is for the log, and so is its place on a road.
    private var isLogged = false
    private var latest: Position?
    private var savedAt: Int64?
    private var saveHasFailed = false

    init(
        _ options: PositionSelection.Options, log: LogKeeper, hold: PositioningHold, store: LastPosition, stored: Position?,
        logger: Logger
    ) {
        self.log = log
        self.hold = hold
        self.store = store
        self.logger = logger
        // Poor fixes belong into the log, too.
        selection = PositionSelection(options, takesPoor: true)
        if let stored { _ = selection.start(stored: stored) }
        hold.need = selection.need(isStationary: false)
    }

    /// The path of the last position.
    nonisolated var path: String { store.path }

    func consume(_ update: PositioningUpdate) async {
        switch update {
        case .position(let position): await follow(position)
        case .lost(let reason):
            selection.lose()
            if case .withheld = reason { forget() }
            await log.consume(update)
        case .stationary(let isStationary):
            self.isStationary = isStationary
            hold.need = selection.need(isStationary: isStationary)
        case .matched: if isLogged { await log.consume(update) }
        case .failed, .finished, .noFix, .paused, .resumed, .significantChange, .sky, .status: await log.consume(update)
        }
    }

    /// Saves the last position for the next run, and waits until no work on the log is left.
    func stop() async {
        if let latest { save(latest) }
        await log.stop()
    }

    /// Forgets the last position, in memory and on the disk, when it is from that stretch.
    func forget(_ stretch: Range<UTCTime>) throws(SystemError) {
        if let time = latest?.time, stretch.contains(time) { latest = nil }
        if let time = store.load()?.time, stretch.contains(time) { try store.erase() }
    }

    private func follow(_ position: Position) async {
        latest = position
        let choice = selection.process(position)
        hold.need = selection.need(isStationary: isStationary)
        // With significant changes only, fixes are so rare that every one is worth logging.
        isLogged = selection.options.isSignificantOnly || choice == .position
        if isLogged { await log.consume(.position(position)) }
        let now = MonotonicClock.milliseconds
        if let savedAt, now - savedAt < PositionFollower.saveMilliseconds { return }
        savedAt = now
        save(position)
    }

    private func save(_ position: Position) {
        do throws(SystemError) {
            try store.save(position)
            saveHasFailed = false
        } catch {
            if !saveHasFailed { logger.warning("the last position cannot be kept over a restart: \(error.description)") }
            saveHasFailed = true
        }
    }

    /// Where the position must stay secret, the last one before it is not kept either.
    private func forget() {
        latest = nil
        savedAt = nil
        do throws(SystemError) { try store.erase() } catch { logger.error("the last position cannot be removed: \(error.description)") }
    }
}
