import Logging
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostDispatch
import WaypostGeofences
import WaypostKit
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Connects the parts: the sources, the log and the control socket, from the start to the end.
struct Tracker {
    let configuration: Configuration
    /// The keys of an earlier configuration file that a later one replaces, one per line.
    let replacements: [String]
    /// The state folder, as named.
    let stateFolder: String
    let stays: Bool
    /// Who may know the position.
    let policy: PolicyFile
    let secrets: SecretFiles
    /// What the advice about receivers depends on.
    let surroundings: PositionSearch.Surroundings
    /// The service manager, if it started the tracker.
    let notifier: ServiceNotifier?
    let logger: Logger

    /// Runs until the source ends or a stop is requested; leaves every track finished, and why it has failed, for the doctor.
    func run(until stop: StopRequest) async throws(DaemonFailure) {
        let state = try StateFolder(taking: stateFolder)
        let failure = LastFailure(stateFolder: stateFolder)
        let forgetting = Task {
            guard (try? await Task.sleep(for: Tracker.trialTime)) != nil else { return }  // Cancelled: the tracker ends.
            do throws(SystemError) { try failure.forget() } catch { logger.warning("\(error.description)") }
        }
        defer { forgetting.cancel() }
        do throws(DaemonFailure) { try await track(in: state, until: stop) } catch {
            if !error.lines.isEmpty {
                do throws(SystemError) { try failure.note(error.lines) } catch { logger.warning("\(error.description)") }
            }
            throw error
        }
    }

    /// A tracker that has run for this long holds: why an earlier one ended is of no interest any more.
    private static let trialTime = Duration.seconds(30)

