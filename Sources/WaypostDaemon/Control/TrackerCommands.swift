import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostGeofences
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
    let follower: PositionFollower
    let watches: WatchBroadcaster
    let privacy: PrivacyStore
    /// What keeps the tracks; nil when the log is off and there are none.
    let recorder: TrackRecorder?
    let dispatches: DispatchService
    let clock: ConfirmedClock
    let log: LogConsumer
    let logFolder: LogFolder
    let logTypes: [LogType]
    let logger: Logger

    /// Does it and gives the line that answers.
    func perform(
        _ request: ControlRequest, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> [UInt8] {
        switch request {
        case .hold(let reason): return try await hold(reason, on: connection)
        case .playback(let change): return try await changePlayback(change)
        case .capabilities: return await capabilities()
        case .listFences(let start, let withShapes): return await listFences(from: start, withShapes: withShapes)
        case .activeFences: return await listActiveFences()
        case .addFences(let collection, let more): return try await addFences(collection, more: more, for: peer, on: connection)
        case .removeFence(let id): return try await removeFence(id, for: peer)
        case .privateMode(let on):
            if let on { try await setPrivate(on, for: peer) }
            let isPrivate = await source.isPrivate
            return ControlProtocol.object("PRIVATE") { json in json.member("on", isPrivate) }
        case .rotateLog: return try await rotateLog()
        case .acknowledge(let cursor, let puller): return try acknowledge(cursor, puller)
        case .eraseLog(let from, let to): return try await eraseLog(from: from, to: to, for: peer)
        case .track(let name, let values): return try await track(name, values)
        case .ledger(let question): return try await ledger(question)
        case .dispatch(let command): return try await dispatch(command, for: peer)
        case .waiting(let question): return try await waiting(question, for: peer)
        case .status, .watch: preconditionFailure("the server answers these itself")
        }
    }

    /// On is first told and then kept, off the other way round: a failure between leaves it on.
    private func setPrivate(_ isOn: Bool, for peer: PeerCredentials) async throws(ControlRefusal) {
        if isOn {
            await source.setPrivate(true)
            await dispatches.setSilent(true)
        }
        do throws(SystemError) {
            try privacy.setPrivate(isOn)
        } catch {
            let now = isOn ? "is on, but only until the tracker ends" : "stays on"
            throw ControlRefusal(
                .cannotStore, what: "private mode", why: "\(now): \(error.description)", next: "make room, or let the tracker write there")
        }
        if !isOn {
            await source.setPrivate(false)
            await dispatches.setSilent(false)
        }
        logger.notice("private mode is \(isOn ? "on" : "off") (user \(peer.userID))")
    }

    private func rotateLog() async throws(ControlRefusal) -> [UInt8] {
        guard let recorder else { throw ControlRefusal(logIsOffFor: "log rotate") }
        do throws(RecordingError) {
            let track = try await recorder.rotate()
            return ControlProtocol.object("ROTATED") { json in
                json.member("track", track?.trackPath)
                json.member("positions", track?.positionCount ?? 0)
            }
        } catch {
            throw ControlRefusal(error)
        }
    }

    private func acknowledge(_ cursor: UInt64, _ name: String) throws(ControlRefusal) -> [UInt8] {
        do throws(RecordingError) {
            let puller = try Pullers(folder: logFolder).acknowledge(cursor, puller: name)
            return ControlProtocol.object("ACKNOWLEDGED") { json in
                json.member("puller", puller.name)
                json.member("cursor", Int(clamping: puller.cursor))
            }
        } catch {
            throw ControlRefusal(error)
        }
    }

    private func eraseLog(from: UTCTime, to: UTCTime, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8] {
        let answer: [UInt8]
        do throws(RecordingError) {
            let erasure = try await recorder?.erase(from: from, to: to)
            try await forgetPosition(from..<to)
            logger.notice("erased \(counted(erasure?.positionCount ?? 0, "position")) from the log (user \(peer.userID))")
            answer = ControlProtocol.object("ERASED") { json in
                json.member("positions", erasure?.positionCount ?? 0)
                json.member("tracks", erasure?.trackCount ?? 0)
            }
        } catch {
            throw ControlRefusal(error)
        }
        await fences.forget(from: from, to: to)
        try await eraseOutbox(from: from, to: to)
        logFolder.settleErased([from..<to], logger: logger)
        return answer
    }

    private func eraseOutbox(from: UTCTime, to: UTCTime) async throws(ControlRefusal) {
        await dispatches.forget(from: from, to: to)
        guard let dispatcher = dispatches.dispatcher else {
            if !dispatches.isShut { return }
            let problems = dispatches.problems.joined(separator: "; ")
            throw ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not what waits to be sent: \(problems)",
                next: "erase it again once that is fixed")
        }
        do throws(OutboxError) {
            try await dispatcher.erase(from: from, to: to)
        } catch {
            throw ControlRefusal(
                .inputOutput, what: "log", why: "is erased, but not what waits to be sent: \(error)",
                next: "erase it again once that is fixed")
        }
    }

    /// Forgets the last position wherever it is known, when it is of that stretch.
    private func forgetPosition(_ stretch: Range<UTCTime>) async throws(RecordingError) {
        await manager.forget(stretch)
        watches.forget(stretch)
        do throws(SystemError) { try await follower.forget(stretch) } catch {
            throw .cannotErase(path: follower.path, cause: error)
        }
    }
}
