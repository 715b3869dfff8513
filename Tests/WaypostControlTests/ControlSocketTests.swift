import Foundation
import Testing
import Waypost
import WaypostControl
import WaypostSystem

@Suite(.timeLimit(.minutes(1))) struct ControlSocketTests {
    // MARK: Status and watch

    @Test func answersStatus() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let (version, line) = try await onThread {
            var client = try ControlClient.connect(to: fixture.path)
            return (client.daemonVersion, try client.answer(to: StatusRequest()).text)
        }
        #expect(version == "1.2.3")
        #expect(line == ControlFixture.statusLine(userID: geteuid(), access: .full))
        await server.stop()
        #expect(access(fixture.path, F_OK) != 0)
    }

    @Test func takesNoLineOfAWatchForAnAnswer() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let (answers, lines) = try await onThread {
            var client = try fixture.watcher(sky: true)
            for number in 0..<3 { server.broadcast(Array(#"{"class":"TPV","mode":\#(number)}"#.utf8), topic: .position) }
            server.broadcast(Array(#"{"class":"SKY","satellites":[]}"#.utf8), topic: .sky)
            server.broadcast(Array(#"{"class":"LOST"}"#.utf8), topic: .loss)
            server.broadcast(Array(#"{"class":"EVENT","event":"enter"}"#.utf8), topic: .event)
            // An earlier request's answer is none to this one either.
            try client.send(CapabilitiesRequest())
            let answers = [try client.answer(to: StatusRequest()).text]
            var lines: [String] = []
            for _ in 0..<7 {
                do { lines.append(try client.nextLine(timeout: .seconds(2)).text) } catch { lines.append("\(error)") }
            }
            return (answers, lines)
        }
        #expect(answers.allSatisfy { $0.hasPrefix(#"{"class":"STATUS""#) })
        #expect(lines.filter { $0.hasPrefix(#"{"class":"TPV""#) }.count == 3)
        #expect(lines.filter { $0.hasPrefix(#"{"class":"STATUS""#) }.isEmpty)
        #expect(lines.contains(#"{"class":"LOST"}"#) && lines.contains(#"{"class":"EVENT","event":"enter"}"#))
        await server.stop()
    }

    @Test func sendsEveryWatcherWhatItWants() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let (plain, withSky) = try await onThread {
            var plain = try fixture.watcher()
            var withSky = try fixture.watcher(sky: true)
            #expect(fixture.watcherCount == 2)
            server.broadcast(Array(#"{"class":"SKY","satellites":[]}"#.utf8), topic: .sky)
            for number in 0..<3 { server.broadcast(Array(#"{"class":"TPV","mode":\#(number)}"#.utf8), topic: .position) }
            server.broadcast(Array(#"{"class":"LOST"}"#.utf8), topic: .loss)
            return (try (0..<4).map { _ in try plain.nextLine().text }, try (0..<5).map { _ in try withSky.nextLine().text })
        }
        let common = [#"{"class":"TPV","mode":0}"#, #"{"class":"TPV","mode":1}"#, #"{"class":"TPV","mode":2}"#, #"{"class":"LOST"}"#]
        #expect(plain == common)
        #expect(withSky == [#"{"class":"SKY","satellites":[]}"#] + common)
        #expect(eventually { fixture.watcherCount == 0 })
        await server.stop()
    }

    @Test func tellsATimeOutFromTheEnd() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let quiet = Task {
            try await onThread {
                var client = try fixture.watcher()
                #expect(throws: ControlError.timedOut) { try client.nextLine(timeout: .milliseconds(50)) }
                #expect(throws: ControlError.closed(byService: false)) { try client.nextLine(timeout: .seconds(10)) }
            }
        }
        _ = try await onThread { eventually { fixture.watcherCount == 1 } }
        try await Task.sleep(for: .milliseconds(200))
        await server.stop()
        try await quiet.value
    }

    @Test func answersAClientThatHasShutItsSendingSide() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let lines = try await onThread {
            let descriptor = try fixture.rawConnection()
            defer { close(descriptor) }
            try UnixSocket.sendAll(descriptor, Array("{\"request\":\"status\"}\n\r\n{\"request\":\"status\"}\n".utf8))
            shutdown(descriptor, Int32(SHUT_WR))
            return try fixture.lines(from: descriptor, quietMilliseconds: 5_000)
        }
        #expect(lines.count == 3)
        #expect(lines.last?.hasPrefix(#"{"class":"STATUS""#) == true)
        await server.stop()
    }

    // MARK: Slow and strange clients

    @Test func aStuckWatcherLosesTheOldestLinesAndNobodyElseDoes() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start(limits: .init(waitingLines: 8, unsentBytes: 4_096))
        let total = 3_000
        let (healthy, stuck) = try await onThread {
            var stuck = try fixture.watcher()
            var healthy = try fixture.watcher()
            var seen: [Int] = []
            // Two kilobytes each: six megabytes in all.
            let padding = String(repeating: "x", count: 2_000)
            for start in stride(from: 0, to: total, by: 4) {
                for number in start..<start + 4 {
                    server.broadcast(Array(#"{"class":"TPV","n":\#(number),"x":"\#(padding)"}"#.utf8), topic: .position)
                }
                for _ in 0..<4 { seen.append(try number(in: healthy.nextLine(timeout: .seconds(5)))) }
            }
            var rest: [String] = []
            while true {
                let line = try stuck.nextLine(timeout: .seconds(5))
                rest.append(line.starts(with: #"{"class":"DROPPED""#.utf8) ? line.text : "\(try number(in: line))")
                if rest.last == "\(total - 1)" { break }
            }
            return (seen, rest)
        }
        #expect(healthy == Array(0..<total))

        let marks = stuck.indices.filter { stuck[$0].hasPrefix("{") }
        let mark = try #require(marks.first)
        #expect(marks.count == 1)
        #expect(stuck[..<mark].map { Int($0) } == Array(0..<mark))
        let dropped = total - 8 - mark
        #expect(stuck[mark] == #"{"class":"DROPPED","count":\#(dropped)}"#)
        #expect(stuck[(mark + 1)...].map { Int($0) } == Array(total - 8..<total))
        // What had gone before the stop fits the kernel's buffer and ours.
        #expect(mark * 2_000 < 1 << 20)
        await server.stop()
    }

    @Test func forgetsAStuckWatcherThatGoesAway() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start(limits: .init(waitingLines: 8, unsentBytes: 4_096))
        try await onThread {
            let line = Array(#"{"class":"TPV","x":"\#(String(repeating: "x", count: 2_000))"}"#.utf8)
            do {
                let stuck = try fixture.watcher()
                for _ in 0..<500 { server.broadcast(line, topic: .position) }
                #expect(fixture.watcherCount == 1)
                #expect(stuck.daemonVersion == "1.2.3")
            }
            // Nothing is sent any more: the hang-up alone must do.
            #expect(eventually { fixture.watcherCount == 0 })
        }
        await server.stop()
    }

    @Test(arguments: [
        ("nonsense", "bad_request"), ("[1]", "bad_request"), ("{}", "bad_request"), (#"{"request":1}"#, "bad_request"),
        (#"{"request":"watch","sky":1}"#, "bad_request"), (#"{"request":"watch","distance":-5}"#, "bad_request"),
        (#"{"request":"status","x":1}"#, "bad_request"), (#"{"request":"fly"}"#, "unknown_request"), ("\u{0}\u{1}\u{2}", "bad_request"),
        (String(repeating: "[", count: 65_536), "bad_request"), (#"{"request":"status"} x"#, "bad_request"),
    ])
    func refusesWhatIsNoRequestAndGoesOn(line: String, code: String) async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let lines = try await onThread {
            let descriptor = try fixture.rawConnection()
            defer { close(descriptor) }
            try UnixSocket.sendAll(descriptor, Array("\(line)\n{\"request\":\"status\"}\n".utf8))
            shutdown(descriptor, Int32(SHUT_WR))
            return try fixture.lines(from: descriptor, quietMilliseconds: 5_000)
        }
        #expect(lines.count == 3)
        #expect(lines.dropFirst().first?.hasPrefix(#"{"class":"ERROR","code":"\#(code)""#) == true, "\(lines)")
        #expect(lines.last?.hasPrefix(#"{"class":"STATUS""#) == true)
        #expect(lines.allSatisfy { $0.utf8.count < 300 })
        await server.stop()
    }

    @Test func endsAConnectionThatSendsAnOverLongLine() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        let lines = try await onThread {
            let descriptor = try fixture.rawConnection()
            defer { close(descriptor) }
            // One byte too many; no line feed is needed to see that.
            try UnixSocket.sendAll(descriptor, [UInt8](repeating: UInt8(ascii: "x"), count: 65_537))
            return try fixture.lines(from: descriptor, quietMilliseconds: 5_000)
        }
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix(#"{"class":"ERROR","code":"too_long""#) == true)
        await server.stop()
    }

    @Test func limitsTheConnectionsAndTakesNewOnesLater() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start(limits: .init(connections: 2))
        try await onThread {
            do {
                let first = try ControlClient.connect(to: fixture.path)
                let second = try ControlClient.connect(to: fixture.path)
                let error = #expect(throws: ControlError.self) { _ = try ControlClient.connect(to: fixture.path) }
                guard case .refused("too_many_connections", _) = error else {
                    Issue.record("another error: \(String(describing: error))")
                    return
                }
                #expect(first.daemonVersion == second.daemonVersion)
            }
            #expect(
                eventually {
                    do {
                        _ = try ControlClient.connect(to: fixture.path)
                        return true
                    } catch { return false }
                })
        }
        await server.stop()
    }

    @Test func keepsNoDescriptorsOfClientsThatHaveGone() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start(limits: .init(connections: 8))
        let open = { @Sendable () -> Int in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
        try await onThread {
            let before = open()
            for round in 0..<300 {
                // More rounds than the limit on connections: each must have ended for a later one to be let in.
                #expect(
                    eventually {
                        do {
                            if round % 3 == 0 {
                                _ = try fixture.watcher()
                            } else {
                                _ = try ControlClient.connect(to: fixture.path)
                            }
                            return true
                        } catch { return false }
                    })
                server.broadcast(Array(#"{"class":"TPV"}"#.utf8), topic: .position)
            }
            #expect(eventually { fixture.watcherCount == 0 })
            // Other suites open files at the same time; a leak would be 300.
            #expect(eventually { open() < before + 100 })
        }
        await server.stop()
    }
}

/// The `n` of a line.
private func number(in line: [UInt8]) throws -> Int {
    try #require(try JSONParser().parse(line)["n"]?.int, "\(line.prefix(60))")
}
