import Foundation
import Testing
import Waypost

@testable import WaypostCLI

/// What the doctor says of road files.
@Suite struct RoadsCheckTests {
    private static let path = "/var/lib/waypost/home.roads"

    private func system(_ content: [UInt8]?, _ settings: String = "[matching]\nroads = \"\(path)\"\n") throws -> FakeSystem {
        let system = try FakeSystem()
        try system.write("[[source]]\nurl = \"gpsd://\"\n" + settings, to: "/etc/waypost/waypost.toml")
        if let content {
            try system.write("", to: RoadsCheckTests.path)
            try Data(content).write(to: URL(filePath: system.path + RoadsCheckTests.path))
        }
        return system
    }

    private func roads() throws -> [UInt8] {
        var builder = RoadFileBuilder()
        builder.add(try #require(OSMTags(["highway": "primary"]).way(number: 7)), nodes: [1, 2])
        for (number, longitude) in [(1, 8.69), (2, 8.71)] {
            builder.add(node: Int64(number), at: try #require(Coordinate(latitudeDegrees: 49.4, longitudeDegrees: longitude)))
        }
        return try #require(builder.finish()).file
    }

    @Test func findsNothingWrongWithARoadFile() throws {
        #expect(try system(try roads()).findings().map(\.finding.what) == [])
    }

    @Test func saysWhyARoadFileCannotBeUsed() throws {
        var (old, flipped) = (try roads(), try roads())
        old[8] += 1
        flipped[360] ^= 1
        let whys: [([UInt8]?, String)] = [
            (nil, "there is no such file"), (Array("<osm/>".utf8), "is not a road file"), (old, "of the road file, and "),
            (Array(try roads().dropLast(20)), "is incomplete"), (flipped, "is damaged"), ([], "is not a road file"),
        ]
        for (content, why) in whys {
            let findings = try system(content).findings().map(\.finding)
            #expect(findings.count == 1 && findings.allSatisfy { $0.what.hasPrefix("[matching] roads: \(RoadsCheckTests.path)") }, "\(why)")
            #expect(findings.allSatisfy { $0.what.contains(why) }, "\(findings.map(\.what))")
        }
    }

    @Test func saysThatNoRoadFileIsNamed() throws {
        for (settings, key) in [("[matching]\nenabled = true\n", "[matching] enabled"), ("[log]\ntypes = [\"matched\"]\n", "[log] types")] {
            let findings = try system(nil, settings).findings()
            #expect(findings.map(\.check) == ["roads"])
            #expect(findings.first?.finding.what.hasPrefix("\(key) is set, and [matching] roads names no road file") == true)
        }
    }

    @Test func saysThatTheDeviceIsOutsideOfTheArea() throws {
        let system = try system(try roads())
        try system.writeStatus(
            #""state":"fix","satellites_seen":14,"satellites_used":9"#, more: #","roads":{"matching":true,"covered":false}"#)
        let findings = system.findings()
        #expect(findings.map(\.check) == ["roads"])
        #expect(findings.first?.finding.what.contains("the device is outside of the area") == true)
    }
}
