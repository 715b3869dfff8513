import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The TCP source on a real server.
@Suite struct NMEATCPSourceTests {
    private let receiver = SimulatedReceiver(periodMilliseconds: 200)

    @Test func givesWhatTheServerSends() async throws {
        try await serving { server, source, log in
            for index in 0..<5 {
                await server.send(receiver.epoch(index).text)
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(await log.waits { $0.positions.count == 5 })
            #expect(log.positions.map(\.coordinate) == (0..<5).map { receiver.epoch($0).coordinate })
            #expect(log.positions.compactMap(\.time) == (0..<5).map { receiver.epoch($0).time })
            #expect(log.positions.allSatisfy { $0.source == source.name })
            #expect(log.events.contains { $0 == .status(.connected("127.0.0.1:\(server.port)")) })
            #expect(log.losses.isEmpty)
        }
    }

    /// A tracker that shares its positions must not take them for a receiver's.
    @Test func doesNotReadWhatItSharesItself() async throws {
        // A privileged port, which no other test has.
        let port: UInt16 = 1_011
        OwnPorts.set(port, isOwn: true)
        defer { OwnPorts.set(port, isOwn: false) }
        try await running(NMEATCPSource(host: "127.0.0.1", port: port)) { log in
            #expect(await log.waits { $0.losses.contains { "\($0)".contains("the tracker itself listens there") } })
        }
    }

    @Test func joinsWhatArrivesInPieces() async throws {
        try await serving { server, _, log in
            for byte in Array(receiver.epoch(0).text.utf8) {
                await server.send([byte])
                await Task.yield()
            }
            #expect(await log.waits { $0.positions.count == 1 })
            #expect(log.positions.first?.coordinate == receiver.epoch(0).coordinate)
        }
    }

    @Test func connectsAgainAfterACloseWithinALineAndJoinsNothingOverIt() async throws {
        try await serving { server, _, log in
            await server.send(receiver.epoch(0).text)
            #expect(await log.waits { $0.positions.count == 1 })
            // The beginning of a sentence, and on the next connection the end of another one.
            await server.send(String(receiver.epoch(1).text.prefix(40)))
            await server.hangUp()
            #expect(await log.waits { $0.losses.count == 1 })
            let lost = MonotonicClock.milliseconds
            #expect(await log.waits { _ in server.clientCount == 1 })
            await server.send(String(receiver.epoch(2).text.dropFirst(40)))
            await server.send(receiver.epoch(3).text)
            #expect(await log.waits { $0.positions.contains { $0.time == receiver.epoch(3).time } })
            print("positions again \(MonotonicClock.milliseconds - lost) ms after the connection was closed")
            let sent = (0..<4).map { receiver.epoch($0).coordinate }
            #expect(log.positions.allSatisfy { sent.contains($0.coordinate) })
            #expect(log.losses.count == 1)
        }
    }

    @Test func aServerThatIsNotThereIsLostOnceAndFoundWhenItComes() async throws {
        try await serving { server, source, log in
            await server.send(receiver.epoch(0).text)
            #expect(await log.waits { $0.positions.count == 1 })
            await server.stop()
            try await Task.sleep(for: .seconds(5))
            #expect(log.losses == [.disconnected("\(source.name): the connection has ended")])
            #expect(log.laterReasons == [.disconnected("\(source.name): Connection refused")])
            try await server.start()
            let started = MonotonicClock.milliseconds
            #expect(await log.waits(.seconds(5)) { _ in server.clientCount == 1 })
            await server.send(receiver.epoch(30).text)
            #expect(await log.waits(.seconds(1)) { $0.positions.count == 2 })
            #expect(MonotonicClock.milliseconds - started < 5_000)
            #expect(log.losses.count == 1)
        }
    }

    @Test func aServerThatFallsSilentIsLostOnceAndConnectedAnew() async throws {
        try await serving { server, _, log in
            let start = MonotonicClock.milliseconds
            await server.send(receiver.epoch(0).text)
            #expect(await log.waits { $0.positions.count == 1 })
            #expect(await log.waits(.seconds(7)) { $0.losses == [.silent] })
            #expect(MonotonicClock.milliseconds - start >= 5_000)
            #expect(await log.waits(.seconds(2)) { _ in server.acceptedCount == 2 })
            // Nothing comes on the second one, either: that is no second loss.
            try await Task.sleep(for: .seconds(6))
            #expect(log.losses == [.silent])
        }
    }

    @Test func aSentenceThatArrivesByteByByteIsRead() async throws {
        try await serving { server, _, log in
            let bytes = Array(try #require(receiver.epoch(0).sentences.last).utf8)
            #expect(bytes.count >= 60)
            for byte in bytes {
                await server.send([byte])
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(await log.waits { $0.positions.count == 1 })
            // The loss is told meanwhile.
            #expect(log.losses == [.silent] && server.acceptedCount == 1)
        }
    }

    @Test func aHundredMegabytesOfNoiseLeaveTheMemoryFlatAndTheReceiverHeard() async throws {
        try await serving { server, _, log in
            #expect(await log.waits { _ in server.clientCount == 1 })
            var generator = SeededGenerator(seed: 7)
            let noise = (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var first = 0
            for turn in 0..<10 {
                for _ in 0..<10 { await server.send(noise) }
                // Without a sentence for five seconds the connection would be given up.
                await server.send("\r\n" + receiver.epoch(turn).text)
                if turn == 0 { first = anonymousKilobytes }
            }
            #expect(await log.waits { $0.positions.count == 10 })
            let grown = anonymousKilobytes - first
            print("100 MB of noise: \(grown) kB more")
            #expect(grown < 8_000)
            #expect(log.positions.map(\.coordinate) == (0..<10).map { receiver.epoch($0).coordinate })
        }
    }

    @Test func cancellingEndsAnAttemptToConnect() async throws {
        // 203.0.113.0/24 is for documentation: nobody answers, or the network says at once that there is no way.
        let took = try await running(NMEATCPSource(host: "203.0.113.1", port: 10_110)) { _ in
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(took < 1_000)
    }

    @Test func keepsTheContract() async throws {
        let server = try await NMEAServer()
        let player = Task {
            for index in 0... {
                await server.send(receiver.epoch(index).text)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { player.cancel() }
        let violations = await PositionSourceContract().violations { NMEATCPSource(host: "127.0.0.1", port: UInt16(server.port)) }
        #expect(violations.isEmpty, "\(violations)")
        await server.stop()
    }

    private func serving(_ body: (NMEAServer, NMEATCPSource, EventLog) async throws -> Void) async throws {
        let server = try await NMEAServer()
        let source = NMEATCPSource(host: "127.0.0.1", port: UInt16(server.port))
        try await running(source) { log in
            #expect(await log.waits { _ in server.clientCount == 1 })
            try await body(server, source, log)
        }
        await server.stop()
    }
}
