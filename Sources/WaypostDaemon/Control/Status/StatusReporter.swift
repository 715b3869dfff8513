import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostGeofences
import WaypostKit
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Answers `status`: what the tracker does and whether all is well.
struct StatusReporter: Sendable {
    let manager: PositioningManager
    let source: PrivateSource
    /// What puts positions on roads; nil when no road file is configured.
    let roads: RoadMatcher?
    let search: SearchReporter
    /// The log; nil while it is off.
    let recorder: TrackRecorder?
    let log: LogKeeper
    let logged: LogReporter
    let events: EventLog
    let fences: GeofenceKeeper
    let dispatches: DispatchService
    let state: StateWatch
    let clock: ConfirmedClock
    let logFolder: String
    let stateFolder: String
    /// The file that configures this tracker, whether it is there or not.
    let configurationFile: String
    /// What a file of the configuration replaces of an earlier one, a line each.
    let replacements: [String]
    let display: Configuration.Display
    /// Whether one coarse place is told inside a privacy zone.
    let tellsCoarsePlace: Bool
    let watches: WatchBroadcaster
    /// The doors on which other programs get positions; nil when there are none.
    let sharing: ShareService?
    let page: PageService
    /// Who may know the position.
    let accessKeeper: AccessKeeper
    /// Who wants to be woken.
    let wakes: WakeKeeper
    /// The doors that are configured.
    let doors: [AccessPolicy.Door]
    let startMilliseconds = MonotonicClock.milliseconds
    private let coarseHealth = CoarseHealth()

    /// With less nothing more is written soon: what was reserved before is used up, bytes.
    private static let leastFreeByteCount: Int64 = 1 << 20

    /// Folders whose disk has no room left, for people.
    private var fullDisks: [String] {
        [recorder == nil ? nil : logFolder, stateFolder].compactMap { $0 }.compactMap { folder in
            guard let free = Syscalls.freeByteCount(at: folder), free < StatusReporter.leastFreeByteCount else { return nil }
            return "the disk of \(folder) is full: \(sizeText(bytes: free)) free"
        }
    }

