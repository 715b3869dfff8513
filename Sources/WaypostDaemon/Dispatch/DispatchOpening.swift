import Logging
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostKit
import WaypostRecording
import WaypostSystem

/// What is needed to open the outbox.
struct DispatchOpening: Sendable {
    let configuration: Configuration
    let stateFolder: String
    let secrets: SecretFiles
    let time: ConfirmedClock
    let logger: Logger
    /// The largest number that the log may have given before this run.
    let given: UInt64
    /// The fences of the device, for destinations.
    let fences = KnownFences()
    /// Is told what the log has lost before it was sent.
    var noteLoss: @Sendable (LogLoss, LostRecords) -> Void = { _, _ in }
    /// What was to be erased while the outbox was not open.
    var stretchesToErase: @Sendable () -> [Range<UTCTime>] = { [] }

    var path: String { DispatchOpening.path(in: stateFolder) }
    static func path(in stateFolder: String) -> String { stateFolder + "/outbox.sqlite" }
    /// The file of the destinations' progress: with the log, from which lost events can be restored.
    var marksPath: String {
        configuration.log.isOff ? stateFolder + "/destinations" : LogFolder(path: configuration.log.directory).destinationsPath
    }
    /// Whether the log has journals; while it is off, destinations get nothing from it.
    private var logHasJournals: Bool {
        guard !configuration.log.isOff else { return false }
        return (try? LogFolder(path: configuration.log.directory).journals().isEmpty) == false  // Destinations report the error.
    }
    var destinations: [DestinationConfiguration] { configuration.destinations.filter(\.isInUse) }
    /// The destinations that receive the fences.
    var fenceReaders: [String] { destinations.filter(\.kind.wantsFences).map(\.name) }

    /// The number of the log's newest position; nil when the log cannot say.
    var newestNumber: UInt64? {
        get async {
            let newest = try? await makeSupply().newestNumber()  // Then a new destination begins with what is logged after its opening.
            return newest.map { max($0, given) }
        }
    }

    /// The message that a destination gets nothing.
    static func problem(of name: String, _ reason: String) -> String { "nothing is sent to \(name): \(reason)" }

    func makeSupply(hiding hidden: [ErasedRecords] = []) throws(SystemError) -> LogPositions {
        let folder = LogFolder(path: configuration.log.directory)
        return try LogPositions(folder: folder, types: configuration.log.types, hiding: hidden, noteLoss: noteLoss)
    }

    /// A destination as it is configured, open or not.
    struct ConfiguredDestination: Sendable {
        let name: String
        let destination: ReopeningDestination

        /// The problem, in words for people; nil once it is open.
        var problem: String? { destination.reason.map { DispatchOpening.problem(of: name, $0) } }
    }

    /// A dispatcher with every destination that can be attached now.
    struct Opened: Sendable {
        let dispatcher: Dispatcher
        let logged: LoggedEvents
        /// The problems, for people.
        var problems: [String]
        /// The destinations, attached or not; those that could not be opened have a problem.
        var configured: [ConfiguredDestination]
        /// The destinations whose address has changed while records wait.
        var moves: [AddressReport.Move]
        /// Those that could not be attached, in the order of the configuration.
        var pending: [PendingDestination]
        /// The log, with earlier ones from which something may still be to be sent.
        let supply: SuccessiveLogs
        /// The folders of the logs that are remembered, that of this run first.
        let folders: [String]
        /// Positions that limits deleted in earlier runs, which may not have counted them in this outbox.
        let deleted: [ClosedRange<UInt64>]
    }

