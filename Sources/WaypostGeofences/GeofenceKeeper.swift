import Waypost
import WaypostSystem

/// The fences of a device: loads them, watches them, and remembers over restarts what happened to them.
///
/// ```swift
/// let keeper = try GeofenceKeeper(settings)
/// for event in await keeper.start() { tell(event) }                  // what the previous run may not have told
/// for event in await keeper.process(position) { tell(event) }        // for each fix
/// ```
/// What `process(_:)` returns is already on the disk; after a crash `start()` returns the last of it again, with the same ids. So each event
/// is reported at least once, and a receiver that remembers the ids handles it only once.
///
/// A disk that cannot be written holds up no event; writing is tried again every second. No id is used twice, on any device: each run has its own
/// name in its ids, so that events which the previous run reported but could not write do not share an id with others.
/// - Concurrency: an actor on its own thread, which waits for the disk.
package actor GeofenceKeeper {
    /// What is watched, and how.
    package struct Settings: Sendable {
        /// The fence file, or the folder of fence files, of the configuration; nil for none.
        package var path: String?
        /// Whether that file comes later: until then it is no problem that it is missing.
        package var isAwaited = false
        /// Where the state and the fences added while running are kept.
        package var stateFolder: String
        /// How a change of side is decided.
        package var rule = BorderRule.robust
        /// How many fences count at most, nearest first; nil for all.
        package var maxActive: Int?

        /// Settings with nothing to watch yet.
        package init(path: String? = nil, stateFolder: String) {
            self.path = path
            self.stateFolder = stateFolder
        }
    }

    /// How often files are checked for changes while fixes arrive, in milliseconds of the monotonic clock.
    static let lookMilliseconds: Int64 = 5_000
    /// The largest value of ``freeMetres``: five minutes at 180 km/h.
    static let farthestMetres = 15_000.0
    /// The time after which the state is written although nothing has happened, in milliseconds.
    private static let longestUnsaved: Int64 = 3_600_000
    /// The wait before the state is written again after a failure.
    static let savePause = Duration.seconds(1)
    /// Visit numbers start at a random number below this; beyond 2^53 JSON readers round them.
    private static let mostVisitBase: UInt64 = 1 << 52

    /// The problems with the files and the state, for people; empty when there are none.
    package private(set) var problems: [String] = []
    /// The last events, the newest last.
    package var lastEvents: [TrackerEvent] { recent.events }
    /// The same, and how many of the newest this run has reported.
    package var lastAndNewEvents: (events: [TrackerEvent], newCount: Int) { (recent.events, recent.newCount) }

    private let settings: Settings
    private let store: FenceStateStore
    private let executor: ThreadExecutor
    private var loader: FenceLoader?
    private var own: OwnFences
    private var loaded: [Geofence] = []
    private var loadProblems: [String] = []
    /// What is odd in the files but costs nothing, for the message log.
    package private(set) var notices: [String] = []
    private var downloadProblem: String?
    private var stateProblem: String?
    private var saveProblem: String?
    private var monitor: GeofenceMonitor
    /// The prefix of the ids of this run's events.
    private let eventPrefix = UniqueName.make("f-", digitCount: 20) + "-"
    private var recent = RecentEvents()
    /// Whether there is something to write, and the task that tries to write it again.
    private var isUnsaved = false
    /// Whether the last fix has been processed.
    private var isEnd = false
    private var saving: Task<Void, Never>?
    private var lookAt: Int64 = 0
    /// The revision of the known fences that is on the disk; nil when it must be written.
    private var savedRevision: UInt64?
    private var savedAt = MonotonicClock.milliseconds
    private var lastPlace: Coordinate?
    /// Whether the disk has that the position is lost.
    private var hasNotedLoss = false
    /// A border nearer than this may be reached within 60 s, at 250 km/h, metres.
    private static let nearMetres = 4_200.0
    /// What the previous run left, until it is used.
    private var content: FenceStateStore.Content?

    /// The actor's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A keeper that has read nothing yet.
    package init(_ settings: Settings) throws(SystemError) {
        executor = try ThreadExecutor(name: "fences", takesHelp: true)
        self.settings = settings
        store = FenceStateStore(folder: settings.stateFolder)
        own = OwnFences(folder: settings.stateFolder)
        loader = settings.path.map { FenceLoader(path: $0, isAwaited: settings.isAwaited) }
        monitor = GeofenceMonitor(fences: FenceIndex([]), rule: settings.rule, maxActive: settings.maxActive, eventPrefix: eventPrefix)
    }

    deinit { saving?.cancel() }

    /// What a log may know that the state does not.
    package enum LogNeed: Sendable, Equatable {
        /// Nothing: there was no state.
        case nothing
        /// Events since a time that the state does not know, or is not sure of.
        case from(UTCTime)
        /// The newest events, and those since a time that the state is not sure of: the state is lost, and they say where the device was.
        case newest(from: UTCTime? = nil)
    }

    /// Reads the state, and says which events of a log ``start(logged:)`` wants.
    ///
    /// - Parameter erased: stretches of time that were erased from the log since the run before; what happened then is forgotten.
    package func load(without erased: [Range<UTCTime>] = []) -> LogNeed {
        var content = store.load()
        for stretch in erased { content.forget(stretch) }
        // Written by the start, with or without a fix: a run that ends before its first one must not leave it to the next.
        isUnsaved = !erased.isEmpty
        self.content = content
        let doubtful = content.events.suffix(content.doubtfulCount).compactMap(\.time).min()
        if content.isStateLost { return .newest(from: doubtful) }
        // Most devices have no fences, and need not read their logs.
        if content.isStateMissing { return loader != nil || own.hasFile ? .newest() : .nothing }
        return (doubtful ?? content.state.progress.lastTime).map(LogNeed.from) ?? .nothing
    }

    /// Reads fences and state; returns what the previous run may not have reported to everybody, and what happened to fences meanwhile.
    ///
    /// - Parameters:
    ///   - logged: the log's events since ``load(without:)``, in its order: a full disk may have kept them out of the state.
    ///   - fixes: the log's last fixes without a break among or after them: after a kill they say where the device was last.
    package func start(logged: [TrackerEvent] = [], lastFixes fixes: [Position] = []) -> [TrackerEvent] {
        var content = self.content.take() ?? store.load()
        if content.isStateMissing, !logged.isEmpty { content.noteLoss() }
        content.state.progress.numberVisits(after: .random(in: 0..<GeofenceKeeper.mostVisitBase))
        stateProblem = content.problems.first
        own.load()
        let reading = loader?.read()
        loaded = own.goodFences(or: reading)
        loadProblems = reading?.problems ?? []
        notices = reading?.notices ?? []
        joinFences()
        content.follow(logged, fences)
        content.follow(fixes, by: settings.rule)
        monitor = GeofenceMonitor(
            fences: FenceIndex(fences), rule: settings.rule, maxActive: settings.maxActive, eventPrefix: eventPrefix)
        content.settle(by: fixes, with: monitor)
        recent = RecentEvents(content.events, doubtfulCount: content.doubtfulCount, now: MonotonicClock.milliseconds)
        savedRevision = nil
        let removed = keep(monitor.restore(content.state))
        // The state is written at events, not at each fix: a line from where it is to the next fix would lead where the device never was.
        if content.isEnd { monitor.noteGap() } else { monitor.interrupt() }
        if isUnsaved { save() }
        lookAt = MonotonicClock.milliseconds + GeofenceKeeper.lookMilliseconds
        noteProblems()
        return content.events.suffix(content.doubtfulCount) + removed
    }

    // MARK: - Positions

    /// Processes the next fix and returns the events it caused, already saved to disk.
    package func process(_ position: Position) -> [TrackerEvent] {
        lastPlace = position.coordinate
        var events = MonotonicClock.milliseconds >= lookAt ? reload() : []
        events += keep(monitor.process(position))
        if hasNotedLoss { noteLoss() }
        keepKnown()
        return events
    }

    /// Processes the loss of the position.
    ///
    /// It is on the disk when a border may be reached soon: after a kill, too, no way is guessed across a loss.
    package func lose(at time: UTCTime?) {
        let isNew = monitor.progress.lostSince == nil
        monitor.lose(at: time)
        if isNew, isNearBorder { noteLoss() }
    }

    /// Whether the device could reach a border within the longest step that is tested.
    private var isNearBorder: Bool { freeMetres.map { $0 < GeofenceKeeper.nearMetres } ?? false }

    private func noteLoss() {
        hasNotedLoss = monitor.progress.lostSince != nil
        isUnsaved = true
        save()
    }

    /// Notes that positions are withheld: what happens to fences until the next one is not guessed, not even by the next run.
    package func withhold() {
        monitor.withhold()
        isUnsaved = true
        save()
    }

    /// How far the device may go from its last place, in metres, before a border can matter; nil when there is no fence.
    ///
    /// At most `farthestMetres`: a caller whose device gets that far asks again.
    package var freeMetres: Double? {
        guard monitor.index.count > 0, let place = lastPlace else { return nil }
        var radius = 100.0
        while radius < GeofenceKeeper.farthestMetres {
            if let nearest = monitor.index.fences(within: radius, of: place).map({ abs($0.signedDistanceMetres) }).min() { return nearest }
            radius *= 4
        }
        return GeofenceKeeper.farthestMetres
    }

    // MARK: - Fences

    /// All fences: those of the files, and those added while running.
    package private(set) var fences: [Geofence] = []
    /// The ids of the fences that were added while running.
    package private(set) var addedIDs: Set<String> = []

    /// How often they may have changed; each run begins at another number.
    package private(set) var changeCount = UInt32.random(in: .min ... .max)

    private func joinFences() {
        changeCount &+= 1
        addedIDs = Set(own.fences.map(\.id))
        fences = loaded.filter { !addedIDs.contains($0.id) } + own.fences
    }

    /// Whether there are fences, or a file that may have some later.
    package var mayHaveFences: Bool { loader != nil || monitor.index.count > 0 }
    /// How many fences are watched.
    package var fenceCount: Int { monitor.index.count }
    /// The ids of the fences that the device is inside of.
    package var insideIDs: [String] { monitor.progress.stays.map(\.id) }

    /// The fences that count now, those with the nearest borders first, each with its distance (negative inside); at most `count`.
    ///
    /// Empty before the first fix.
    package func nearest(_ count: Int) -> [(fence: Geofence, signedDistanceMetres: Double)] {
        guard let place = lastPlace else { return [] }
        let count = min(count, settings.maxActive ?? .max)
        var radius = 1_000.0
        while true {
            let near = monitor.index.fences(within: radius, of: place)
            if near.count >= min(count, monitor.index.count) || radius > 3e7 {
                return Array(near.sorted { abs($0.signedDistanceMetres) < abs($1.signedDistanceMetres) }.prefix(count))
            }
            radius *= 4
        }
    }

    /// How far the device is from the borders of some fences, negative inside; nil before the first fix.
    package func distances(to fences: some Collection<Geofence>) -> [Double]? {
        lastPlace.map { place in fences.map { $0.shape.signedDistanceMetres(to: place) } }
    }

    /// Reads the files again if they have changed; returns the events that this causes.
    @discardableResult
    package func reload() -> [TrackerEvent] {
        lookAt = MonotonicClock.milliseconds + GeofenceKeeper.lookMilliseconds
        guard let reading = loader?.read() else { return [] }
        (loadProblems, notices) = (reading.problems, reading.notices)
        loaded = own.goodFences(or: reading)
        defer { noteProblems() }
        return replaceFences()
    }

    /// Processes the result of a fence download; returns the events that it causes.
    package func process(_ download: FenceDownload.Outcome) -> [TrackerEvent] {
        if case .failed(let reason) = download { downloadProblem = reason } else { downloadProblem = nil }
        defer { noteProblems() }
        return download == .changed ? reload() : []
    }

    /// Adds fences, or replaces those with the same ids; they are on the disk when this returns.
    package func add(_ fences: [Geofence]) throws(SystemError) -> [TrackerEvent] {
        try own.add(fences)
        return replaceFences()
    }

    /// Removes a fence that was added while running; `wasThere` is false when there is none with that id.
    package func remove(id: String) throws(SystemError) -> (wasThere: Bool, events: [TrackerEvent]) {
        guard try own.remove(id: id) else { return (false, []) }
        return (true, replaceFences())
    }

    private func replaceFences() -> [TrackerEvent] {
        joinFences()
        return keep(monitor.replaceFences(with: fences))
    }

    // MARK: - The disk

    private func keep(_ events: [GeofenceEvent]) -> [TrackerEvent] {
        guard !events.isEmpty else { return [] }
        let events = events.map { TrackerEvent($0) }
        recent.append(events)
        isUnsaved = true
        save()
        if saveProblem == nil { stateProblem = nil }
        noteProblems()
        return events
    }

    /// Writes for which fences the side is known, when that has changed: the set of fences, or a border that was near at first.
    ///
    /// Once an hour it writes everything, so that the next run need not look further back in a log.
    private func keepKnown() {
        guard saving == nil else { return }
        if MonotonicClock.milliseconds - savedAt >= GeofenceKeeper.longestUnsaved { isUnsaved = true }
        if isUnsaved || savedRevision != monitor.knownRevision { save() }
    }

    /// Writes everything again, after the state folder was replaced by an empty one.
    package func writeAnew() {
        own.writeAnew()
        isUnsaved = true
        savedRevision = nil
        save()
    }

    /// Keeps the events with these ids, and no others, with the state until a receiver that cannot accept them now has them.
    package func holdUnheard(_ ids: Set<String>) { recent.unheard = ids }

    /// Writes everything, with the last fix: the last call of a run, after which nothing is processed.
    ///
    /// - Parameter heard: the ids of events that need not be reported again.
    package func end(heard: Set<String> = []) {
        recent.noteHeard(heard)
        // A run without a fix knows no more than the one before it.
        isEnd = !monitor.isInterrupted
        isUnsaved = true
        save()
    }

    /// Forgets the events that happened from the first time until the second one, and where the device was then.
    package func forget(from: UTCTime, to: UTCTime) {
        guard from < to else { return }
        if monitor.forgetPlace(in: from..<to) { lastPlace = nil }
        recent.forget(from: from, to: to)
        // The file may still have what the memory no longer has.
        isUnsaved = true
        save()
    }

    /// Whether everything that must not be lost, or must not come back, is on the disk.
    package var isSaved: Bool { !isUnsaved }

    /// Writes what the disk does not have; after a failure tries again at intervals until it works.
    private func save() {
        do throws(SystemError) {
            try write()
            saving?.cancel()
            saving = nil
            saveProblem = nil
        } catch {
            saveProblem = "the state of fences cannot be kept over a restart: \(error.description)"
            if saving == nil {
                saving = Task { [weak self] in
                    repeat {
                        do { try await Task.sleep(for: GeofenceKeeper.savePause) } catch { return }
                    } while await self?.saveAgain() == false
                }
            }
        }
        noteProblems()
    }

    /// Tries again; returns whether everything is on the disk.
    private func saveAgain() -> Bool {
        save()
        return saving == nil
    }

    private func write() throws(SystemError) {
        let now = MonotonicClock.milliseconds
        let knownRevision = monitor.knownRevision
        // In that order: a known fence without a stay is one that the device is outside of.
        if isUnsaved || savedRevision != knownRevision {
            try store.save(monitor.progress, events: recent.events, doubtfulCount: recent.doubtfulCount(now: now), isEnd: isEnd)
            recent.noteSaved(now: now)
            isUnsaved = false
            savedAt = now
        }
        guard savedRevision != knownRevision else { return }
        try store.save(known: monitor.state.known)
        savedRevision = knownRevision
    }

    private func noteProblems() {
        problems = [stateProblem, saveProblem].compactMap { $0 } + own.problems + loadProblems + (downloadProblem.map { [$0] } ?? [])
    }
}
