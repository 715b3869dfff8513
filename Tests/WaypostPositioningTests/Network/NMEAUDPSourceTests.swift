import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The UDP source on a real socket.
@Suite struct NMEAUDPSourceTests {
    private let receiver = SimulatedReceiver(periodMilliseconds: 200)

    @Test func givesWhatIsSent() async throws {
        try await listening { source, log in
            let sender = try UDPSender()
            try await log.waitUntilHeard(sender, receiver.epoch(0).text, source.port)
            for index in 1..<5 {
                // One sentence a datagram, as most programs send them, and one epoch in one.
                for sentence in index.isMultiple(of: 2) ? receiver.epoch(index).sentences : [receiver.epoch(index).text] {
                    try sender.send(sentence, to: source.port)
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(await log.waits { $0.positions.count == 5 })
            #expect(log.positions.map(\.coordinate) == (0..<5).map { receiver.epoch($0).coordinate })
            #expect(log.positions.allSatisfy { $0.source == source.name })
            #expect(log.losses.isEmpty)
        }
    }

    @Test func looksNoNameUp() async throws {
        let source = NMEAUDPSource(address: "receiver.example", port: 10_110)
        let reason = "receiver.example is not an address; write one of this machine, or 0.0.0.0 for all of them"
        await #expect(throws: PositionSourceError.unusable(path: source.name, reason: reason)) { try await source.run { _ in } }
    }

    @Test func takesLargeDatagramsWhole() async throws {
        try await listening { source, log in
            let sender = try UDPSender()
            let text = (0..<100).map { receiver.epoch($0).text }.joined()
            #expect(text.utf8.count > 30_000)
            try await log.waitUntilHeard(sender, text, source.port)
            // A live source's queue holds 64 events and drops the oldest of a burst.
            #expect(await log.waits { $0.positions.last?.time == receiver.epoch(99).time })
        }
    }

    @Test func aLineEndsWithItsDatagram() async throws {
        try await listening { source, log in
            let sender = try UDPSender()
            try await log.waitUntilHeard(sender, receiver.epoch(0).text, source.port)
            // Split within a sentence: neither half is joined to anything.
            let rmc = try #require(receiver.epoch(1).sentences.last)
            try sender.send(String(rmc.prefix(30)), to: source.port)
            try sender.send(String(rmc.dropFirst(30)), to: source.port)
            // Without a line end (CR LF is one Character), which is no damage.
            try sender.send(String(try #require(receiver.epoch(2).sentences.last).dropLast()), to: source.port)
            #expect(await log.waits { $0.positions.contains { $0.time == receiver.epoch(2).time } })
            #expect(!log.positions.contains { $0.time == receiver.epoch(1).time })
        }
    }

    @Test func followsOneSenderAndNamesTheOtherOnce() async throws {
        try await listening { source, log in
            let (first, second) = (try UDPSender(), try UDPSender())
            var elsewhere = receiver
            elsewhere.origin = try #require(Coordinate(latitudeDegrees: -33, longitudeDegrees: 151))
            try first.send("what is this?\r\n", to: source.port)
            try await log.waitUntilHeard(second, receiver.epoch(0).text, source.port)
            for index in 1..<10 {
                try first.send(elsewhere.epoch(index).text, to: source.port)
                try second.send(receiver.epoch(index).text, to: source.port)
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(await log.waits { $0.positions.count == 10 })
            #expect(log.positions.allSatisfy { $0.coordinate.latitudeDegrees > 0 })
            #expect(log.warnings.count == 1 && log.warnings[0].contains("are ignored while"))
            // The one that is followed falls silent: after five seconds the other one is.
            let start = MonotonicClock.milliseconds
            for index in 10..<60 {
                try first.send(elsewhere.epoch(index).text, to: source.port)
                if log.positions.last.map({ $0.coordinate.latitudeDegrees < 0 }) == true { break }
                try await Task.sleep(for: .milliseconds(200))
            }
            let waited = MonotonicClock.milliseconds - start
            #expect((4_500...7_000).contains(waited))
            #expect(log.losses.count <= 1)
        }
    }

    @Test func aSenderWithoutAFixDoesNotShutOutOneThatHasOne() async throws {
        try await listening { source, log in
            let (first, second) = (try UDPSender(), try UDPSender())
            // Refused while nobody listens yet.
            for index in 0..<50 where !log.events.contains(where: { if case .noFix = $0 { true } else { false } }) {
                try? first.send(receiver.epochWithoutFix(index), to: source.port)
                try await Task.sleep(for: .milliseconds(100))
            }
            for index in 50..<110 where log.positions.isEmpty {
                try first.send(receiver.epochWithoutFix(index), to: source.port)
                // One sentence a datagram.
                for sentence in receiver.epoch(index).sentences { try second.send(sentence, to: source.port) }
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(!log.positions.isEmpty)
            let followed = log.entries.compactMap { entry in if case .status(.connected) = entry.event { entry.at } else { nil } }
            #expect(followed.count == 2 && (4_500...9_000).contains(followed[1] - followed[0]), "\(followed)")
        }
    }

    @Test func anAddressThatIsTakenIsLostOnceAndUsedWhenItIsFree() async throws {
        let port = try UDPSender.freePort()
        let (first, second) = (NMEAUDPSource(port: port), NMEAUDPSource(port: port))
        let sender = try UDPSender()
        let firstLog = EventLog()
        let firstRun = Task { try await first.run { firstLog.append($0) } }
        try await firstLog.waitUntilHeard(sender, receiver.epoch(0).text, port)
        try await running(second) { log in
            #expect(await log.waits { $0.losses == [.disconnected("\(second.name): Address already in use")] })
            try await Task.sleep(for: .seconds(2))
            #expect(log.losses.count == 1 && log.warnings.isEmpty)
            firstRun.cancel()
            try await firstRun.value
            try await log.waitUntilHeard(sender, receiver.epoch(1).text, port)
        }
    }

    @Test func listensOnLoopbackUnlessTold() {
        #expect(NMEAUDPSource().name == "nmea-udp://127.0.0.1:10110")
        #expect(NMEAUDPSource(address: "::", port: 1).name == "nmea-udp://[::]:1")
    }

    @Test func keepsTheContract() async throws {
        let port = try UDPSender.freePort()
        let player = Task {
            let sender = try UDPSender()
            for index in 0... {
                // Refused while nobody listens, which is no reason to end.
                try? sender.send(receiver.epoch(index).text, to: port)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { player.cancel() }
        let violations = await PositionSourceContract().violations { NMEAUDPSource(port: port) }
        #expect(violations.isEmpty, "\(violations)")
    }

    private func listening(_ body: (NMEAUDPSource, EventLog) async throws -> Void) async throws {
        let source = NMEAUDPSource(port: try UDPSender.freePort())
        try await running(source) { log in try await body(source, log) }
    }
}

extension EventLog {
    /// Sends until the first position is there: nobody says when the socket stands.
    fileprivate func waitUntilHeard(_ sender: UDPSender, _ text: String, _ port: UInt16) async throws {
        for _ in 0..<50 where positions.isEmpty {
            try? sender.send(text, to: port)  // Refused while nobody listens.
            _ = await waits(.milliseconds(250)) { !$0.positions.isEmpty }
        }
        try #require(!positions.isEmpty)
    }
}
