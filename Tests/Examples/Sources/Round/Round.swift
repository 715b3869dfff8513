import WaypostKit

/// The places of a delivery round, and when the van comes and goes there.
public struct Round: Sendable {
    private let places: FenceMonitor

    /// A round on the positions of a manager; the folder keeps the places, and where the van is, over restarts.
    public init(_ manager: PositioningManager, folder: String) async throws {
        places = try await FenceMonitor(manager, state: folder)
    }

    /// Adds a yard, a park around a pond, and a road.
    public func add(yard: Coordinate, park: [Coordinate], pond: [Coordinate], road: [Coordinate]) async throws {
        try await places.add(
            Geofence(id: "yard", name: "Yard", shape: try .circle(centre: yard, radiusMetres: 120), dwellSeconds: 300),
            Geofence(id: "park", name: "Park", shape: try .polygon([park, pond]), notifications: [.enter, .exit]),
            Geofence(id: "road", name: "Road", shape: try .corridor(road, widthMetres: 30)))
    }

    /// Adds the fences of a file in any of the formats; returns what is wrong with the file.
    public func addPlaces(of bytes: [UInt8]) async throws -> [String] {
        let file = try FenceFormat.read(bytes)
        try await places.add(file.fences)
        return file.remarks.map { "\($0)" }
    }

    /// Tells what happens, until the source ends or the round is closed.
    public func run(_ tell: (String) -> Void) async {
        for await event in places.events {
            switch GeofenceEvent.Kind(rawValue: event.kind) {
            case .enter: tell("came to \(event.name)")
            case .exit: tell("left \(event.name)")
            case .dwell: tell("stays at \(event.name)")
            case .pass: tell("drove through \(event.name)")
            default: break
            }
        }
    }

    /// Takes a place off the round.
    public func remove(id: String) async throws { try await places.remove(id: id) }

    /// Ends the round, and leaves its folder to the next one.
    public func close() async { await places.close() }
}
