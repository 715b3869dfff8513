import Logging
import Waypost
import WaypostGeofences
import WaypostKit
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Tests every fix against the fences, and reports what happened to the log, the outbox and the watchers.
actor FenceWatcher: PositioningConsumer {
    /// The fences.
    nonisolated let keeper: GeofenceKeeper
    /// The log; nil while it is off.
    private let recorder: TrackRecorder?
    private let events: EventLog
    private let watches: WatchBroadcaster
    private let page: PageBroadcaster
    private let dispatches: DispatchService
    private let wakes: WakeKeeper
    private let hold: PositioningHold
    private let logger: Logger
    private var toldProblems: [String] = []
    private var toldNotices: [String] = []
    /// Whether there is something to watch: most boxes have no fences, and need not ask at every fix.
    private var isWatching = false
    private var telling: Task<Void, Never>?
    /// How many groups of events were begun, and how many of these are not delivered yet.
    private var tellCounts = (begun: 0, open: 0)
    /// When the outbox is next told up to which number the log has no events that it does not know, monotonic milliseconds.
    private var noteAt: Int64 = 0
    /// Whether the log could not accept some events yet.
    private var hasUnlogged = false
    /// Whether some events could not be stored yet for the programs that they wake.
    private var hasUnwoken = false
    /// The period that was erased a moment ago.
    private var erasures = RecentErasures()
    private static let noteInterval: Int64 = 600_000

    init(
        keeper: GeofenceKeeper, recorder: TrackRecorder?, events: EventLog, watches: WatchBroadcaster, page: PageBroadcaster,
        dispatches: DispatchService, wakes: WakeKeeper, hold: PositioningHold, logger: Logger
    ) {
        self.keeper = keeper
        self.recorder = recorder
        self.events = events
        self.watches = watches
        self.page = page
        self.dispatches = dispatches
        self.wakes = wakes
        self.hold = hold
        self.logger = logger
    }

    /// Reads fences and state, and reports what the previous run may not have reported.
    ///
    /// - Parameters:
    ///   - former: the log of the last run, when that was in another folder.
    ///   - erased: stretches that were erased from the log while no tracker ran.
    func start(log folder: LogFolder, former: LogFolder? = nil, erased: [Range<UTCTime>] = []) async {
        // Events that the log has and the state does not were reported, but could not be saved.
        let need = await keeper.load(without: erased)
        let hidden = dispatches.hidden
        var (logged, fixes) = FenceWatcher.logged(need, in: folder, without: hidden)
        if let former {
            let (newer, last) = FenceWatcher.logged(need, in: former, without: hidden)
            let known = Set(newer.map(\.id))
            (logged, fixes) = (logged.filter { !known.contains($0.id) } + newer, last)
        }
        let left = await keeper.start(logged: logged, lastFixes: fixes)
        // The outbox gets those of the log from there, except those that it, or a lost one before it, had already.
        let known = Set(logged.map(\.id))
        // Who is woken has what it was told by its ids, whether it is in the log or not.
        hasUnwoken = await !wakes.process(left, areRetold: true).isEmpty
        await deliver(left.filter { !known.contains($0.id) })
        tell(await keeper.problems, await keeper.notices)
        let count = await keeper.fenceCount
        if count > 0 { logger.info("\(counted(count, "fence"))") }
        follow(await keeper.following)
        await tellFences()
    }

    func consume(_ update: PositioningUpdate) async {
        switch update {
        case .position(let position):
            await noteLogged()
            if hasUnlogged || hasUnwoken { await deliver([]) }
            guard isWatching else { return }
            if let time = position.time, erasures.covers(time, now: MonotonicClock.nanoseconds) { return }
            let step = await keeper.step(position)
            await deliver(step.events)
            tell(step.problems, step.notices)
            follow(step.following)
        case .lost(let reason): if isWatching { await keeper.step(lostBecause: reason) }
        case .failed, .finished, .matched, .noFix, .paused, .resumed, .significantChange, .sky, .stationary, .status: break
        }
    }

    // MARK: - Fences

    /// Reads the files again if they have changed.
    func reload() async { await noteChange(await keeper.reload()) }

    /// Forgets the events that happened from the first time until the second one.
    func forget(from: UTCTime, to: UTCTime) async {
        if from < to { erasures.add(from..<to, now: MonotonicClock.nanoseconds) }
        // What is on its way is then in the outbox, which is searched next.
        await telling?.value
        await events.forget(from: from, to: to)
        await keeper.forget(from: from, to: to)
    }

    /// Adds fences, or replaces those with the same ids.
    func add(_ fences: [Geofence]) async throws(SystemError) { await noteChange(try await keeper.add(fences)) }

    /// Removes a fence that was added while running; returns false when there is none with that id.
    func remove(id: String) async throws(SystemError) -> Bool {
        let (wasThere, events) = try await keeper.remove(id: id)
        await noteChange(events)
        return wasThere
    }

    private func noteChange(_ events: [TrackerEvent]) async {
        await deliver(events)
        tell(await keeper.problems, await keeper.notices)
        follow(await keeper.following)
        await tellFences()
    }

    /// Most devices have no reader of fences, and need not list them.
    private func tellFences() async {
        if dispatches.publishesFences { await dispatches.publish(await keeper.fences, inside: await keeper.insideIDs) }
    }

    /// Processes the result of a fence download.
    func process(_ download: FenceDownload.Outcome) async {
        await noteChange(await keeper.process(download))
    }

    /// One after the other: the log, the outbox and the watchers get events in the same order.
    private func deliver(_ found: [TrackerEvent]) async {
        let new = found.filter { !erasures.covers($0, now: MonotonicClock.nanoseconds) }
        guard !new.isEmpty || hasUnlogged || hasUnwoken else { return }
        tellCounts.begun += 1
        tellCounts.open += 1
        defer { tellCounts.open -= 1 }
        let before = telling
        let task = Task {
            await before?.value
            // First those whose programs are to be woken: what the log has is not told again after a restart.
            let unkeptIDs = await wakes.process(new)
            hasUnwoken = !unkeptIDs.isEmpty
            for (id, number) in await events.logWaiting(tries: !new.isEmpty) { await dispatches.markLogged(id, as: number) }
            for event in new {
                await dispatches.enqueue(event, loggedAs: await events.log(event))
                watches.deliver(event)
                page.deliver(event)
            }
            let waitingIDs = await events.waitingIDs
            hasUnlogged = !waitingIDs.isEmpty
            await keeper.holdUnheard(await dispatches.unkeptIDs.union(waitingIDs).union(unkeptIDs))
        }
        telling = task
        await task.value
    }

    /// Reports to the outbox from time to time up to which number the log has no other events, so that the next run need not search them.
    private func noteLogged() async {
        let now = MonotonicClock.milliseconds
        guard now >= noteAt else { return }
        noteAt = now + FenceWatcher.noteInterval
        guard tellCounts.open == 0 else { return }
        let count = tellCounts.begun
        guard let number = await recorder?.newestNumber else { return }
        guard tellCounts.begun == count else { return }
        // The outbox may be waiting for its disk, and a position must not wait for that.
        Task { await dispatches.noteLogged(through: number) }
    }

    /// Saves the fences' state at the end of the tracker.
    ///
    /// - Returns: up to which number the log has no events that were not delivered; nil when that is not known, or the log is off.
    func end() async -> UInt64? {
        if tellCounts.open == 0 {
            // Once more: what only memory has is lost otherwise.
            for (id, number) in await events.logWaiting(tries: true) { await dispatches.markLogged(id, as: number) }
        }
        await keeper.end()
        return tellCounts.open == 0 ? await recorder?.newestNumber : nil
    }

    /// How many events are lost when the tracker ends now: nothing on a disk has them.
    var unkeptCount: Int {
        get async {
            // The next run reports again what is in the state of fences.
            if await keeper.isSaved { return 0 }
            return dispatches.takesEvents ? await dispatches.unkeptIDs.count : await events.waitingIDs.count
        }
    }

    /// Sets how closely the fences need the device followed: the next fix when the nearest border could be reached.
    private func follow(_ following: GeofenceKeeper.Following) {
        isWatching = following.isWatching
        hold.need = following.need
    }

    /// Reports new problems, and what is odd about the files but harmless.
    private func tell(_ problems: [String], _ notices: [String]) {
        for notice in notices where !toldNotices.contains(notice) { logger.warning("\(notice)") }
        toldNotices = notices
        guard problems != toldProblems else { return }
        for problem in problems where !toldProblems.contains(problem) { logger.warning("\(problem)") }
        toldProblems = problems
    }

    /// How many journals have the newest events: as a rule a day's, and the one before it.
    private static let newestCount = 2

    /// How many of the last fixes are of use: an estimate of the place settles within these.
    private static let fixCount = 30

    /// The events of the log that the fences' state needs, and the last fixes before its end, without a break among or after them.
    private static func logged(
        _ need: GeofenceKeeper.LogNeed, in folder: LogFolder, without hidden: [ErasedRecords]
    ) -> ([TrackerEvent], [Position]) {
        func contents(from start: LogReader.Start) -> (events: [TrackerEvent], fixes: [Position]) {
            FenceWatcher.contents(of: folder, from: start, without: hidden)
        }
        switch need {
        case .nothing: return ([], [])
        case .from(let time): return contents(from: .from(time))
        case .newest(let time):
            let journals = try? folder.journals()  // Those that cannot be listed cannot be read either.
            let first = journals?.suffix(newestCount).first?.firstSequence ?? 0
            let (newest, fixes) = contents(from: .after(first > 0 ? first - 1 : 0))
            guard let time else { return (newest, fixes) }
            let known = Set(newest.map(\.id))
            return (contents(from: .from(time)).events.filter { !known.contains($0.id) } + newest, fixes)
        }
    }

    private static func contents(
        of folder: LogFolder, from start: LogReader.Start, without hidden: [ErasedRecords]
    ) -> (events: [TrackerEvent], fixes: [Position]) {
        var (events, fixes): ([TrackerEvent], [Position]) = ([], [])
        do throws(RecordingError) {
            var reader = LogReader(folder: folder, from: start)
            while let record = try reader.nextPassingOver() {
                if hidden.contains(where: { $0.contains(record) }) { continue }
                switch record.content {
                case .event(let event): if event.isOfFence { events.append(event) }
                case .position(let position):
                    guard record.types.contains(.raw) else { continue }
                    if fixes.count == 2 * fixCount { fixes.removeFirst(fixCount) }
                    fixes.append(position)
                case .segmentBreak, .lost: fixes.removeAll(keepingCapacity: true)
                case .other: continue
                }
            }
        } catch {
            // An event that cannot be read now is missing for later readers too: it is logged again, under the same id.
            fixes = []
        }
        return (events, fixes.suffix(fixCount))
    }
}
