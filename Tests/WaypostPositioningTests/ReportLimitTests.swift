import Testing
import Waypost
import WaypostTestKit

@testable import WaypostPositioning

@Suite struct ReportLimitTests {
    @Test func letsFiftyPositionsASecondPassInTheLongRun() {
        var limit = ReportLimit()
        // A thousand a second, for ten seconds.
        let passed = (0..<10_000).compactMap { limit.limited(.position(fix(Double($0) / 1_000)), at: Int64($0)) }
        #expect((4_090...4_105).contains(passed.count), "\(passed.count)")
    }

    @Test func cutsLongWords() {
        var limit = ReportLimit()
        let words = String(repeating: "a", count: 10_000)
        let long = limit.limited(.status(.warning(words)), at: 0)
        #expect(long == .status(.warning(String(repeating: "a", count: 300) + "...")))
        let short = limit.limited(.lost(.deviceGone("short")), at: 0)
        #expect(short == .lost(.deviceGone("short")))
    }
}

/// What every live source promises, on one that floods.
@Suite struct FloodedSourceTests {
    @Test func leavesOutWhatATCPServerFloods() async throws {
        let server = try await NMEAServer()
        try await running(NMEATCPSource(host: "127.0.0.1", port: UInt16(server.port))) { log in
            #expect(await log.waits { _ in server.clientCount == 1 })
            let receiver = SimulatedReceiver(periodMilliseconds: 100)
            for index in 0..<8_000 { await server.send(receiver.epoch(index).text) }
            #expect(await log.waits { $0.warnings.contains { $0.contains("left out") } })
            #expect(log.positions.count < 6_000, "\(log.positions.count)")
            #expect(log.warnings.count <= 2)
        }
        await server.stop()
    }

    /// What a receiver has sent during a minute's interruption comes in one piece, and is whole.
    @Test func keepsWhatAnInterruptionHeldUp() async throws {
        let server = try await NMEAServer()
        try await running(NMEATCPSource(host: "127.0.0.1", port: UInt16(server.port))) { log in
            #expect(await log.waits { _ in server.clientCount == 1 })
            let receiver = SimulatedReceiver(periodMilliseconds: 100)
            await server.send((0..<600).map { receiver.epoch($0).text }.joined())
            await server.send(receiver.epoch(600).text)
            #expect(await log.waits { $0.positions.count >= 600 }, "\(log.positions.count)")
            #expect(log.warnings.isEmpty)
        }
        await server.stop()
    }

    @Test func listensToNoEndlessWarnings() {
        var teller = LossReporter()
        let told = (0..<10_000).reduce(0) { $0 + teller.warn("gpsd: complaint \($1)").count }
        #expect(told <= 50)
    }
}
