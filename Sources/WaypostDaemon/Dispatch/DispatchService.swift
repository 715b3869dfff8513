import Logging
import Synchronization
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostGeofences
import WaypostKit
import WaypostRecording
import WaypostSystem

/// The tracker's part of sending: it makes the dispatcher from the configuration, and feeds it.
///
/// A device whose outbox cannot be opened still tracks, reports the problem, and tries again until it can.
final class DispatchService: Sendable {
    /// The state that changes when the outbox opens later than the tracker.
    struct State {
        var dispatcher: Dispatcher?
        var logged: LoggedEvents?
        var problems: [String] = []
        /// The destinations as they are configured; each attempt tries again to open those that could not be opened.
        var configured: [DispatchOpening.ConfiguredDestination] = []
        /// Destinations that could not be attached and are tried again.
        var pending: [PendingDestination] = []
        var isSilent = false
        /// Fences that could not be published yet.
        var untold: [Geofence]?
        /// Why the open outbox accepts nothing now.
        var refusal: String?
        /// What was done about a damaged outbox.
        var recovery = RecoveryReport()
        /// What the limits of the outbox removed.
        var drops = DropReport.events
        /// What was deleted from the log.
        var deletions = DeletionReport()
        /// Destinations whose records from before go to another server.
        var moves = AddressReport()
        /// The log, with earlier ones from which something may still be to be sent.
        var supply: SuccessiveLogs?
        /// The folders of the logs that are remembered; empty when no outbox was opened.
        var folders: [String] = []
        /// What the log has lost before it was sent.
        var losses = LossReport()
        /// Where something could not be erased, for people.
        var unerased: [String] = []
        /// Whether the next run knows of it.
        var isErasureNoted = true
        /// What is to be erased from the outbox before anything of it is sent: it was not open then.
        var stretchesToErase: [Range<UTCTime>] = []
        /// Why something is not erased from the outbox yet, for people.
        var waitingErasure: String?
    }

    /// A separate object, so that the feeder can hold it.
    final class Line: Sendable {
        let state = Mutex(State())

        /// The state of the destinations; one that is still to be attached fails until then.
        func statuses() async throws(OutboxError) -> [DestinationStatus] {
            let (dispatcher, pending, configured) = state.withLock { ($0.dispatcher, $0.pending, $0.configured) }
            var statuses = try await dispatcher?.statuses() ?? []
            for index in statuses.indices where statuses[index].failure == nil {
                // Not tried yet, but it cannot be opened: a token is missing, or its file is empty.
                let entry = configured.first { $0.name == statuses[index].state.name }
                guard let reason = entry?.destination.reason else { continue }
                (statuses[index].failure, statuses[index].needsMending) = (reason, true)
            }
            for index in statuses.indices where !statuses[index].isAttached {
                guard let entry = pending.first(where: { $0.settings.name == statuses[index].state.name }) else { continue }
                (statuses[index].isAttached, statuses[index].failure, statuses[index].needsMending) = (true, entry.reason, true)
            }
            return statuses
        }
    }

    let line: Line
    let opening: DispatchOpening?
    let stateFolder: String
    let feeder: EventFeeder?
    private let reopening = Mutex<Task<Void, Never>?>(nil)
    /// What tries to erase each stretch from the outbox, until it can be.
    let erasing = Mutex<[Range<UTCTime>: Task<Void, Never>]>([:])
    let logger: Logger
    let looking: TimeLimitedQuery<Void>
    private let counting: TimeLimitedQuery<Void>
    private let asking: TimeLimitedQuery<Result<[DestinationStatus], OutboxError>>

    /// The wait between two attempts to open the outbox, or to erase something from it.
    static let pause = Duration.seconds(15)

    /// The dispatcher; nil when nothing is to be sent, or nothing can be now.
    var dispatcher: Dispatcher? { line.state.withLock { $0.dispatcher } }
    /// The problems, for people; empty when there are none.
    var problems: [String] {
        line.state.withLock { state in
            let limits = [state.refusal, state.recovery.problem, state.drops.problem].compactMap { $0 }
            return limits + state.deletions.problems + state.losses.problems + state.moves.problems + state.unerased
                + [state.waitingErasure].compactMap { $0 } + state.problems
                + state.configured.compactMap(\.problem) + state.pending.map(\.problem)
        }
    }
    /// Whether there is an outbox that cannot be opened now.
    var isShut: Bool { dispatcher == nil && opening.map { Syscalls.exists($0.path) } ?? false }
    var publishesFences: Bool { opening.map { !$0.fenceReaders.isEmpty } ?? false }

