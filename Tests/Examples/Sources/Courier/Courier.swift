import WaypostKit

/// What a courier's screen does with the tracker of the van.
struct Courier {
    let tracker = Tracker()

    /// Shows the van, and says what is wrong while it cannot.
    func showTheVan() async throws {
        for try await update in tracker.updates() {
            switch update {
            case .connected(let status): print("the tracker runs:", status.health)
            case .position(let watched): print(watched.position.coordinate)
            case .lost(let loss): print("no position:", loss.detail)
            case .disconnected(let error): print(error)
            default: break
            }
        }
    }

    /// Rings at the customers' doors.
    func ring(at door: Coordinate) async throws {
        let fence = Geofence(id: "door", name: "Door", shape: try .circle(centre: door, radiusMetres: 50))
        try await tracker.add([fence])
        for try await event in tracker.events where event.kind == "enter" && event.fenceID == "door" {
            print("ding dong")
        }
    }

    /// Reports a parcel as delivered, and returns whether the servers know by now.
    func deliver(parcel: String) async throws -> Bool {
        try await tracker.track("delivered", ["parcel": .string(parcel)])
        return try await tracker.dispatchNow(within: .seconds(30)).completion == .good
    }

    /// Takes photos with their place, for which the receiver must not sleep.
    func takePhotos(_ take: (Position?) async -> Void) async throws {
        let hold = try await tracker.hold(reason: "photos of the damage")
        defer { hold.release() }
        await take(try await tracker.status().position)
    }
}