    /// Opens the outbox.
    ///
    /// - Parameters:
    ///   - number: the number of the log's newest position when the tracker started, if that was earlier.
    ///   - isSilent: whether nothing is sent for now.
    func open(
        after number: UInt64?, isSilent: Bool
    ) async throws -> Opened {
        let device = configuration.dispatch.device.isEmpty ? SystemProcess.hostName : configuration.dispatch.device
        var problems: [String] = []
        var limits = OutboxLimits()
        limits.maximumByteCount = configuration.dispatch.maximumByteCount
        if configuration.dispatch.maximumAge > .zero { limits.maximumAge = configuration.dispatch.maximumAge }
        let clock = DispatchClock(
            bootMilliseconds: { BootClock.milliseconds }, confirmedTime: { time.now }, certainTime: { time.certainNow })
        let outbox = try Outbox(path: path, limits: limits, clock: clock, marksPath: marksPath, logHasJournals: logHasJournals)
        // Before any of it can be sent.
        let erased = PendingErasures(knownLogs.folders(with: configuration.log.directory), logger: logger).stretches
        var unerased = knownLogs.unerased()
        for stretch in Set(erased + unerased.map(\.erased.stretch) + stretchesToErase()) {
            do throws(OutboxError) { _ = try await outbox.erase(from: stretch.lowerBound, to: stretch.upperBound) } catch {
                throw ErasureFailure(cause: error)
            }
        }
        if unerased.contains(where: \.isInOutbox), (try? await outbox.removeAside()) != nil {  // Else the next start tries again.
            for index in unerased.indices { unerased[index].isInOutbox = false }
        }
        let earlier = await earlierLogs(outbox, unerased)
        problems += earlier.problems
        let supply = SuccessiveLogs(try makeSupply(hiding: unerased.map(\.erased)), after: earlier.logs, given: given)
        let folders = [configuration.log.directory] + earlier.folders
        // What was erased meanwhile has been noted meanwhile.
        let later = knownLogs.unerased().filter { new in !unerased.contains { $0.erased.stretch == new.erased.stretch } }
        if !knownLogs.write(folders, unerased: unerased + later) {
            problems.append("\(stateFolder)/log-folders cannot be written: if [log] directory changes, what waits here is not sent")
        }
        let logged = LoggedEvents(of: supply, given: given)
        try await makeUp(for: unopenedRuns.read(), in: outbox, logged)
        // Events of earlier runs, before a new destination is attached, which begins after them; then those of this run.
        _ = try? await logged.offer(to: outbox, through: number)  // Offered again by the feeder, which says why not.
        let unopened = Monitor<[String: String]>([:])
        let dispatcher = Dispatcher(outbox: outbox, supply: supply, device: device, clock: clock) { [logger] notice in
            // Why a destination cannot be opened is reported when it fails to open.
            if case .failing(let name, let reason, _) = notice, unopened.withLock({ $0[name] == reason }) { return }
            logger.log(notice)
        }
        await dispatcher.keepForLater(earlier.absent)
        // A new outbox in place of a lost one does not know yet that nothing may be sent.
        await dispatcher.setSilent(isSilent || configuration.dispatch.isOptedOut)
        var box = DestinationBox(
            device: device, secrets: secrets, isHighAccuracy: configuration.followsEveryFix,
            desiredAccuracy: configuration.tracking.accuracy)
        box.fences = fences
        let moves = try await noteAddresses(dispatcher)
        var (configured, pending): ([ConfiguredDestination], [PendingDestination]) = ([], [])
        for destination in destinations {
            let opened = destination.makeDestination(on: box)
            configured.append(ConfiguredDestination(name: destination.name, destination: opened))
            if let reason = opened.reason { unopened.withLock { $0[destination.name] = reason } }
            let settings = destination.settings(device: device)
            do throws(OutboxError) {
                try await dispatcher.attach(opened, settings, after: number)
            } catch .locked(let path) {
                // All of it is tried again, because nothing attaches a single destination later.
                await dispatcher.stop()
                throw OutboxError.locked(path: path)
            } catch {
                let begin = if let number { number } else { await newestNumber }
                pending.append(PendingDestination(destination: opened, settings: settings, after: begin, reason: "\(error)"))
            }
        }
        do {
            if pending.isEmpty {
                try await dispatcher.finishAttaching(after: number)
            }
            let isOptedOut = configuration.dispatch.isOptedOut
            if try await dispatcher.outbox.isOptedOut() != isOptedOut { try await dispatcher.setOptedOut(isOptedOut) }
            await dispatcher.setSilent(isSilent)
        } catch OutboxError.locked(let path) {
            await dispatcher.stop()
            throw OutboxError.locked(path: path)
        } catch {
            problems.append("the outbox: \(error)")
        }
        return Opened(
            dispatcher: dispatcher, logged: logged, problems: problems, configured: configured, moves: moves, pending: pending,
            supply: supply, folders: folders, deleted: supply.deletedPositions)
    }