    private init(_ opening: DispatchOpening?, stateFolder: String, logger: Logger) {
        self.stateFolder = stateFolder
        let line = Line()
        var opening = opening
        opening?.noteLoss = { loss, kind in
            if let words = line.state.withLock({ $0.losses.note(loss, kind) }) { logger.warning("\(words)") }
        }
        opening?.stretchesToErase = { line.state.withLock { $0.stretchesToErase } }
        (self.line, self.opening, self.logger) = (line, opening, logger)
        looking = TimeLimitedQuery { [opening] in
            let wasPending = line.state.withLock { !$0.pending.isEmpty }
            await DispatchService.look(line, logger: logger)
            if wasPending, line.state.withLock({ $0.pending.isEmpty }) { opening?.unopenedRuns.clear() }
        }
        counting = TimeLimitedQuery { await DispatchService.countDeleted(line, logger: logger) }
        asking = TimeLimitedQuery {
            do throws(OutboxError) {
                return .success(try await line.statuses())
            } catch {
                return .failure(error)
            }
        }
        feeder = opening.map { opening in
            @Sendable func parts() throws(OutboxError) -> (Dispatcher, LoggedEvents) {
                let (dispatcher, logged) = line.state.withLock { ($0.dispatcher, $0.logged) }
                guard let dispatcher, let logged else { throw .cannotOpen(path: opening.path, reason: "it is tried again") }
                return (dispatcher, logged)
            }
            return EventFeeder {
                logger.log(level: $0.isProblem ? .error : .notice, "\($0.words)")
            } accept: { (entries, number) async throws(OutboxError) in
                try await parts().0.accept(entries, loggedThrough: number)
            } offerLogged: { () async throws(OutboxError) in
                let (dispatcher, logged) = try parts()
                let unread = try await logged.offer(to: dispatcher.outbox)
                dispatcher.noteWaiting()
                return unread
            }
        }
    }

    /// Opens the outbox and attaches every destination of the configuration.
    ///
    /// - Parameters:
    ///   - given: the largest number that the log may have given before this run.
    ///   - recorder: erases from the log of this run what is still to be erased.
    static func open(
        _ configuration: Configuration, stateFolder: String, secrets: SecretFiles, time: ConfirmedClock, isSilent: Bool, given: UInt64,
        recorder: TrackRecorder?, logger: Logger
    ) async -> DispatchService {
        let opening = DispatchOpening(
            configuration: configuration, stateFolder: stateFolder, secrets: secrets, time: time, logger: logger, given: given)
        // Also without destinations: what is new to a later log is not new to the device.
        opening.noteLog()
        // Entries for destinations that are gone can still be listed, moved or discarded.
        guard !opening.destinations.isEmpty || Syscalls.exists(opening.path) else {
            if !configuration.log.isOff { Outbox.noteNoDestinations(at: opening.marksPath) }
            // Those of an earlier run, which could not open one, get nothing of this one.
            if !opening.unopenedRuns.read().isEmpty { opening.noteUnopened() }
            return DispatchService(nil, stateFolder: stateFolder, logger: logger)
        }
        let desk = DispatchService(opening, stateFolder: stateFolder, logger: logger)
        guard let opening = desk.opening else { return desk }
        desk.line.state.withLock { $0.isSilent = isSilent }
        await desk.eraseLeft(opening, by: recorder)
        if await desk.open(opening, after: nil) { return desk }
        // The destinations get what is logged from now on, whenever they are opened, be it in a later run.
        opening.noteUnopened()
        let number = await opening.newestNumber
        desk.reopening.withLock { task in
            task = Task {
                repeat {
                    do { try await Task.sleep(for: pause) } catch { return }
                } while await !desk.open(opening, after: number)
            }
        }
        return desk
    }

