import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostGeofences
import WaypostKit
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Does what is asked of the running tracker on the control socket.
struct TrackerCommands: Sendable {
    let manager: PositioningManager
    let holds: HoldRegistry
    let fenceParts: FenceParts
    let fences: FenceWatcher
    let source: PrivateSource
    /// What puts positions on roads; nil when no road file is configured.
    let roads: RoadMatcher?
    let follower: PositionFollower
    let watches: WatchBroadcaster
    let privacy: PrivacyStore
    /// What keeps the tracks; nil when the log is off and there are none.
    let recorder: TrackRecorder?
    let dispatches: DispatchService
    let clock: ConfirmedClock
    let logged: LogReporter
    let logFolder: LogFolder
    let logTypes: [LogType]
    /// The configuration file of this run.
    let configurationFile: String
    let page: PageService
    /// Who may know the position.
    let access: AccessKeeper
    /// Who wants to be woken.
    let wakes: WakeKeeper
    /// Which connections are open.
    let connections: OpenConnections
    /// The doors that are configured.
    let doors: [AccessPolicy.Door]
    let logger: Logger
}

extension PrivateModeRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        if let isOn { try await tracker.setPrivate(isOn, for: caller.peer) }
        return Answer(isOn: await tracker.source.isPrivate)
    }
}

extension TrackerCommands {
    /// On is first told and then kept, off the other way round: a failure between leaves it on.
    fileprivate func setPrivate(_ isOn: Bool, for peer: PeerCredentials) async throws(ControlRefusal) {
        if isOn {
            watches.reduced.setPrivate(true)
            await wakes.noteChange(isDecided: false)
            await source.setPrivate(true)
            await dispatches.setSilent(true)
        }
        do throws(SystemError) {
            try privacy.setPrivate(isOn)
        } catch {
            let now = isOn ? "is on, but only until the tracker ends" : "stays on"
            throw ControlRefusal(
                .cannotStore, what: "private mode", why: "\(now): \(error.description)", next: ControlRefusal.remedy(of: error))
        }
        if !isOn {
            watches.reduced.setPrivate(false)
            await source.setPrivate(false)
            await dispatches.setSilent(false)
            await wakes.noteChange(isDecided: false)
        }
        logger.notice("private mode is \(isOn ? "on" : "off") (user \(peer.userID))")
    }
}
