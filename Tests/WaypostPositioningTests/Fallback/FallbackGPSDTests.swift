import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The fallback with its real times on real daemons: gpsd with its own receiver first, another receiver behind it.
@Suite(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed")) struct FallbackGPSDTests {
    @Test func leavesAStoppedGPSDWithinSixSecondsAndReturnsAfterTenSecondsOfHealth() async throws {
        let (first, second) = (try await GPSDServer(), try PseudoTerminal())
        defer { first.stop() }
        let sources: [any PositionSource] = [
            GPSDSource(host: "127.0.0.1", port: first.port), SerialSource(.path(second.path), gpsdPorts: [first.port]),
        ]
        try await running(FallbackSource(sources)) { log in
            let drive = Drive(lines: [first.line, { try? second.write($0) }])
            defer { drive.stop() }
            #expect(await log.waits { $0.positions.count >= 10 })
            #expect(log.positions.allSatisfy { $0.source == sources[0].name })

            let stopped = MonotonicClock.milliseconds
            first.kill()
            #expect(await log.waits(.seconds(6)) { $0.positions.last?.source == sources[1].name })
            print("positions of the second source \(MonotonicClock.milliseconds - stopped) ms after gpsd was stopped")

            try await Task.sleep(for: .seconds(3))
            try await first.start()
            let restarted = MonotonicClock.milliseconds
            #expect(await log.waits(.seconds(25)) { $0.positions.last?.source == sources[0].name })
            let returned = MonotonicClock.milliseconds - restarted
            print("positions of gpsd again \(returned) ms after it answered again")
            #expect(returned >= 10_000)
            #expect(log.switches.map(\.to) == [sources[1].name, sources[0].name])
            log.expectSeparateSources()
            // Nobody needs the second one any more, and its port is free.
            #expect(await log.waits { $0.members.last?.map(\.state) == [.fix, .standby] })
        }
    }

    /// Eight seconds each; `WAYPOST_COLD_START_SECONDS` asks for more.
    @Test func staysInATunnelAndDuringAColdStart() async throws {
        let seconds = ProcessInfo.processInfo.environment["WAYPOST_COLD_START_SECONDS"].flatMap { Int($0) } ?? 8
        let (first, second) = (try await GPSDServer(), try await GPSDServer())
        defer { [first, second].forEach { $0.stop() } }
        let sources = [first, second].map { GPSDSource(host: "127.0.0.1", port: $0.port) }
        var times = FallbackRule.Times()
        times.firstFix = Int64(seconds + 3) * 1_000
        try await running(FallbackSource(sources, times: times)) { log in
            let drive = Drive(lines: [first.line, second.line])
            defer { drive.stop() }
            // A cold start: the second one has a fix, which does not matter before the time is over.
            drive.withoutFix = [0]
            try await Task.sleep(for: .seconds(seconds))
            drive.withoutFix = []
            #expect(await log.waits { $0.positions.count >= 5 })
            // A tunnel: no receiver has a fix.
            drive.withoutFix = [0, 1]
            try await Task.sleep(for: .seconds(seconds + 1))
            let count = log.positions.count
            drive.withoutFix = []
            #expect(await log.waits { $0.positions.count >= count + 5 })
            #expect(log.positions.allSatisfy { $0.source == sources[0].name })
            #expect(log.switches.isEmpty)
            print("kept through \(seconds) s of cold start and \(seconds + 1) s of tunnel, \(log.switches.count) switches")
        }
    }

    @Test func leavesACoveredAntennaForOneThatSeesTheSky() async throws {
        let (first, second) = (try await GPSDServer(), try await NMEAServer())
        defer { first.stop() }
        let sources: [any PositionSource] = [
            GPSDSource(host: "127.0.0.1", port: first.port), NMEATCPSource(host: "127.0.0.1", port: UInt16(second.port)),
        ]
        try await running(FallbackSource(sources)) { log in
            let drive = Drive(lines: [first.line, { await second.send($0) }])
            defer { drive.stop() }
            #expect(await log.waits { $0.positions.count >= 5 })
            drive.withoutFix = [0]
            let covered = MonotonicClock.milliseconds
            #expect(await log.waits(.seconds(10)) { $0.positions.last?.source == sources[1].name })
            print("positions of the second source \(MonotonicClock.milliseconds - covered) ms after the first one's last fix")
            #expect(log.switches == [SourceSwitch(from: sources[0].name, to: sources[1].name, reason: .noFix)])
            log.expectSeparateSources()
        }
        await second.stop()
    }
}

extension EventLog {
    /// No two sources within a second, and times that only go on.
    func expectSeparateSources() {
        let times = positions.compactMap(\.time)
        #expect(times.count == positions.count)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        for (before, after) in zip(positions, positions.dropFirst()) where before.source != after.source {
            let step = (after.time?.millisecondsSince1970 ?? 0) - (before.time?.millisecondsSince1970 ?? 0)
            #expect(step >= 1_000)
        }
    }
}
