import FleetAgent
import Foundation
import Testing
import WaypostKit
import WaypostTestKit

/// The agent on a recorded delivery, at a real web server.
@Suite(.timeLimit(.minutes(3))) struct FleetAgentTests {
    private let folder = NSTemporaryDirectory() + "fleet-agent-\(UInt32.random(in: 0...(.max)))"
    private let drive: String
    private let depot: Geofence

    init() throws {
        drive = try #require(Bundle.module.path(forResource: "delivery", ofType: "gpx"))
        let place = try #require(Coordinate(latitudeDegrees: 53.8700, longitudeDegrees: 8.7000))
        depot = Geofence(id: "depot", name: "Depot", shape: try .circle(centre: place, radiusMetres: 50))
    }

    private func agent(_ server: FlakyServer) async throws -> FleetAgent {
        let source = ReplaySource(path: drive, format: .gpx, options: .init(speed: 0, rebasesTimes: false))
        let destination = try HTTPDestination(HTTPDestination.Settings(url: server.url))
        return try await FleetAgent("van-7", source: source, depot: depot, folder: folder, servers: ["fleet": destination])
    }

    @Test func reportsItsWayItsDepotAndItsDeliveries() async throws {
        let server = try await FlakyServer()
        let agent = try await agent(server)
        try await agent.run()
        try await agent.deliver("A 17")
        #expect(try await agent.finish().word == .good)
        let received = try server.received()
        let positionCount = try String(contentsOfFile: drive, encoding: .utf8).components(separatedBy: "<trkpt ").count - 1
        #expect(received.count { $0["class"]?.string == "TPV" } == positionCount)
        #expect(received.compactMap { $0["event"]?.string }.first == "enter")
        #expect(received.first { $0["class"]?.string == "TRACK" }?["values"]?["parcel"]?.string == "A 17")
        #expect(Set(received.compactMap { $0["id"]?.string }).count == received.count, "nothing comes twice")
    }

    @Test func losesNothingWhileItsServerIsAway() async throws {
        let server = try await FlakyServer("status 503")
        let first = try await agent(server)
        try await first.run()
        try await first.deliver("A 17")
        #expect(try await first.finish(within: .seconds(1)).word == .error)
        #expect(try server.received().isEmpty)
        try server.setMode("ok")
        let second = try await agent(server)
        #expect(try await second.finish().word == .good)
        let received = try server.received()
        #expect(received.contains { $0["event"]?.string == "enter" })
        #expect(received.contains { $0["class"]?.string == "TRACK" })
        #expect(received.contains { $0["class"]?.string == "TPV" })
    }
}