    /// The answer for somebody who may see so much.
    func report(access: PeerAccess) async -> StatusReport {
        let position = await manager.rawPosition
        let members = await manager.sourceMembers
        // Of several sources what is said is that of the one in use now.
        let loss = await manager.lossReason.map { reason in members.first(where: \.isActive)?.loss ?? reason }
        let missing = await search.report
        await log.checkPlace()
        let logProblems = await recorder?.problems ?? RecorderProblems()
        let logged = logged.summary
        var problems: [String] = []
        let pace = await manager.pace
        let clients = await manager.clients
        let isStationary = await manager.isStationary
        let averageSpeed = await manager.averageSpeedMetresPerSecond
        let withholding = await source.withholding
        let isPrivate = await source.isPrivate
        if withholding != nil {
            // Somebody wants it so.
        } else if position == nil, loss != nil || pace.isFollowing {
            problems.append(missing.map { "no position: \($0.search.why)" } ?? "no position: \(loss.map { "\($0)" } ?? "no fix yet")")
        }
        problems += logProblems.words
        if let problem = await events.problem { problems.append(problem) }
        let waitingEventCount = await events.waitingIDs.count
        if let problem = logged.standstill.words(now: MonotonicClock.milliseconds) { problems.append(problem) }
        if let problem = await roads?.problem { problems.append("[matching] roads: \(problem.words)") }
        problems += fullDisks
        if let problem = clock.problem { problems.append(problem) }
        let fenceCount = await fences.fenceCount
        let insideIDs = await fences.insideIDs(unlessWithheldBy: source)
        let (lastEvents, newEventCount) = await fences.lastAndNewEvents
        var fenceEvents = lastEvents
        if isPrivate { for index in fenceEvents.indices { fenceEvents[index].position = nil } }
        let fenceProblems = await fences.problems
        problems += fenceProblems.prefix(5)
        // What is found in the state folder is among what is told of the outbox.
        problems += await state.problems
        let (destinations, dispatchProblems) = await dispatches.report
        problems += dispatchProblems
        let shared = await sharing?.report ?? []
        problems += shared.compactMap(\.problemWords)
        if let problem = page.problem { problems.append(problem) }
        problems += accessKeeper.problems(ofDoors: self.doors)
        problems += await wakes.problems
        let statistics = await recorder?.statistics ?? RecorderStatistics()
        let lastSwitch = await manager.lastSwitch
        let wholeSource = await manager.source.name
        let peer = await manager.peer
        let satellites = await manager.sky?.satellites
        let uptimeMilliseconds = MonotonicClock.milliseconds - startMilliseconds
        var report = StatusReport()
        report.version = WaypostVersion.text
        report.processID = Int(SystemProcess.processID)
        report.uptimeSeconds = Int(uptimeMilliseconds / 1_000)
        let health = problems.isEmpty ? StatusReport.Health.healthy : .degraded
        if access.level == .reduced { report.position = watches.reduced.told?.position }
        report.health = access.level == .full ? health : coarseHealth.health(whenItIs: health)
        guard access.level == .full else { return report }
        report.problems = problems
        var current = StatusReport.Source()
        current.url = members.first(where: \.isActive)?.name ?? wholeSource
        current.state =
            withholding != nil ? .withheld : position != nil ? .fix : loss == .ended ? .finished : loss != nil ? .lost : .searching
        if withholding == nil, let loss { (current.reason, current.detail) = (loss.code, "\(loss)") }
        current.connected = peer
        current.satellitesSeen = satellites?.count
        current.satellitesUsed = satellites?.count { $0.isUsed }
        report.source = current
        report.sources = members.map(StatusReport.Member.init)
        if position == nil, withholding == nil { report.search = missing.map(StatusReport.Search.init) }
        report.lastSwitch = lastSwitch.map { StatusReport.Switch($0.change, at: $0.at) }
        var following = StatusReport.Following(pace, for: clients, isStationary: isStationary)
        if withholding == nil { following.averageSpeedMetresPerSecond = averageSpeed }
        report.following = following
        if fenceCount > 0 || !fenceEvents.isEmpty {
            var fences = StatusReport.Fences()
            (fences.count, fences.inside, fences.events) = (fenceCount, insideIDs, fenceEvents)
            fences.newCount = newEventCount
            report.fences = fences
        }
        report.destinations = destinations.map(DestinationReport.init)
        report.share = shared.map(StatusReport.ShareDoor.init)
        var privacy = StatusReport.Privacy()
        (privacy.isPrivate, privacy.isWithheld) = (isPrivate, withholding != nil)
        privacy.isCoarse = withholding == .zone && tellsCoarsePlace
        report.privacy = privacy
        report.roads = await roadReport(position, isWithheld: withholding != nil)
        if withholding == nil {
            report.position = position
            if position == nil, let last = watches.last {
                (report.lastPosition, report.lastPositionAgeSeconds) = (last.position, last.ageSeconds)
            }
        }
        report.configurationFile = configurationFile
        report.replacements = replacements
        report.notes = accessKeeper.notes
        var shown = StatusReport.Display()
        (shown.units, shown.timeZone) = (display.units, display.timeZone.isEmpty ? nil : display.timeZone)
        report.display = shown
        var kept = StatusReport.Log(logFolder, statistics, logProblems, waitingEventCount: waitingEventCount)
        kept.isOff = recorder == nil
        kept.writes = StatusReport.Writes(statistics, uptimeMilliseconds: uptimeMilliseconds)
        kept.thinnedCount = logged.thinnedCount
        report.log = kept
        report.page = page.report
        report.page?.level = accessKeeper.level(of: .page)
        report.page?.guestLevel = accessKeeper.level(of: .guest)
        report.openQuestionCount = accessKeeper.read { $0.openQuestionCount(at: AccessKeeper.now) }
        return report
    }
}

extension StatusReport.Switch {
    fileprivate init(_ change: SourceSwitch, at milliseconds: Int64) {
        self.init()
        (from, to) = (change.from, change.to)
        reason = "\(change.reason)"
        secondsAgo = Int((MonotonicClock.milliseconds - milliseconds) / 1_000)
    }
}