    /// Opens the outbox; returns whether it is open now.
    private func open(_ opening: DispatchOpening, after number: UInt64?) async -> Bool {
        let wasTold = line.state.withLock { $0.problems }
        do {
            var isSilent = line.state.withLock { $0.isSilent }
            let opened = try await opening.open(after: number, isSilent: isSilent)
            let dispatcher = opened.dispatcher
            var askedMeanwhile: [Range<UTCTime>] = []
            let found = opened.problems + opened.configured.compactMap(\.problem) + opened.pending.map(\.problem)
            for problem in found { logger.error("\(problem)") }
            for words in opened.moves.map(\.words) { logger.warning("\(words)") }
            // The setting may have changed in the meantime.
            while true {
                let wanted = line.state.withLock { state in
                    if state.isSilent == isSilent {
                        (state.dispatcher, state.logged, state.supply) = (dispatcher, opened.logged, opened.supply)
                        state.folders = opened.folders
                        askedMeanwhile = state.stretchesToErase
                        state.stretchesToErase = []
                        state.moves.note(opened.moves)
                        state.deletions.add(opened.deleted)
                        (state.problems, state.configured, state.pending) = (opened.problems, opened.configured, opened.pending)
                    }
                    return state.isSilent
                }
                if wanted == isSilent { break }
                isSilent = wanted
                await dispatcher.setSilent(isSilent)
            }
            for stretch in askedMeanwhile {
                try? await dispatcher.erase(from: stretch.lowerBound, to: stretch.upperBound)  // It is tried again.
            }
            if opened.pending.isEmpty { opening.unopenedRuns.clear() } else { opening.noteUnopened() }
            await feeder?.catchUp()
            await check()
            if !wasTold.isEmpty { logger.notice("the outbox is open: what waits is sent") }
            if let fences = line.state.withLock({ $0.untold.take() }) { await publish(fences) }
            return true
        } catch {
            let problem = "nothing is sent: \(error)"
            line.state.withLock { $0.problems = [problem] }
            if wasTold != [problem] { logger.error("\(problem); tried again every \(DispatchService.pause.components.seconds) s") }
            return false
        }
    }

    /// Writes again what is kept in the state folder, besides the outbox, which was removed.
    func writeAnew() {
        let folders = line.state.withLock { $0.folders }
        if !folders.isEmpty { opening?.writeAnew(folders: folders) }
    }

    /// Sets whether nothing is sent.
    func setSilent(_ isSilent: Bool) async {
        let dispatcher = line.state.withLock { state in
            state.isSilent = isSilent
            return state.dispatcher
        }
        await dispatcher?.setSilent(isSilent)
    }

    /// Enqueues a fence event; it is on the disk when this returns, unless the disk cannot be written now.
    ///
    /// - Parameter number: its number in the log; nil when it is not there.
    func enqueue(_ event: TrackerEvent, loggedAs number: UInt64? = nil) async {
        await feeder?.enqueue(.event(event), loggedAs: number)
    }

    /// Notes that an event is in the log now, under that number.
    func markLogged(_ id: String, as number: UInt64) async { await feeder?.markLogged(id, as: number) }

    /// Whether there is an outbox for events.
    var takesEvents: Bool { feeder != nil }

    /// The ids of the events that neither the outbox nor the log has.
    var unkeptIDs: Set<String> { get async { await feeder?.unloggedIDs ?? [] } }

    /// Notes that up to that number the log has no events other than those that were accepted.
    func noteLogged(through number: UInt64) async {
        guard let outbox = dispatcher?.outbox, await feeder?.isDone == true else { return }
        await outbox.noteLogged(through: number)
    }

    /// Enqueues a health report; one that the outbox cannot accept now is dropped.
    func enqueue(_ report: HealthReport) async {
        guard let dispatcher, !line.state.withLock({ $0.isSilent }) else { return }
        do throws(OutboxError) {
            if try await dispatcher.outbox.isOptedOut() { return }
            try await dispatcher.accept([.health(report.json)])
        } catch {
            logger.warning("no report of health to \(report.destination): \(error)")
        }
    }

    /// Publishes the fences to the destinations that want them, as soon as possible.
    func publish(_ fences: [Geofence], inside: [String]? = nil) async {
        guard let opening else { return }
        if let inside { opening.fences.set(fences, inside: inside) }
        let dispatcher = line.state.withLock { state in
            if state.dispatcher == nil { state.untold = fences }
            return state.dispatcher
        }
        guard let dispatcher else { return }
        do throws(OutboxError) {
            try await dispatcher.outbox.acceptWaypoints(fences, for: opening.fenceReaders)
            dispatcher.noteWaiting()
        } catch {
            logger.warning("the fences are not sent: \(error)")
        }
    }

