import Synchronization
import Waypost
import WaypostGeofences
import WaypostPositioning
import WaypostSystem

/// Fences of an application's own, watched on the positions of a manager.
///
/// ```swift
/// let monitor = try await FenceMonitor(manager, state: "/var/lib/doorbell")
/// try await monitor.add(Geofence(id: "home", name: "Home", shape: try .circle(centre: home, radiusMetres: 100)))
/// for await event in monitor.events { print(event.kind, event.name) }
/// ```
/// The state folder keeps fences and sides over restarts: a crossing in between is reported as a late event. An event is on the disk before it
/// is reported; what a loop may not have done with is reported again by the next monitor, with the same ids. A new fence takes its first side silently:
/// if the device is inside, there is no enter. The receiver is on only as often as the nearest border could be reached.
/// - Concurrency: from anywhere. The fences are watched until ``close()``, or until the monitor and the loops over its events are gone.
public final class FenceMonitor: Sendable {
    private let keeper: GeofenceKeeper
    private let watcher: Watcher
    private let attachment: PositioningAttachment
    /// Nil when the monitor is closed.
    private let lock: Mutex<FileLock?>
    private let folder: String
    let manager: PositioningManager
    let queue = FenceEventQueue()

    /// Reads fences and state, and watches the fences from the next position on.
    ///
    /// - Parameters:
    ///   - manager: the manager whose positions are used; a loop over ``events`` starts it.
    ///   - folder: the folder of fences and state, for one monitor at a time; it is created if missing.
    ///   - file: a fence file, or a folder of fence files, which is read again when it changes; nil for none.
    ///   - rule: how a change of side is decided.
    /// - Errors: the folder cannot be used, or another monitor is using it.
    public init(
        _ manager: PositioningManager, state folder: String, file: String? = nil, rule: BorderRule = .robust
    ) async throws(FenceMonitorError) {
        lock = Mutex(try FenceMonitor.lock(folder))
        self.folder = folder
        keeper = try FenceMonitor.keeper(folder, file, rule)
        self.manager = manager
        watcher = Watcher(keeper, hold: await manager.hold(nil, reason: "fences"), queue: queue)
        await watcher.start()
        attachment = await manager.attachment(of: watcher)
    }

    deinit {
        attachment.detach()
        watcher.hold.release()
    }

    /// Stops watching: the state is on the disk, its folder is free, and loops end after the events that are left.
    public func close() async {
        attachment.detach()
        await watcher.close()
        queue.close()
        lock.withLock { $0 = nil }
    }

    /// A new loop over the events, for which the manager runs.
    func beginLoop() async -> FenceEventQueue.Loop {
        let loop = queue.begin()
        if !queue.isClosed {
            await watcher.beginLoop()
            await manager.start(needing: nil)
        }
        return loop
    }

    private func checkOpen() throws(FenceMonitorError) {
        guard lock.withLock({ $0 != nil }) else { throw FenceMonitorError(folder: folder, reason: "the monitor is closed") }
    }

    private static func lock(_ folder: String) throws(FenceMonitorError) -> FileLock {
        let attempt: FileLock.Attempt
        do throws(SystemError) {
            try Syscalls.createFolders(folder)
            attempt = try FileLock.acquire(path: folder + "/lock")
        } catch {
            throw FenceMonitorError(folder: folder, reason: error.reason)
        }
        switch consume attempt {
        case .taken(let lock): return lock
        case .held(let holder):
            let name = holder.map { "process \($0)" } ?? "another process"
            throw FenceMonitorError(folder: folder, reason: "\(name) is using it")
        }
    }

    private static func keeper(_ folder: String, _ file: String?, _ rule: BorderRule) throws(FenceMonitorError) -> GeofenceKeeper {
        var settings = GeofenceKeeper.Settings(path: file, stateFolder: folder)
        settings.rule = rule
        do throws(SystemError) { return try GeofenceKeeper(settings) } catch {
            throw FenceMonitorError(folder: folder, reason: error.reason)
        }
    }

    // MARK: - Fences

    /// Adds fences, or replaces those of the same ids; they are on the disk when this returns.
    ///
    /// - Parameter fences: the fences to add.
    /// - Errors: the folder cannot be written, the monitor is closed, or a fence has no id or an impossible dwell; the fences are then as before.
    public func add(_ fences: Geofence...) async throws(FenceMonitorError) { try await add(fences) }

