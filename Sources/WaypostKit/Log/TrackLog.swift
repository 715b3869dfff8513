import Synchronization
import Waypost
import WaypostDispatch
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// A crash-safe log of an application's own: the positions of a manager, as journals while they come and as GPX files when a track ends.
///
/// ```swift
/// let manager = PositioningManager(source: GPSDSource())
/// let log = try await TrackLog(manager, folder: "tracks")
/// for await update in manager.liveUpdates() { print(update) }
/// if let track = try await log.close() { print(track.trackPath ?? "no positions") }
/// ```
/// Every position that the manager reports is in the journal before the next one comes, and on the disk after
/// `TrackRecorder.Configuration.syncInterval` at the latest: a crash loses nothing, a power cut at most that. Tracks end at midnight UTC, when
/// their journal reaches `rotateByteCount`, on ``finishTrack()`` and on ``close()``. The next log in the same folder finishes a track that a
/// crash or a power cut has ended. The log follows whatever the manager reports; it holds no need of its own.
/// - Concurrency: from anywhere. Positions are logged until the log is closed or gone; a log that goes without being closed leaves its track
///   to the next one, and its folder free.
public final class TrackLog: Sendable {
    /// What is logged, and how.
    public struct Options: Sendable, Hashable {
        /// Types, sizes and limits of the log; how soon positions are on the disk.
        ///
        /// Without types the log is off: see ``TrackLog/isOff``.
        public var recorder = TrackRecorder.Configuration()
        /// Which fixes are left out because they are close to the one before; none by default.
        public var thinning = PositionThinner.Settings()

        /// Creates options that log every position.
        public init() {}
    }

    /// The positions of the log, for a `Dispatcher`, which sends them to servers.
    public let positions: LogPositions
    /// Whether nothing is logged, because the options name no types; ``unloggedCount`` counts the positions.
    ///
    /// As with `types = []` of the tracker, tracks of earlier runs are finished and deleted as otherwise, and fence events go to the dispatcher
    /// of the log.
    public let isOff: Bool
    private let recorder: TrackRecorder
    private let keeper: LogKeeper
    private let observer: Observer
    private let attachment: PositioningAttachment

    /// Opens a log folder, and creates it if it is missing; finishes the tracks of a run that crashed, and logs from the next position on.
    ///
    /// - Parameters:
    ///   - manager: the manager whose positions are logged.
    ///   - folder: the folder, for one log at a time.
    ///   - options: what is logged.
    /// - Errors: `alreadyInUse`, `cannotPrepare`, `cannotRead`, `unsupportedVersion`. A single track that cannot be finished is among the
    ///   ``problems``.
    public init(
        _ manager: PositioningManager, folder: String, options: Options = Options()
    ) async throws(RecordingError) {
        recorder = try TrackRecorder(folder: folder, configuration: options.recorder)
        isOff = options.recorder.types.isEmpty
        do throws(SystemError) {
            positions = try LogPositions(
                folder: LogFolder(path: try Syscalls.absolutePath(folder)), types: options.recorder.types)
        } catch {
            throw .cannotPrepare(folder: folder, cause: error)
        }
        _ = try await recorder.recover()
        observer = Observer(recorder)
        keeper = LogKeeper(
            recorder: isOff ? nil : recorder, thinning: options.thinning, keepsEverything: options.recorder.types.contains(.source),
            observer: observer)
        attachment = await manager.attachment(of: keeper)
    }

    deinit {
        attachment.detach()
        Task { [keeper] in await keeper.stop() }
    }

    /// Logs an event, which becomes a waypoint of the track: one of a ``FenceMonitor``, or of your own.
    ///
    /// An event of a fence also goes to the dispatcher of the log, if there is one; its number in the log brings it there even after a crash.
    /// - Parameter event: an event with a time; others are not logged.
    /// - Returns: its number in the log, or why it is not there; `notWanted` while the log is off.
    /// - Errors: `cannotAppend`, `cannotSynchronize`, `closed`: the event is not in the log, but it goes to the dispatcher.
    @discardableResult
    public func record(_ event: TrackerEvent) async throws(RecordingError) -> TrackRecorder.EventOutcome {
        if isOff {
            await send(event, loggedAs: nil)
            return .notWanted
        }
        do throws(RecordingError) {
            let outcome = try await recorder.record(event)
            if case .logged(let number, _) = outcome { await send(event, loggedAs: number) } else { await send(event, loggedAs: nil) }
            return outcome
        } catch {
            await send(event, loggedAs: nil)
            throw error
        }
    }

