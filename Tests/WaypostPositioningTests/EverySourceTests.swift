import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

/// The contract suite on the sources that need no partner; those that do (gpsd, TCP, UDP, serial) have it in their own tests, and so do those
/// that are made of others.
@Suite struct EverySourceTests {
    /// All at once: a built-in drive gives one position a second.
    @Test func keepsTheContract() async throws {
        let receiver = SimulatedReceiver()
        let nmea = try TemporaryFile((0..<100).map { receiver.epoch($0).text }.joined())
        let json = try TemporaryFile((0..<100).map { EverySourceTests.line(receiver.epoch($0)) }.joined())
        let route = try TemporaryFile(
            "<gpx version=\"1.1\"><rte><rtept lat=\"47\" lon=\"8\"/><rtept lat=\"47.01\" lon=\"8\"/></rte></gpx>")
        let print = { (path: String) in "while read -r line; do echo \"$line\"; sleep 0.02; done < '\(path)'; sleep 60" }
        let (nmeaPath, jsonPath, routePath) = (nmea.path, json.path, route.path)
        let (printsNMEA, printsJSON) = (print(nmeaPath), print(jsonPath))
        var sources: [String: @Sendable () -> any PositionSource] = [
            "nmea file": { NMEAFileSource(path: nmeaPath, speed: 20) },
            "nmea file at full speed": { NMEAFileSource(path: nmeaPath, speed: 0) },
            "route file": { SimulatedRouteSource(path: routePath) },
            "exec of NMEA": { ExecSource(command: printsNMEA) },
            "exec of JSON": { ExecSource(command: printsJSON) },
        ]
        for style in ReplaySchedule.Style.allCases {
            sources["nmea replay, \(style)"] = {
                ReplaySource(path: nmeaPath, format: .nmea, options: .init(style: style, speed: 20, rebasesTimes: false))
            }
        }
        for route in BuiltInRoute.allCases where route != .none { sources["sim:\(route)"] = { SimulatedRouteSource(route) } }
        await withTaskGroup(of: (String, [Violation]).self) { group in
            for (name, makeSource) in sources {
                group.addTask { (name, await PositionSourceContract().violations(of: makeSource)) }
            }
            group.addTask {
                ("sim:none", await PositionSourceContract(acceptsNoFix: true).violations { SimulatedRouteSource(.none) })
            }
            for await (name, violations) in group { #expect(violations.isEmpty, "\(name): \(violations)") }
        }
    }

    private static func line(_ epoch: SimulatedReceiver.Epoch) -> String {
        var text = TextBuffer()
        TPVCodec.append(Position(time: epoch.time, coordinate: epoch.coordinate), to: &text)
        return text.string + "\n"
    }
}