    /// Adds fences, or replaces those of the same ids; they are on the disk when this returns.
    ///
    /// - Parameter fences: the fences to add.
    /// - Errors: the folder cannot be written, the monitor is closed, or a fence has no id or an impossible dwell; the fences are then as before.
    public func add(_ fences: [Geofence]) async throws(FenceMonitorError) {
        try checkOpen()
        for fence in fences {
            guard let problem = fence.problem else { continue }
            throw FenceMonitorError(folder: folder, reason: "the fence \(quoted(fence.id)) \(problem)")
        }
        do throws(SystemError) { await watcher.take(try await keeper.add(fences)) } catch { throw FenceMonitorError(error) }
    }

    /// Removes a fence that was added; if the device is inside, an exit with the reason `removed` follows.
    ///
    /// - Parameter id: the fence's id.
    /// - Returns: whether there was a fence with that id.
    /// - Errors: the folder cannot be written, or the monitor is closed; the fence is then still there.
    @discardableResult
    public func remove(id: String) async throws(FenceMonitorError) -> Bool {
        try checkOpen()
        do throws(SystemError) {
            let (wasThere, events) = try await keeper.remove(id: id)
            await watcher.take(events)
            return wasThere
        } catch {
            throw FenceMonitorError(error)
        }
    }

    /// All fences: those of the file, and those that were added.
    public var fences: [Geofence] { get async { await keeper.fences } }

    /// The ids of the fences that the device is inside of.
    public var insideIDs: [String] { get async { await keeper.insideIDs } }

    /// The problems with the files and the state, for people; empty if there are none.
    public var problems: [String] { get async { await keeper.problems } }

    /// Events as they happen: see ``FenceEvents``.
    public var events: FenceEvents { FenceEvents(self) }
}

/// Why fences cannot be watched or stored.
public struct FenceMonitorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The folder of the fences, or the file in it.
    public var path: String
    /// Why it cannot be used, for people.
    public var reason: String

    init(folder: String, reason: String) {
        (path, self.reason) = (folder, reason)
    }

    init(_ error: SystemError) {
        (path, reason) = (error.path ?? "the fences", error.reason)
    }

    /// One line for people.
    public var description: String { "\(path): \(reason)" }
}

/// Passes the updates of the manager to the fences.
private actor Watcher: PositioningConsumer {
    let hold: PositioningHold
    private let keeper: GeofenceKeeper
    private let queue: FenceEventQueue
    private var isWatching = false
    private var isClosed = false
    private var hasLoop = false

    init(_ keeper: GeofenceKeeper, hold: PositioningHold, queue: FenceEventQueue) {
        (self.keeper, self.hold, self.queue) = (keeper, hold, queue)
    }

    func start() async { await take(await keeper.start()) }

    /// A loop waits for events, and for the end of a recording, also while there is no fence.
    func beginLoop() async {
        hasLoop = true
        follow(await keeper.following)
    }

    /// Nothing more is processed; what was is on the disk.
    func close() async {
        isClosed = true
        isWatching = false
        hold.release()
        await keeper.end(heard: queue.handledIDs)
    }

    func consume(_ update: PositioningUpdate) async {
        if isClosed { return }
        switch update {
        case .position(let position):
            guard isWatching else { return }
            let step = await keeper.step(position)
            queue.add(step.events)
            follow(step.following)
        case .lost(let reason): if isWatching { await keeper.step(lostBecause: reason) }
        case .finished, .failed: queue.endLoops()
        case .matched, .noFix, .paused, .resumed, .significantChange, .sky, .stationary, .status: break
        }
    }

    /// Reports the events that a change of the fences caused.
    func take(_ events: [TrackerEvent]) async {
        queue.add(events)
        follow(await keeper.following)
    }

    private func follow(_ following: GeofenceKeeper.Following) {
        if isClosed { return }
        isWatching = following.isWatching
        // Nobody else may need the first fix, without which the nearest border is unknown; and only at fixes a file is looked at that may
        // have fences later, and a recording ends.
        let patience: PositioningNeed? = following.isWatching || hasLoop ? .within(.seconds(300)) : nil
        hold.need = following.need ?? (following.fenceCount > 0 ? .within(.zero) : patience)
    }
}