    private func track(in state: StateFolder, until stop: StopRequest) async throws(DaemonFailure) {
        let directory = configuration.log.directory
        let logFolder = LogFolder(path: directory)
        let known = KnownLogs(folder: kept, log: logFolder)
        let (others, former) = known.others(than: directory)
        let archivist = try makeRecorder(others, former: former)
        // When the log is off, nothing is recorded, but old tracks are still maintained.
        let recorder = configuration.log.isOff ? nil : archivist
        let upkeep = LogUpkeep(recorder: archivist, logger: logger)
        await upkeep.recoverTracks(how: "recovered")

        let privacy = PrivacyStore(folder: kept)
        // Every part that shows a position gets it from the manager, and the manager gets it from here.
        let gate = try makeGate(privacy)
        let source = PrivateSource(configuration.positionSource(stateFolder: kept), gate: gate)
        let privacySecret = privacy.secretText
        let lastPosition = LastPosition(folder: kept)
        let erasures = PendingErasures(known.folders(with: directory), logger: logger)
        let erased = erasures.stretches
        let last = lastPosition.load(through: gate, erased: erased, logger: logger)
        let stored = last.flatMap { configuration.mayShow($0) ? $0 : nil }
        let manager = PositioningManager(source: source, settings: positioningSettings(stored: stored))
        let roads = makeRoadMatcher()
        if let roads {
            await manager.matchPositions(with: PrivateMatcher(roads, behind: source), onlyOnNeed: !matchesAlways)
            if matchesAlways { await roads.look() }
        }
        let clock = ConfirmedClock(folder: kept, logger: logger)
        let dispatches = await DispatchService.open(
            configuration, stateFolder: kept, secrets: secrets, time: clock, isSilent: privacy.isPrivate,
            given: await archivist?.newestNumber ?? TrackRecorder.lastNumber(in: kept + "/log-numbers", and: others), recorder: archivist,
            logger: logger)
        let logReporter = LogReporter(upkeep: upkeep, clock: clock, logger: logger) {
            dispatches.noteWaiting()
        } noteDeleting: {
            await dispatches.noteDeleting($0)
        }
        let log = LogKeeper(
            recorder: recorder, thinning: configuration.log.thinning, keepsEverything: configuration.log.types.contains(.source),
            expectsMatches: matchesAlways, observer: logReporter)
        let follower = PositionFollower(
            configuration.selection, log: log, hold: await manager.hold(nil, reason: "tracker"), store: lastPosition,
            stored: stored, logger: logger)
        let access = AccessKeeper(policy, stateFolder: kept, logger: logger)
        let reduced = ReducedPositions(
            folder: kept, erased: erased, isPrivate: privacy.isPrivate, logger: logger)
        let doors = AccessPolicy.Door.all(of: configuration)
        let watches = WatchBroadcaster(stored: stored, access: access, reduced: reduced)
        let wakes = WakeKeeper(
            folder: kept, access: access, reduced: reduced, hold: await manager.hold(nil, reason: "programs to wake"),
            erased: erased, logger: logger)
        let page = PageService(
            configuration.map, stateFolder: kept, controlSocket: configuration.control.socket, secrets: secrets, logger: logger)
        let events = EventLog(recorder, logger: logger)
        let fences = FenceWatcher(
            keeper: try makeKeeper(), recorder: recorder, events: events, watches: watches, page: page.live,
            dispatches: dispatches, wakes: wakes, hold: await manager.hold(nil, reason: "fences"), logger: logger)
        let stateWatch = StateWatch(
            folder: state, dispatches: dispatches, interval: configuration.log.syncInterval, logger: logger,
            keepPrivate: { privacy.keepPrivate() }
        ) {
            await fences.keeper.writeAnew()
            await recorder?.writeNumbersAnew()
            dispatches.writeAnew()
            reduced.writeAnew()
            await wakes.writeAnew()
            do throws(SystemError) { try access.writeAnew() } catch { logger.error("the grants are not kept over a restart: \(error)") }
            do throws(SystemError) {
                try privacy.writeAnew(isPrivate: await source.isPrivate, secretText: privacySecret)
            } catch {
                logger.error("what is private is not kept over a restart: \(error)")
            }
        }
        let sharing = await ShareService.make(configuration, access: access, reduced: reduced, logger: logger) {
            await manager.hold(nil, reason: $0)
        }
        let search = SearchReporter(source: source.name, surroundings: surroundings, logger: logger)
        let reporter = StatusReporter(
            manager: manager, source: source, roads: roads, search: search, recorder: recorder, log: log, logged: logReporter,
            events: events,
            fences: fences.keeper,
            dispatches: dispatches, state: stateWatch, clock: clock, logFolder: configuration.log.directory, stateFolder: kept,
            configurationFile: surroundings.configurationFile, replacements: replacements, display: configuration.display,
            tellsCoarsePlace: configuration.privacy.inside == .coarse, watches: watches, sharing: sharing, page: page,
            accessKeeper: access, wakes: wakes, doors: doors)
        let commands = TrackerCommands(
            manager: manager, holds: HoldRegistry(), fenceParts: FenceParts(), fences: fences, source: source, roads: roads,
            follower: follower,
            watches: watches, privacy: privacy, recorder: archivist, dispatches: dispatches, clock: clock, logged: logReporter,
            logFolder: logFolder, logTypes: configuration.log.types, configurationFile: surroundings.configurationFile, page: page,
            access: access, wakes: wakes, connections: OpenConnections(), doors: doors, logger: logger)
        let server = try await listen(ControlRouter(reporter: reporter, commands: commands, watches: watches), access)
        await wakes.open(server)
        access.open(server) { isDecided in await wakes.noteChange(isDecided: isDecided) }
        watches.open(server, hold: await manager.hold(nil, reason: "watch"))
        await manager.attach(SourceReporter(logger: logger))
        await manager.attach(search)
        await manager.attach(follower)
        await manager.attach(watches)
        await manager.attach(wakes)
        if configuration.map.isOn { await manager.attach(page.live) }
        await manager.attach(fences)
        await manager.attach(stateWatch)
        if let sharing {
            await manager.attach(sharing)
            await sharing.start()
        }
        if let path = configuration.time.chronySocket { await manager.attach(ChronyFeeder(path: path, logger: logger)) }
        await fences.start(log: logFolder, former: former, erased: erased)
        let isForgotten = await wakes.isSaved && !reduced.isIn(erased)
        if isForgotten { await dispatches.settle(erasures, in: logFolder, fences.keeper, lastPosition) }
        let download = try makeDownload().map { download in Task { await download.run { await fences.process($0) } } }

        let place = configuration.log.isOff ? LogSwitch.isOff : configuration.log.directory
        logger.info("source \(source.name), log \(place), socket \(server.path)\(sending)")
        for words in testDrives + [foreignLog].compactMap(\.self) { logger.warning("\(words)") }
        let logType = configuration.log.types.first
        await page.start(reporter) { () throws(SystemError) in
            try logType.map { type throws(SystemError) in try PageLog(folder: logFolder, type: type) }
        }
        if privacy.isPrivate { logger.notice("private mode is on: nothing is logged, sent or shared until waypost private off") }
        let service = notifier.map { ServiceReporter($0, logger: logger) }
        await manager.start(needing: nil)
        await service?.tellReady()
        let watchdog = Task {
            await watch(
                manager: manager, recorder: recorder, fences: fences.keeper, dispatches: dispatches, server: server, sharing: sharing,
                page: page)
        }
        let health = HealthReporter(configuration, dispatches: dispatches, fences: fences.keeper, clock: clock)
        let reporting = Task { await health.run() }
        let releasing = Task { await releasePages() }
        let watching = Task { await stateWatch.run() }
        let failure = await end(of: manager, or: stop) { await upkeep.finishTrack() }
        await service?.tellStopping()
        await sharing?.stop()
        await follower.stop()
        let loggedThrough = await fences.end()
        await upkeep.finishTrack()
        // Once more, for tracks that a full disk or a vanished folder kept from being finished, at the start or now.
        let isAllFinished = await upkeep.recoverTracks()
        let budget = configuration.dispatch.stopBudget
        // What it needs of the disk may take a while; a disk that hangs holds up no end.
        let sending = AbandonableCall { [logger] in await dispatches.stop(budget: budget, loggedThrough: loggedThrough, logger: logger) }
        _ = await sending.value(within: budget + .seconds(10), grace: .zero)
        let unkeptCount = await fences.unkeptCount
        if unkeptCount > 0 {
            let verb = unkeptCount == 1 ? "is" : "are"
            let why = "neither the log, the outbox nor the state of fences can be written"
            logger.error("\(counted(unkeptCount, "fence event")) \(verb) lost: \(why)")
        }
        await upkeep.close()
        watchdog.cancel()
        reporting.cancel()
        releasing.cancel()
        watching.cancel()
        download?.cancel()
        await page.stop()
        await wakes.end()
        await server.stop()
        access.end()
        withExtendedLifetime(state) {}
        if let failure { throw failure }
        if !isAllFinished || unkeptCount > 0 { throw DaemonFailure(told: .inputOutput) }
    }

