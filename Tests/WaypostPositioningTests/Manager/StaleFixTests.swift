import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The promise: without a valid fix for 5 seconds (or three periods) the position is lost, whatever else arrives.
@Suite struct StaleFixTests {
    private static let noise: [(name: String, events: [PositionSourceEvent], reason: LossReason)] = [
        ("no fix, no time", [.noFix(NoFix(time: nil, source: "script"))], .noFix),
        ("no fix, one time", [.noFix(NoFix(time: fix(1).time, source: "script"))], .noFix),
        ("sky", [.sky(SkyView(time: nil, satellites: [], quality: PositionQuality()))], .noFix),
        ("the same fix", [.position(fix(1))], .noFix),
        ("status", [.status(.warning("odd")), .status(.connected("peer"))], .silent),
    ]

    @Test(arguments: noise.indices) func losesAFixWhateverElseArrives(index: Int) async {
        let (name, events, reason) = StaleFixTests.noise[index]
        let manager = PositioningManager(source: ChatteringSource(fixes: [fix(0), fix(1)], events: events))
        await manager.start()
        let hold = await manager.hold(.everyFix, reason: "test")
        #expect(await eventually(within: 3) { await manager.rawPosition == fix(1) })
        let start = MonotonicClock.milliseconds
        #expect(await eventually(within: 12) { await manager.rawPosition == nil }, "\(name)")
        #expect((4_500...8_500).contains(MonotonicClock.milliseconds - start), "\(name)")
        #expect(await manager.lossReason == reason, "\(name)")
        hold.release()
        await manager.stop()
    }

    /// The same fix after the loss is the one that was lost, not the end of the loss.
    @Test func staysLostWhenTheLostFixIsRepeated() async {
        let source = ScriptedSource([.position(fix(0)), .position(fix(1)), .lost(.silent), .position(fix(1))], stays: true)
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 3))
        await manager.answer()
        #expect(await log.updates == [.position(fix(0)), .position(fix(1)), .lost(.silent)])
        #expect(await manager.rawPosition == nil)
        await manager.stop()
    }

    /// Fixes come as before, only their date is another one.
    @Test func doesNotTakeAStepOfTheReceiversDateForALoss() async {
        let manager = PositioningManager(
            source: PacedSource(fixes: [fix(0), fix(0.1), fix(0.2), fix(7_200.3), fix(7_200.4)], pauseMilliseconds: 100))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 6))
        let updates = await log.updates
        #expect(
            updates == [
                .position(fix(0)), .position(fix(0.1)), .position(fix(0.2)), .status(.warning("the receiver's time jumps ahead by 2 h")),
                .position(fix(7_200.3)), .position(fix(7_200.4)),
            ], "\(updates)")
        await manager.stop()
    }

    /// With needs of a few seconds the receiver is on all the time, too.
    @Test func losesAFixBetweenSamplesThatFollowEachOther() async {
        let noise: [PositionSourceEvent] = [.noFix(NoFix(time: nil, source: "script"))]
        let manager = PositioningManager(source: ChatteringSource(fixes: [fix(0), fix(1)], events: noise))
        let hold = await manager.hold(.within(.seconds(2)), reason: "a border near by")
        await manager.start(needing: nil)
        #expect(await eventually(within: 3) { await manager.rawPosition == fix(1) })
        #expect(await eventually(within: 12) { await manager.rawPosition == nil })
        hold.release()
        await manager.stop()
    }

    @Test func losesAFixOfAServerThatSaysItHasNone() async throws {
        let server = try await NMEAServer()
        let manager = PositioningManager(source: NMEATCPSource(host: "127.0.0.1", port: UInt16(server.port)))
        await manager.start()
        #expect(await eventually(within: 5) { server.clientCount == 1 })
        let receiver = SimulatedReceiver(periodMilliseconds: 1_000)
        for index in 0..<3 { await server.send(receiver.epoch(index).text) }
        #expect(await eventually(within: 5) { await manager.rawPosition != nil })
        let chatter = Task {
            while !Task.isCancelled {
                await server.send("$GPRMC,,V,,,,,,,,,,N*53\r\n$GPGSV,1,1,00*79\r\n")
                try? await Task.sleep(for: .milliseconds(500))  // Cancelled: the loop ends.
            }
        }
        #expect(await eventually(within: 12) { await manager.rawPosition == nil })
        #expect(await manager.lossReason == .noFix)
        chatter.cancel()
        await manager.stop()
        await server.stop()
    }

    @Test(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed")) func losesAFixOfAGPSDThatHasNone() async throws {
        let server = try await GPSDServer()
        defer { server.stop() }
        let manager = PositioningManager(source: GPSDSource(host: "127.0.0.1", port: server.port))
        await manager.start()
        #expect(await eventually(within: 10) { await manager.peer != nil })
        try await server.play(SimulatedReceiver(periodMilliseconds: 200), epochs: 0..<20)
        #expect(await eventually(within: 10) { await manager.rawPosition != nil })
        let chatter = Task {
            while !Task.isCancelled {
                try? server.write("$GPRMC,,V,,,,,,,,,,N*53\r\n")  // A line that has gone ends the test elsewhere.
                try? await Task.sleep(for: .milliseconds(500))  // Cancelled: the loop ends.
            }
        }
        #expect(await eventually(within: 12) { await manager.rawPosition == nil })
        chatter.cancel()
        await manager.stop()
    }

    @Test func doesNotTakeASlowConsumerForASilentSource() async {
        let manager = PositioningManager(source: ScriptedSource([.position(fix(0)), .position(fix(1)), .position(fix(2))], stays: true))
        let log = UpdateLog()
        await manager.attach(Sluggard(seconds: 7))
        await manager.attach(log)
        await manager.start()
        #expect(await log.waits(for: 3, seconds: 25))
        #expect(await log.updates == [.position(fix(0)), .position(fix(1)), .position(fix(2))])
        await manager.stop()
    }
}

/// Gives fixes, and then everything but a new fix for as long as it runs.
private struct ChatteringSource: PositionSource {
    let name = "script"
    let fixes: [Position]
    let events: [PositionSourceEvent]

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        for fix in fixes { await output(.position(fix)) }
        while !Task.isCancelled {
            for event in events { await output(event) }
            try? await Task.sleep(for: .milliseconds(100))  // Cancelled: the loop ends.
        }
    }
}

/// Gives fixes at their pace, and then stays.
struct PacedSource: PositionSource {
    let name = "script"
    let fixes: [Position]
    let pauseMilliseconds: Int

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        for fix in fixes {
            await output(.position(fix))
            try? await Task.sleep(for: .milliseconds(pauseMilliseconds))  // Cancelled: the loop below ends.
        }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }  // Cancelled: the loop ends.
    }
}

/// Takes so long over every fix.
private struct Sluggard: PositioningConsumer {
    let seconds: Int

    func consume(_ update: PositioningUpdate) async {
        if case .position = update { try? await Task.sleep(for: .seconds(seconds)) }  // Cancelled: no longer slow.
    }
}
