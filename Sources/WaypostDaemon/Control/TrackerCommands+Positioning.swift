import Logging
import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

// What is asked about following the device.

extension HoldRequest: TrackerVerb {
    /// The longest reason that is kept, in characters.
    private static let longestReason = 200

    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        guard !reason.isEmpty, reason.count <= HoldRequest.longestReason else {
            throw ControlRefusal(.badRequest, what: "hold", why: "its reason must have 1 to \(HoldRequest.longestReason) characters")
        }
        tracker.holds.keep(await tracker.manager.hold(.everyFix, reason: reason), on: caller.connection)
        return Answer(reason: reason)
    }
}

extension PlaybackRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let controls = await tracker.manager.source.playbackControls
        guard !controls.isEmpty else {
            throw ControlRefusal(
                .notFound, what: "playback", why: "no recording and no simulated drive is played",
                next: "start the tracker with --source \(SourceRegistry.playedList)")
        }
        for control in controls {
            if let isStationary { control.isStationary = isStationary }
            if let isPositionLost { control.isPositionLost = isPositionLost }
            if resets { control.reset() }
        }
        var answer = Answer()
        answer.count = controls.count
        answer.isStationary = controls.allSatisfy(\.isStationary)
        answer.isPositionLost = controls.allSatisfy(\.isPositionLost)
        return answer
    }
}

extension MatchingRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        guard tracker.roads != nil else {
            throw ControlRefusal(
                .notFound, what: "matching", why: "no road file is configured", next: "name one as [matching] roads in the configuration")
        }
        if let mode, await tracker.manager.mapMatchMode != mode {
            await tracker.manager.setMapMatchMode(mode)
            tracker.logger.notice("positions are put on roads for \(mode.rawValue) (user \(caller.peer.userID))")
        }
        return Answer(mode: await tracker.manager.mapMatchMode ?? .car, isMatching: await tracker.manager.matchesPositions)
    }
}

extension CapabilitiesRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let capabilities = await tracker.manager.capabilities
        var answer = Answer()
        answer.version = capabilities.version
        answer.authorisation = caller.access.authorisation
        // Nobody else need know what is plugged in here.
        guard caller.access.level == .full else { return answer }
        answer.receivers = capabilities.receivers.map { CapabilitiesRequest.Receiver(path: $0.path, name: $0.name) }
        answer.hasSignificantChanges = capabilities.hasSignificantChanges
        answer.sleepsBetweenSamples = capabilities.canPause
        answer.switchesReceiverOff = capabilities.canSwitchReceiverOff
        answer.pausesAtRest = capabilities.pausesAtRest
        answer.matchesPositions = capabilities.matchesPositions
        if let problem = await tracker.roads?.problem, !problem.goesOn { answer.matchesPositions = false }
        answer.mode = await tracker.manager.mapMatchMode
        answer.isPlayback = capabilities.isPlayback
        return answer
    }
}
