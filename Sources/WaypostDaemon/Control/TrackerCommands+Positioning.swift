import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

// What is asked about following the device.
extension TrackerCommands {
    /// The longest reason that is kept, in characters.
    private static let longestReason = 200

    func hold(_ reason: String, on connection: ControlConnectionID) async throws(ControlRefusal) -> [UInt8] {
        guard !reason.isEmpty, reason.count <= TrackerCommands.longestReason else {
            throw ControlRefusal(.badRequest, what: "hold", why: "its reason must have 1 to \(TrackerCommands.longestReason) characters")
        }
        holds.keep(await manager.hold(.everyFix, reason: reason), on: connection)
        return ControlProtocol.object("HELD") { json in json.member("reason", reason) }
    }

    func changePlayback(_ change: ControlRequest.PlaybackChange) async throws(ControlRefusal) -> [UInt8] {
        let controls = await manager.source.playbackControls
        guard !controls.isEmpty else {
            throw ControlRefusal(
                .notFound, what: "playback", why: "no recording and no simulated drive is played",
                next: "start the tracker with --source \(SourceRegistry.playedList)")
        }
        for control in controls {
            if let isStationary = change.isStationary { control.isStationary = isStationary }
            if let isPositionLost = change.isPositionLost { control.isPositionLost = isPositionLost }
            if change.resets { control.reset() }
        }
        return ControlProtocol.object("PLAYBACK") { json in
            json.member("playing", controls.count)
            json.member("stationary", controls.allSatisfy(\.isStationary))
            json.member("position_lost", controls.allSatisfy(\.isPositionLost))
        }
    }

    func capabilities() async -> [UInt8] {
        let capabilities = await manager.capabilities
        let receivers = SerialDeviceCatalogue().devices().filter { $0.knownReceiver != nil }
        return ControlProtocol.object("CAPABILITIES") { json in
            json.member("version", WaypostVersion.text)
            json.array("receivers") { json in
                for receiver in receivers {
                    json.object { json in
                        json.member("path", receiver.path)
                        json.member("receiver", receiver.knownReceiver)
                    }
                }
            }
            json.member("significant_changes", true)
            json.member("sleeps_between_samples", capabilities.canPause)
            json.member("switches_receiver_off", capabilities.canSwitchReceiverOff)
            json.member("pauses_at_rest", capabilities.pausesAtRest)
            json.member("map_matching", capabilities.matchesPositions)
            json.member("playback", capabilities.playbackCount > 0)
        }
    }
}
