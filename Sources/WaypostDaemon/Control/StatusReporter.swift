import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostGeofences
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Answers `status`: what the tracker does and whether all is well.
struct StatusReporter: Sendable {
    let manager: PositioningManager
    let source: PrivateSource
    let search: SearchReporter
    /// The log; nil while it is off.
    let recorder: TrackRecorder?
    let log: LogConsumer
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
    let startMilliseconds = MonotonicClock.milliseconds

    /// With less nothing more is written soon: what was reserved before is used up, bytes.
    private static let leastFreeByteCount: Int64 = 1 << 20

    /// Folders whose disk has no room left, for people.
    private var fullDisks: [String] {
        [recorder == nil ? nil : logFolder, stateFolder].compactMap { $0 }.compactMap { folder in
            guard let free = Syscalls.freeByteCount(at: folder), free < StatusReporter.leastFreeByteCount else { return nil }
            return "the disk of \(folder) is full: \(sizeText(bytes: free)) free"
        }
    }

    /// The STATUS line for somebody who may see so much.
    func line(access: PeerAccess) async -> [UInt8] {
        let position = await manager.rawPosition
        let members = await manager.sourceMembers
        // Of several sources what is said is that of the one in use now.
        let loss = await manager.lossReason.map { reason in members.first(where: \.isActive)?.loss ?? reason }
        let missing = await search.report
        await log.checkPlace()
        let logProblems = await recorder?.problems ?? RecorderProblems()
        let thinnedCount = await log.thinnedCount
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
            problems.append(missing.map { "no position: \($0.search.why)" } ?? "no position: \(loss?.words ?? "no fix yet")")
        }
        problems += logProblems.words
        if let problem = await events.problem { problems.append(problem) }
        let waitingEventCount = await events.waitingIDs.count
        if let problem = await log.standstill.words(now: MonotonicClock.milliseconds) { problems.append(problem) }
        problems += fullDisks
        if let problem = clock.problem { problems.append(problem) }
        let fenceCount = await fences.fenceCount
        let insideIDs = await fences.insideIDs(unlessWithheldBy: source)
        let fenceEvents = await fences.lastEvents
        let fenceProblems = await fences.problems
        problems += fenceProblems.prefix(5)
        // What is found in the state folder is among what is told of the outbox.
        problems += await state.problems
        let (destinations, dispatchProblems) = await dispatches.report
        problems += dispatchProblems
        let statistics = await recorder?.statistics ?? RecorderStatistics()
        let lastSwitch = await manager.lastSwitch
        let wholeSource = await manager.source.name
        let source = members.first(where: \.isActive)?.name ?? wholeSource
        let peer = await manager.peer
        let satellites = await manager.sky?.satellites
        return ControlProtocol.object("STATUS") { json in
            json.member("version", WaypostVersion.text)
            json.member("pid", Int(SystemProcess.processID))
            json.member("uptime", Int((MonotonicClock.milliseconds - startMilliseconds) / 1_000))
            json.member("health", problems.isEmpty ? "healthy" : "degraded")
            guard access == .full else { return }
            json.array("problems") { json in
                for problem in problems { json.element(problem) }
            }
            json.object("source") { json in
                json.member("url", source)
                json.member(
                    "state",
                    withholding != nil
                        ? "withheld" : position != nil ? "fix" : loss == .ended ? "finished" : loss != nil ? "lost" : "searching")
                if withholding == nil, let loss {
                    json.member("reason", loss.code)
                    json.member("detail", loss.words)
                }
                json.member("connected", peer)
                json.member("satellites_seen", satellites?.count)
                json.member("satellites_used", satellites?.count { $0.isUsed })
            }
            if !members.isEmpty {
                json.array("sources") { json in
                    for member in members { json.append(member) }
                }
            }
            if position == nil, withholding == nil, let missing { json.append(missing) }
            if let (change, at) = lastSwitch {
                json.object("last_switch") { json in
                    json.member("from", change.from)
                    json.member("to", change.to)
                    json.member("reason", change.reason.words)
                    json.member("seconds_ago", Int((MonotonicClock.milliseconds - at) / 1_000))
                }
            }
            json.object("following") { json in
                json.append(pace)
                json.array("for") { json in
                    for client in clients { json.append(client) }
                }
                json.member("stationary", isStationary)
                if withholding == nil { json.member("average_speed", averageSpeed) }
            }
            if fenceCount > 0 || !fenceEvents.isEmpty {
                json.object("fences") { json in
                    json.member("count", fenceCount)
                    if let insideIDs {
                        json.array("inside") { json in
                            for id in insideIDs { json.element(id) }
                        }
                    }
                    json.array("events") { json in
                        for event in fenceEvents { json.element(event) }
                    }
                }
            }
            if !destinations.isEmpty { json.append(destinations) }
            json.object("privacy") { json in
                json.member("private", isPrivate)
                json.member("withheld", withholding != nil)
                if withholding == .zone, tellsCoarsePlace { json.member("coarse", true) }
            }
            if let position, withholding == nil {
                json.object("position") { json in
                    json.member("class", "TPV")
                    TPVCodec.write(position, to: &json)
                }
            }
            if position == nil, withholding == nil { watches.appendLast(to: &json) }
            json.member("configuration", configurationFile)
            if !replacements.isEmpty {
                json.array("replaced") { json in for replacement in replacements { json.element(replacement) } }
            }
            json.object("display") { json in
                json.member("units", display.units.rawValue)
                json.member("time_zone", display.timeZone.isEmpty ? nil : display.timeZone)
            }
            json.object("log") { json in
                json.member("directory", logFolder)
                json.member("off", recorder == nil ? true : nil)
                json.appendLog(
                    statistics, logProblems, waitingEventCount: waitingEventCount,
                    uptimeMilliseconds: MonotonicClock.milliseconds - startMilliseconds)
                json.member("thinned", thinnedCount)
            }
        }
    }
}
