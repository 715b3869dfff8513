import WaypostKit

/// Measures how long a van stays at a customer's door.
public struct StayMeter: Sendable {
    private let fences: FenceMonitor

    /// A meter on any source; the folder keeps whether the van is at the door.
    public init(_ source: some PositionSource, door: Geofence, folder: String) async throws {
        fences = try await FenceMonitor(PositioningManager(source: source), state: folder)
        try await fences.add(door)
    }

    /// Measures until the source ends; returns each stay.
    public func run() async -> [Duration] {
        var stays: [Duration] = []
        var start: UTCTime?
        for await event in fences.events {
            guard let time = event.payload?.crossedAt ?? event.time else { continue }
            if event.kind == "enter" { start = time }
            if event.kind == "exit", let came = start.take() {
                stays.append(.milliseconds(time.millisecondsSince1970 - came.millisecondsSince1970))
            }
        }
        await fences.close()
        return stays
    }
}