    private func send(_ event: TrackerEvent, loggedAs number: UInt64?) async {
        guard event.isOfFence else { return }
        // The next dispatcher takes it from the log.
        guard let sender = observer.sender, number == nil || !sender.isOver() else { return }
        await sender.feeder.enqueue(.event(event), loggedAs: number)
    }

    /// Whoever sends what is logged.
    struct Sender: Sendable {
        /// Is told of each position, and returns at once.
        var noteLogged: @Sendable () -> Void
        /// Whether it has been stopped, or is gone.
        var isOver: @Sendable () -> Bool
        /// Gets the events of fences.
        var feeder: EventFeeder
    }

    /// Whether a dispatcher sends what is logged.
    var hasDispatcher: Bool { observer.sender?.isOver() == false }

    /// Gives what is logged to a sender, in place of an earlier one.
    func use(_ sender: Sender) { observer.use(sender) }

    /// The clocks, as the fixes confirm them.
    var clock: DispatchClock {
        let observer = observer
        return DispatchClock(
            bootMilliseconds: { BootClock.milliseconds }, confirmedTime: { observer.confirmedTime }, certainTime: { observer.certainTime })
    }

    /// Ends the track and makes its GPX file; the next position begins another track.
    ///
    /// - Returns: the track; nil when nothing was logged.
    /// - Errors: `cannotFinish`, `cannotRead`, `closed`; the journal stays, and the track is finished later.
    @discardableResult
    public func finishTrack() async throws(RecordingError) -> FinishedTrack? { try await recorder.finishTrack() }

    /// Stops logging, ends the track, makes its GPX file and gives the folder free.
    ///
    /// - Returns: the track; nil when nothing was logged, and when the log is closed already.
    /// - Errors: as those of ``finishTrack()``; the folder is free even then.
    @discardableResult
    public func close() async throws(RecordingError) -> FinishedTrack? {
        attachment.detach()
        await keeper.stop()
        return try await recorder.close()
    }

    /// What is wrong now: a full disk, a folder that was removed, tracks that could not be finished.
    public var problems: RecorderProblems { get async { await recorder.problems } }

    /// Why events are not yet in the outbox of the log's dispatcher, in words for people; nil when they are, or when it has none.
    public var sendingProblem: String? {
        get async { await observer.sender?.feeder.problem }
    }

    /// How much was logged, and how much was left out.
    public var statistics: RecorderStatistics { get async { await recorder.statistics } }

    /// How many fixes were left out because they were close to the one before.
    public var thinnedCount: Int { observer.thinnedCount }

    /// How many positions came while the log was off; 0 for a log with types.
    public var unloggedCount: Int { observer.unloggedCount }
}

/// Keeps the time, by which tracks become too old, and maintains the tracks.
private final class Observer: LogObserver {
    private struct State {
        var time = ConfirmedTime()
        var thinnedCount = 0
        var unloggedCount = 0
        var sender: TrackLog.Sender?
    }

    private let state = Mutex(State())
    private let recorder: TrackRecorder

    init(_ recorder: TrackRecorder) {
        self.recorder = recorder
    }

    var thinnedCount: Int { state.withLock { $0.thinnedCount } }
    var unloggedCount: Int { state.withLock { $0.unloggedCount } }
    var sender: TrackLog.Sender? { state.withLock { $0.sender } }

    func use(_ sender: TrackLog.Sender) { state.withLock { $0.sender = sender } }

    func noteFix(_ position: Position) {
        guard let time = position.time, position.status.isMeasured else { return }
        state.withLock { $0.time.process(time, from: position.source, at: BootClock.milliseconds) }
    }

    func note(_ outcome: LogKeeper.Outcome, of position: Position) {
        switch outcome {
        case .logged: sender?.noteLogged()
        case .tooClose: state.withLock { $0.thinnedCount += 1 }
        case .off: state.withLock { $0.unloggedCount += 1 }
        case .leftOut, .failed: break
        }
    }

    func noteLoss() {}

    func note(_ problems: RecorderProblems, before: RecorderProblems) {}

    func maintain() async {
        _ = try? await recorder.recover()  // Failures are among the recorder's problems, and tried again the next time.
        _ = try? await recorder.applyRetention(confirmedTime: certainTime)  // See above.
    }

    var confirmedTime: UTCTime? {
        if let milliseconds = WallClock.millisecondsIfSynchronized { return UTCTime(millisecondsSince1970: milliseconds) }
        return state.withLock { $0.time.time(at: BootClock.milliseconds) }
    }

    var certainTime: UTCTime? {
        if let milliseconds = WallClock.millisecondsIfSynchronized { return UTCTime(millisecondsSince1970: milliseconds) }
        return state.withLock { $0.time.certainTime(at: BootClock.milliseconds) }
    }
}