    /// Gives back the memory of what only the start, or a rare request, has used: opening five map pages takes 5 MB for a moment.
    private func releasePages() async {
        var pause = Duration.seconds(30)
        while (try? await Task.sleep(for: pause, tolerance: pause / 4)) != nil {  // Cancelled: the tracker ends.
            ProgramPages.release()
            pause = .seconds(60)
        }
    }

    /// Where positions go, in the line about the start.
    private var sending: String {
        if configuration.dispatch.isOptedOut { return ", sending nothing ([dispatch] opt_out is on)" }
        return receivers.isEmpty ? "" : ", sending to \(receivers.joined(separator: ", "))"
    }

    /// The names of the destinations that get anything.
    private var receivers: [String] {
        configuration.dispatch.isOptedOut ? [] : configuration.destinations.filter(\.isInUse).map(\.name)
    }

    /// That a drive which is played at a desk is sent as any other, and how it is not.
    private var testDrives: [String] {
        configuration.sources.compactMap { TestDrive.words(source: "\($0.url)", destinations: receivers) }.map {
            $0 + "; to keep it here, stop, and start with --state and --log of its own and a --config without destinations"
        }
    }

    /// That root's tracker writes where another user's belongs: that user could neither read the log nor go on with it.
    private var foreignLog: String? {
        let folder = configuration.log.directory
        guard !configuration.log.isOff, ProcessIdentity.isRoot, let owner = FileIdentity.owner(of: folder), owner != 0 else { return nil }
        let name = SystemAccounts.name(ofUser: owner)
        return
            "runs as root, but \(folder) belongs to \(name), who cannot read what is logged there now: run it as \(name), or chown root \(shellWord(folder))"
    }

    // MARK: - Parts

    /// The folder of what it keeps.
    private var kept: String { DefaultPaths.kept(inState: stateFolder) }

    private func positioningSettings(stored: Position?) -> PositioningManager.Settings {
        var settings = PositioningManager.Settings()
        settings.storedPosition = stored
        if configuration.tracking.restInterval > .zero { settings.restInterval = configuration.tracking.restInterval }
        if !configuration.power.hook.isEmpty { settings.power = PowerHook(command: configuration.power.hook, logger: logger) }
        return settings
    }

