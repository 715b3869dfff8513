import Foundation
import Ride
import Testing
import WaypostKit

@Test func recordsARideWithoutWhatIsClose() async throws {
    let drive = try #require(Bundle.module.path(forResource: "delivery", ofType: "gpx"))
    let folder = NSTemporaryDirectory() + "ride-\(UInt32.random(in: 0...(.max)))"
    let source = ReplaySource(path: drive, format: .gpx, options: .init(speed: 0, rebasesTimes: false))
    let path = try #require(try await recordRide(source, to: folder))
    let places = try [drive, path].map { try String(contentsOfFile: $0, encoding: .utf8).components(separatedBy: "<trkpt ").count - 1 }
    #expect(places[1] > 5 && places[1] <= places[0])
}
