import Foundation
import Testing
import Waypost
import WaypostPositioning

@testable import Doorbell

@Test func ringsWhenTheVanComes() async throws {
    let drive = try #require(Bundle.module.path(forResource: "delivery", ofType: "gpx"))
    let bell = Doorbell(door: try #require(Coordinate(latitudeDegrees: 53.8700, longitudeDegrees: 8.7000)))
    let manager = PositioningManager(source: ReplaySource(path: drive, format: .gpx, options: .init(speed: 0, rebasesTimes: false)))
    await manager.attach(bell)
    await manager.start()
    try await manager.waitUntilFinished()
    #expect(await bell.rangAt == UTCTime(rfc3339: "2026-03-01T08:00:26Z"))
}

@Test func doesNotRingInATunnel() async throws {
    let drive = try #require(Bundle.module.path(forResource: "delivery", ofType: "gpx"))
    let bell = Doorbell(door: try #require(Coordinate(latitudeDegrees: 53.8700, longitudeDegrees: 8.7000)))
    let source = ReplaySource(path: drive, format: .gpx, options: .init(speed: 0))
    source.control.isPositionLost = true
    let manager = PositioningManager(source: source)
    await manager.attach(bell)
    await manager.start()
    try await manager.waitUntilFinished()
    #expect(await bell.rangAt == nil)
}
