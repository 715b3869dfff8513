import Waypost
import WaypostPositioning

/// Plays events and then ends, or stays until it is cancelled.
struct ScriptedSource: PositionSource {
    let name = "script"
    let events: [PositionSourceEvent]
    let stays: Bool

    init(_ events: [PositionSourceEvent], stays: Bool = false) {
        self.events = events
        self.stays = stays
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        for event in events { await output(event) }
        while stays, !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }  // Cancelled: the loop ends.
    }
}

/// Keeps every update.
actor UpdateLog: PositioningConsumer {
    private(set) var updates: [PositioningUpdate] = []

    func consume(_ update: PositioningUpdate) { updates.append(update) }

    func waits(for count: Int, seconds: Double = 5) async -> Bool {
        for _ in 0..<Int(seconds * 100) {
            if updates.count >= count { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// A fix of so many seconds after a moment, as far north as that is late.
func fix(_ seconds: Double) -> Position {
    guard let coordinate = Coordinate(latitudeDegrees: 47 + seconds / 1_000, longitudeDegrees: 8) else {
        fatalError("a place on Earth")
    }
    return Position(time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1_000)), coordinate: coordinate)
}

/// Whether the condition comes true within so many seconds.
func eventually(within seconds: Int, _ isTrue: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if await isTrue() { return true }
        try? await Task.sleep(for: .milliseconds(10))  // Nobody cancels a test.
    }
    return await isTrue()
}