    /// The log; when it is off, only the upkeep of old tracks, if there are any.
    private func makeRecorder(_ others: [LogFolder], former: LogFolder?) throws(DaemonFailure) -> TrackRecorder? {
        let folder = configuration.log.directory
        if configuration.log.isOff, !LogFolder(path: folder).hasJournals { return nil }
        var settings = TrackRecorder.Configuration()
        settings.syncInterval = configuration.log.syncInterval
        settings.types = configuration.log.types
        settings.rotateByteCount = configuration.log.rotateByteCount
        settings.retention = RetentionRule(configuration.log)
        settings.creator = "waypost \(WaypostVersion.text)"
        settings.numbersPath = kept + "/log-numbers"
        settings.wasElsewhere = former != nil
        settings.others = others
        do {
            let recorder = try TrackRecorder(folder: folder, configuration: settings)
            for file in recorder.oddFiles { logger.error("\(file.words)") }
            if recorder.isOlderCopy {
                let what = "is an older copy of the log, or another log: what was logged since is not in it; the numbers go on after it"
                logger.warning("\(folder): \(what)")
            }
            if Syscalls.letsOthersIn(folder) {
                logger.warning("\(folder): other users may enter it, and see when positions are written: chmod o-rwx \(shellWord(folder))")
            }
            return recorder
        } catch {
            guard configuration.log.isOff else { throw DaemonFailure(error) }
            logger.warning("old tracks are neither finished nor deleted: \(DaemonFailure(error).lines.joined())")
            return nil
        }
    }

    private func makeKeeper() throws(DaemonFailure) -> GeofenceKeeper {
        var settings = GeofenceKeeper.Settings(path: configuration.geofences.file, stateFolder: kept)
        if fencesAreDownloaded {
            settings.path = FenceDownload.path(in: kept)
            settings.isAwaited = true
        }
        settings.rule = configuration.geofences.rule
        if configuration.geofences.maxActive > 0 { settings.maxActive = configuration.geofences.maxActive }
        do { return try GeofenceKeeper(settings) } catch {
            throw DaemonFailure(.failed, "no thread for the fences: \(error.reason)")
        }
    }

    /// The file takes precedence over the server.
    private var fencesAreDownloaded: Bool { configuration.geofences.file == nil && !configuration.geofences.url.isEmpty }

    private func makeDownload() throws(DaemonFailure) -> FenceDownload? {
        guard fencesAreDownloaded else { return nil }
        var settings = FenceDownload.Settings(url: configuration.geofences.url, folder: kept)
        settings.refresh = configuration.geofences.refresh
        do { return try FenceDownload(settings) } catch { throw DaemonFailure(.failed, "the fences' download: \(error.description)") }
    }

    private func makeGate(_ privacy: PrivacyStore) throws(DaemonFailure) -> PrivacyGate {
        // Only zones need the secret.
        guard !configuration.privacy.zones.isEmpty else { return PrivacyGate(isPrivate: privacy.isPrivate) }
        return PrivacyGate(
            zones: configuration.privacy.zones, inside: configuration.privacy.inside, key: try privacy.secret(),
            isPrivate: privacy.isPrivate)
    }

    private func listen(_ handler: ControlRouter, _ access: AccessKeeper) async throws(DaemonFailure) -> ControlServer {
        do throws(ControlError) {
            return try await ControlServer.start(
                path: configuration.control.socket, programVersion: WaypostVersion.text, isService: surroundings.isService,
                policy: access, handler: handler)
        } catch {
            throw DaemonFailure(error)
        }
    }

    // MARK: - Beginning and end

    /// Reports to the service manager that every stage answers, for as long as the task runs.
    private func watch(
        manager: PositioningManager, recorder: TrackRecorder?, fences: GeofenceKeeper, dispatches: DispatchService, server: ControlServer,
        sharing: ShareService?, page: PageService
    ) async {
        guard let notifier else { return }
        let stages: [ServiceWatchdog.Stage] = [
            .init(name: "positioning") { await manager.answer() },
            .init(name: "log") { _ = await recorder?.statistics },
            .init(name: "fences") { _ = await fences.fenceCount },
            .init(name: "outbox") { await dispatches.answer() },
            .init(name: "control socket") { await server.answer() },
            .init(name: "sharing") { await sharing?.answer() },
            .init(name: "map page") { await page.answer() },
        ]
        await ServiceWatchdog(notifier, stages: stages, logger: logger).run()
    }

    /// Waits for the source's end or a request to stop, whichever comes first; a tracker that stays does not end with its source.
    ///
    /// The source has stopped when this returns; `atSourceEnd` is what a tracker that stays does at once. The result is the reason why
    /// the source could not run.
    private func end(of manager: PositioningManager, or stop: StopRequest, atSourceEnd: () async -> Void) async -> DaemonFailure? {
        let stopper = Task {
            await stop.wait()
            await manager.stop(ignoringHolds: true)
        }
        do throws(PositionSourceError) {
            try await manager.waitUntilFinished()
        } catch {
            stopper.cancel()
            return DaemonFailure(error)
        }
        if stays { await atSourceEnd() } else { stopper.cancel() }
        await stopper.value
        return nil
    }
}