    /// Sends what waits until the budget is used up, and ends.
    ///
    /// - Parameter number: up to which number the log has no events other than those that were handed over; nil when that is not known.
    func stop(budget: Duration, loggedThrough number: UInt64?, logger: Logger) async {
        for task in erasing.withLock({ $0.values }) { task.cancel() }
        let reopening = reopening.withLock { $0.take() }
        reopening?.cancel()
        await reopening?.value
        guard let dispatcher else { return }
        await feeder?.finish()
        // What is lost of the log from now on had no events that were not queued.
        if let number { await noteLogged(through: number) }
        if budget > .zero {
            // What is left waits for the next run; status reported it while there was one.
            do { _ = try await dispatcher.drain(budget: budget) } catch {
                logger.error("what waits could not be sent at the end: \(error)")
            }
        }
        await dispatcher.stop()
    }

    /// Detaches a destination that was removed from the configuration.
    func detach(_ name: String) async {
        let dispatcher = line.state.withLock { state in
            state.configured.removeAll { $0.name == name }
            state.pending.removeAll { $0.settings.name == name }
            return state.dispatcher
        }
        await dispatcher?.detach(name)
    }

    /// The failure of a requested dispatch to a destination, with nil to any, that could not be attached; nil when all could.
    func failure(ofPending name: String?) -> DispatchCompletion? {
        line.state.withLock { $0.pending }.filter { name == nil || $0.settings.name == name }
            .map { DispatchCompletion.error($0.settings.name, $0.reason) }
            .reduce(nil) { $0?.joined(with: $1) ?? $1 }
    }

    /// The state of the destinations; none without an outbox.
    func statuses() async throws(OutboxError) -> [DestinationStatus] { try await line.statuses() }

    /// The state of the destinations, and the problems, for people; no destinations when the outbox cannot be read.
    var report: (destinations: [DestinationStatus], problems: [String]) {
        get async {
            let (answer, isNew) = await asking.answer()
            if case .success(let statuses)? = answer { line.state.withLock { $0.moves.note(statuses.map(\.state)) } }
            var found = problems
            if let problem = await feeder?.problem { found.append(problem) }
            if !isNew { found.append("the disk of the outbox does not answer: what is told of what waits is old") }
            do throws(OutboxError) {
                let statuses = try answer?.get() ?? []
                // One that could not be opened is already reported.
                let others = statuses.filter { status in
                    !found.contains(DispatchOpening.problem(of: status.state.name, status.failure ?? ""))
                }
                return (statuses, found + others.flatMap(\.problems))
            } catch {
                return ([], found + ["nothing is known of what waits: \(error)"])
            }
        }
    }

    /// Returns when the outbox has answered; never when its disk hangs.
    func answer() async { _ = try? await dispatcher?.outbox.isOptedOut() }  // What it says is not the question.

    /// Notes that tracks are about to be deleted: positions that destinations still lack count as dropped, and are reported.
    ///
    /// It does not wait for long: what the outbox cannot store now is counted later.
    ///
    /// - Returns: whether it is counted; when it is not, only the log can still tell after a kill.
    func noteDeleting(_ tracks: [DeletedTrack]) async -> Bool {
        guard opening != nil else { return true }
        line.state.withLock { $0.deletions.add(tracks) }
        _ = await counting.answer()
        return line.state.withLock { $0.deletions.uncounted.isEmpty }
    }

    static func countDeleted(_ line: Line, logger: Logger) async {
        guard let dispatcher = line.state.withLock({ $0.dispatcher }) else { return }
        do throws(OutboxError) {
            while let (key, gone) = line.state.withLock({ $0.deletions.uncounted.first }) {
                try await dispatcher.noteGone(gone, because: key)
                // More may have come for the same key.
                line.state.withLock { $0.deletions.noteCounted(gone, key) }
            }
            let gone = try await dispatcher.outbox.gonePositions()
            for words in line.state.withLock({ $0.deletions.note(gone) }) { logger.warning("\(words)") }
        } catch {
            // It is tried again; why the outbox stores nothing is reported there.
        }
    }

    /// Notes that positions were logged.
    func noteWaiting() { dispatcher?.noteWaiting() }
}