    /// Notes the addresses of the destinations; returns what waits for those that had another one, for people.
    private func noteAddresses(_ dispatcher: Dispatcher) async throws(OutboxError) -> [AddressReport.Move] {
        let known = KnownAddresses(folder: stateFolder)
        let earlier = known.read()
        let statuses = try await dispatcher.statuses()
        let names = Set(statuses.map(\.state.name))
        var addresses = earlier.filter { names.contains($0.key) }
        var moves: [AddressReport.Move] = []
        let (newestEvent, newestPosition) = (try await dispatcher.outbox.newestNumber(), await newestNumber ?? .max)
        for destination in destinations {
            let address = KnownAddresses.address(of: destination)
            addresses[destination.name] = address
            guard let old = earlier[destination.name], old != address,
                let status = statuses.first(where: { $0.state.name == destination.name })
            else { continue }
            let count = status.state.waitingEventCount + (status.waitingPositionCount ?? 0)
            if count == 0 { continue }
            let words = KnownAddresses.words(destination.name, count, to: address, from: old)
            moves.append(.init(destination: destination.name, words: words, events: newestEvent, positions: newestPosition))
        }
        if addresses != earlier { known.write(addresses) }
        return moves
    }

    var knownLogs: KnownLogs {
        KnownLogs(folder: stateFolder, log: configuration.log.isOff ? nil : LogFolder(path: configuration.log.directory))
    }

    /// Writes again what is kept in the state folder about the logs and the destinations' addresses: the folder was removed.
    func writeAnew(folders: [String]) {
        knownLogs.write(folders)
        let addresses = destinations.map { ($0.name, KnownAddresses.address(of: $0)) }
        KnownAddresses(folder: stateFolder).write(Dictionary(addresses) { first, _ in first })
    }

    /// Why a log cannot be read, for people.
    static func reason(_ error: any Error) -> String {
        if let error = error as? RecordingError { return DaemonFailure(error).lines.joined() }
        return "\(error)"
    }
}

/// A destination that could not be attached yet, because the log cannot be read or the outbox cannot be written; it is tried again.
struct PendingDestination: Sendable {
    let destination: any Destination
    let settings: DestinationSettings
    /// The number of the log's newest position when the tracker started; nil when the log could not say.
    let after: UInt64?
    /// The reason, for people.
    var reason: String

    /// The problem, in words for people.
    var problem: String { DispatchOpening.problem(of: settings.name, reason) }
}

extension OutboxRecovery {
    /// What happened, for people.
    var words: String {
        let what = wasRemoved ? "what was left of it" : "the damaged file"
        let aside = asidePath.map { "; \(what) is \(Syscalls.exists($0) ? $0 : "erased")" } ?? ""
        let event = counted(waitingCount, "event")
        let isOne = waitingCount == 1
        let rescued = "\(event) could be read and \(isOne ? "stays" : "stay") queued"
        let oldest = beginsAtOldest ? "; what was sent is unknown, so destinations start with the oldest record of the log" : ""
        // SQLite's message is for those who inspect the file.
        let how = wasRemoved || asidePath == nil ? "removed or emptied, and written anew" : "damaged, and made anew"
        return switch lostCount {
        case 0: "the outbox was \(how): nothing is lost, \(event) \(isOne ? "waits" : "wait")\(oldest)\(aside)"
        case let count?:
            "the outbox was \(how): \(rescued), \(isLostCountExact ? "" : "at most ")\(count) \(count == 1 ? "is" : "are") lost\(oldest)\(aside)"
        case nil: "the outbox was \(how): \(rescued); whether more are lost is not known\(oldest)\(aside)"
        }
    }
}

extension Logger {
    /// Reports the dispatcher's notices to people; never a place.
    fileprivate func log(_ notice: DispatchNotice) {
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
