import Logging
import Synchronization
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostGeofences
import WaypostRecording
import WaypostSystem

/// What the tracker has to do with sending: it makes the dispatcher from the configuration, and feeds it.
///
/// A box whose outbox cannot be opened tracks all the same, and says so.
final class DispatchDesk: Sendable {
    /// Nil when nothing is to be sent, or nothing can be.
    let dispatcher: Dispatcher?
    /// Who wants to know the fences.
    private let fenceReaders: [String]
    var tellsFences: Bool { !fenceReaders.isEmpty }
    private let logger: Logger
    private let found: Mutex<[String]>
    private let feeder: EventFeeder?

    /// What is wrong, for people; empty when all is well.
    var problems: [String] { found.withLock { $0 } }

    private init(_ dispatcher: Dispatcher?, fenceReaders: [String] = [], problems: [String], logger: Logger) {
        self.dispatcher = dispatcher
        self.fenceReaders = fenceReaders
        self.logger = logger
        found = Mutex(problems)
        feeder = dispatcher.map { dispatcher in
            EventFeeder(logger: logger) { (entries) async throws(OutboxError) in try await dispatcher.accept(entries) }
        }
        for problem in problems { logger.error("\(problem)") }
    }

    /// Opens the outbox and attaches every destination of the configuration.
    static func open(
        _ configuration: Configuration, stateFolder: String, secrets: SecretFiles, time: ConfirmedClock, logger: Logger
    ) async -> DispatchDesk {
        let destinations = configuration.destinations.filter { !$0.url.isEmpty }
        let path = stateFolder + "/outbox.sqlite"
        // What waits for destinations that are gone can still be looked at, moved or discarded.
        guard !destinations.isEmpty || Syscalls.exists(path) else { return DispatchDesk(nil, problems: [], logger: logger) }
        let device = configuration.dispatch.device.isEmpty ? SystemProcess.hostName : configuration.dispatch.device
        let dispatcher: Dispatcher
        var problems: [String] = []
        do {
            var limits = OutboxLimits()
            limits.maximumByteCount = configuration.dispatch.maximumByteCount
            if configuration.dispatch.maximumAge > .zero { limits.maximumAge = configuration.dispatch.maximumAge }
            let clock = DispatchClock(bootMilliseconds: { BootClock.milliseconds }, confirmedTime: { time.now })
            let outbox = try Outbox(path: path, limits: limits, clock: clock)
            if let recovery = await outbox.recovery { problems.append(DispatchDesk.words(recovery)) }
            let supply = try LogPositions(folder: LogFolder(path: configuration.log.directory), types: configuration.log.types)
            dispatcher = Dispatcher(outbox: outbox, supply: supply, device: device, clock: clock) { logger.tell($0) }
        } catch {
            return DispatchDesk(nil, problems: ["nothing is sent: \(error)"], logger: logger)
        }
        for destination in destinations {
            do {
                let opened: any Destination
                do {
                    opened = try destination.open(secrets, device: device, tracking: configuration.tracking)
                } catch {
                    problems.append("nothing is sent to \(destination.name): \(error)")
                    opened = UnopenedDestination(reason: "\(error)")
                }
                try await dispatcher.attach(opened, destination.settings(device: device))
            } catch {
                problems.append("nothing is sent to \(destination.name): \(error)")
            }
        }
        do {
            try await dispatcher.finishAttaching()
            let isOptedOut = configuration.dispatch.isOptedOut
            if try await dispatcher.outbox.isOptedOut() != isOptedOut { try await dispatcher.setOptedOut(isOptedOut) }
        } catch {
            problems.append("the outbox: \(error)")
        }
        return DispatchDesk(
            dispatcher, fenceReaders: destinations.filter(\.sendsWaypoints).map(\.name), problems: problems, logger: logger)
    }

    /// Takes a fence event; it is on the disk when this returns, unless the disk takes nothing now.
    func take(_ report: FenceReport) async {
        await feeder?.take(
            .event(
                DispatchEvent(
                    id: report.id, kind: report.kind, name: report.fenceName, time: report.time, position: report.position,
                    line: report.line)))
    }

    /// Tells the fences to those who want to know them.
    func tell(_ fences: [Geofence]) async {
        guard let dispatcher else { return }
        do throws(OutboxError) {
            try await dispatcher.outbox.acceptWaypoints(fences, for: fenceReaders)
            dispatcher.noteWaiting()
        } catch {
            logger.warning("the fences are not told: \(error)")
        }
    }

    /// Sends what waits while the budget lasts, and ends.
    func stop(budget: Duration, logger: Logger) async {
        guard let dispatcher else { return }
        await feeder?.finish()
        if budget > .zero {
            // What is left waits for the next run; status told of it as long as there was one.
            do { _ = try await dispatcher.drain(budget: budget) } catch {
                logger.error("what waits could not be sent at the end: \(error)")
            }
        }
        await dispatcher.stop()
    }

    /// How the destinations are; none when the outbox cannot be read.
    var statuses: [DestinationStatus] {
        get async { (try? await dispatcher?.statuses()) ?? [] }  // That the outbox cannot be read is told by those who send.
    }

    /// Returns when the outbox has answered; never when its disk hangs.
    func answer() async { _ = try? await dispatcher?.outbox.isOptedOut() }  // What it says is not the question.

    /// Says that positions were logged.
    func noteWaiting() { dispatcher?.noteWaiting() }

    private static func words(_ recovery: OutboxRecovery) -> String {
        """
        the outbox was damaged (\(recovery.reason)): \(counted(recovery.entryCount, "event")) of it could be read and wait on; \
        the damaged file is \(recovery.asidePath)
        """
    }
}

extension Logger {
    /// Tells people what the dispatcher has to say; never a place.
    fileprivate func tell(_ notice: DispatchNotice) {
        switch notice {
        case .failing(let name, let reason, let needsMending):
            log(level: needsMending ? .error : .warning, "destination \(name): \(reason)")
        case .recovered(let name): self.notice("destination \(name) takes records again")
        case .buried(let name, let count, let reason):
            error("destination \(name): \(counted(count, "record")) refused for good (waypost dispatch list): \(reason)")
        case .dryRun(let name, let count): info("destination \(name), dry run: \(counted(count, "record")) would be sent")
        }
    }
}
