import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

/// Tests that open serial lines, one after the other: each measures how long something takes, and a source that waits for `/dev/pts/7` to
/// come back would take the next test's line of that name.
@Suite(.serialized) enum SerialLineTests {}

extension SerialLineTests {
    /// The serial source on real pseudo terminals.
    @Suite struct SerialSourceTests {
        /// Nobody listens there: no gpsd of this machine plays a part.
        private let noGPSD: UInt16 = 9

        private func source(_ path: String, baudRate: Int? = nil, memory: BaudMemory = BaudMemory()) -> SerialSource {
            SerialSource(.path(path), baudRate: baudRate, memory: memory, gpsdPorts: [noGPSD])
        }

        @Test(arguments: SerialPort.baudRates)
        func findsTheSpeedOfARealLine(baudRate: Int) async throws {
            let wire = try SerialWire(baudRate: baudRate, receiver: SimulatedReceiver(periodMilliseconds: 1_000))
            defer { wire.unplug() }
            let memory = BaudMemory()
            var start = MonotonicClock.milliseconds
            try await running(source(wire.terminal.path, memory: memory)) { log in
                #expect(await log.waits { !$0.positions.isEmpty })
                let found = log.entries.first { if case .status(.connected) = $0.event { true } else { false } }
                let first = (found?.at ?? .max) - start
                #expect(first < 4_000, "\(baudRate): \(first) ms")
                #expect(found?.event == .status(.connected("\(wire.terminal.path) at \(baudRate) baud")))
                print("auto-baud: \(baudRate) found after \(first) ms")
            }
            await rememberedSpeed(of: wire.terminal, memory, is: baudRate)
            start = MonotonicClock.milliseconds
            try await running(source(wire.terminal.path, memory: memory)) { log in
                #expect(await log.waits { !$0.positions.isEmpty })
                let found = log.entries.first { if case .status(.connected) = $0.event { true } else { false } }
                let again = (found?.at ?? .max) - start
                #expect(again < 1_500, "\(baudRate): \(again) ms")
                print("auto-baud: \(baudRate) found again after \(again) ms")
            }
        }

        /// Its bursts come so often that each may be over before a speed that was just set counts.
        @Test(arguments: [(57_600, 9_600), (115_200, 4_800), (115_200, 9_600), (230_400, 4_800)])
        func findsAQuickReceiverOnALineThatHadAnotherSpeed(baudRate: Int, remembered: Int) async throws {
            let wire = try SerialWire(baudRate: baudRate, receiver: SimulatedReceiver(periodMilliseconds: 100))
            defer { wire.unplug() }
            let memory = BaudMemory()
            memory.remember(remembered, for: wire.terminal.path)
            try await running(source(wire.terminal.path, memory: memory)) { log in
                #expect(await log.waits(.seconds(30)) { $0.positions.count >= 3 })
            }
            await rememberedSpeed(of: wire.terminal, memory, is: baudRate)
        }

        @Test func readsAtTheSpeedItWasGiven() async throws {
            let wire = try SerialWire(baudRate: 38_400, receiver: SimulatedReceiver(periodMilliseconds: 200))
            defer { wire.unplug() }
            try await running(source(wire.terminal.path, baudRate: 38_400)) { log in
                #expect(await log.waits { $0.positions.count >= 3 })
                #expect(log.positions.first?.source == "serial://\(wire.terminal.path)?baud=38400")
            }
        }

        @Test func saysWhatTheSpeedItWasGivenGives() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            var random = SeededGenerator(seed: 9)
            try await running(source(terminal.path, baudRate: 4_800)) { log in
                // Without a pause: nothing that waits for one may be waited for.
                for _ in 0..<600 where log.losses.isEmpty {
                    try terminal.write((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &random) })
                    try await Task.sleep(for: .milliseconds(10))
                }
                let words = "what comes at 4800 baud is not NMEA; leave ?baud=4800 out to let waypost find the speed"
                #expect(log.warnings == ["\(terminal.path): \(words)"])
                #expect(log.losses == [.unreadable])
            }
        }

        @Test func endsWithinASecondWhileAGPSDThatHangsIsAsked() async throws {
            let gpsd = try ScriptedGPSD { $0.waitForTheEnd() }
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let source = SerialSource(.path(terminal.path), gpsdPorts: [gpsd.port])
            let milliseconds = try await running(source) { _ in try await Task.sleep(for: .milliseconds(300)) }
            #expect(milliseconds < 1_000)
        }

        @Test func keepsTheContract() async throws {
            let wire = try SerialWire(baudRate: nil, receiver: SimulatedReceiver(periodMilliseconds: 100))
            defer { wire.unplug() }
            let violations = await PositionSourceContract().violations { source(wire.terminal.path) }
            #expect(violations.isEmpty, "\(violations)")
        }

        @Test func sendsNothingBackToTheReceiver() async throws {
            // As the kernel gives it: echoing and waiting for whole lines.
            let terminal = try PseudoTerminal(isRaw: false)
            defer { terminal.unplug() }
            try await running(source(terminal.path)) { log in
                try await Task.sleep(for: .milliseconds(300))
                for index in 0..<5 {
                    try terminal.write(SimulatedReceiver().epoch(index).text)
                    try await Task.sleep(for: .milliseconds(200))
                }
                #expect(await log.waits { $0.positions.count >= 4 })
            }
            #expect(terminal.received() == [])
        }

        @Test func waitsForAPortThatDoesNotExistYet() async throws {
            let link = NSTemporaryDirectory() + "waypost-port-\(UUID().uuidString)"
            defer { unlink(link) }
            try await running(source(link)) { log in
                #expect(await log.waits { $0.losses.count == 1 })
                #expect(log.losses == [.deviceGone("\(link) is not there; waiting for it")])
                let wire = try SerialWire(baudRate: nil)
                defer { wire.unplug() }
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: wire.terminal.path)
                let start = MonotonicClock.milliseconds
                #expect(await log.waits { !$0.positions.isEmpty })
                #expect(MonotonicClock.milliseconds - start < 5_000)
            }
        }

        /// Ten rounds; `WAYPOST_REPLUG_ROUNDS` asks for more.
        @Test func isBackAfterEveryReplugWhateverTheName() async throws {
            let rounds = ProcessInfo.processInfo.environment["WAYPOST_REPLUG_ROUNDS"].flatMap { Int($0) } ?? 10
            let link = NSTemporaryDirectory() + "waypost-port-\(UUID().uuidString)"
            defer { unlink(link) }
            let receiver = SimulatedReceiver(periodMilliseconds: 200)
            try await running(source(link)) { log in
                var slowest: Int64 = 0
                var before: (descriptors: Int, memory: Int)?
                for round in 0..<rounds {
                    let wire = try SerialWire(baudRate: round % 2 == 0 ? 9_600 : nil, receiver: receiver, first: 100 * round)
                    unlink(link)
                    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: wire.terminal.path)
                    let start = MonotonicClock.milliseconds
                    let moment = receiver.epoch(100 * round).time
                    try #require(await log.waits { ($0.positions.last?.time).map { $0 >= moment } == true }, "round \(round)")
                    let time = MonotonicClock.milliseconds - start
                    if time > 3_000 {
                        print("round \(round): \(log.entries.filter { $0.at >= start - 500 }.map { ($0.at - start, $0.event) })")
                    }
                    slowest = max(slowest, time)
                    let losses = log.losses.count
                    wire.unplug()
                    if round % 3 != 0 { #expect(await log.waits { $0.losses.count > losses }, "round \(round): no loss told") }
                    if round == min(4, rounds / 2) { before = (openDescriptorCount - PseudoTerminal.keptNumberCount, anonymousKilobytes) }
                }
                let first = try #require(before)
                func use() -> (descriptors: Int, memory: Int) { (openDescriptorCount - PseudoTerminal.keptNumberCount, anonymousKilobytes) }
                var after = use()
                // The last wire may be closed a little later; what leaks stays.
                for _ in 0..<50 where after.descriptors > first.descriptors + 2 {
                    try await Task.sleep(for: .milliseconds(100))
                    after = use()
                }
                print(
                    "replug: \(rounds) rounds, slowest \(slowest) ms, descriptors \(first.descriptors) then \(after.descriptors),",
                    terminator: " ")
                print("memory of its own \(first.memory) then \(after.memory) KiB")
                #expect(slowest < 5_000)
                #expect(after.descriptors <= first.descriptors + 2)
                #expect(after.memory <= first.memory + 4_096)
            }
        }

        @Test func followsANameThatMovesToAnotherDeviceWhileTheFirstIsSilent() async throws {
            let link = NSTemporaryDirectory() + "waypost-port-\(UUID().uuidString)"
            defer { unlink(link) }
            let receiver = SimulatedReceiver(periodMilliseconds: 200)
            let (first, second) = (
                try SerialWire(baudRate: nil, receiver: receiver), try SerialWire(baudRate: nil, receiver: receiver, first: 500)
            )
            defer {
                first.unplug()
                second.unplug()
            }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first.terminal.path)
            try await running(source(link)) { log in
                #expect(await log.waits { !$0.positions.isEmpty })
                first.fallSilent()
                unlink(link)
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.terminal.path)
                let start = MonotonicClock.milliseconds
                let moment = receiver.epoch(500).time
                #expect(await log.waits { $0.positions.contains { ($0.time ?? moment) > moment } })
                #expect(MonotonicClock.milliseconds - start < 5_000)
            }
        }

        @Test func tellsSilenceAndIsBackAfterIt() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let receiver = SimulatedReceiver(periodMilliseconds: 200)
            try await running(source(terminal.path)) { log in
                func play(_ epochs: Range<Int>) async throws {
                    for index in epochs {
                        try terminal.write(receiver.epoch(index).text)
                        try await Task.sleep(for: .milliseconds(200))
                    }
                }
                try await play(0..<8)
                #expect(await log.waits { $0.positions.count >= 5 })
                #expect(await log.waits { $0.losses == [.silent] })
                try await Task.sleep(for: .seconds(3))
                let start = MonotonicClock.milliseconds
                let count = log.positions.count
                let player = Task { try await play(100..<140) }
                #expect(await log.waits { $0.positions.count > count })
                #expect(MonotonicClock.milliseconds - start < 5_000)
                player.cancel()
                #expect(log.losses == [.silent])
            }
        }

        @Test func namesUBXBinary() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let frame: [UInt8] = [0xb5, 0x62, 0x01, 0x07, 0x04, 0x00, 0xde, 0xad, 0xbe, 0xef, 0x44, 0xd0]
            var (first, second) = (UInt8(0), UInt8(0))
            for byte in frame[2..<10] { (first, second) = (first &+ byte, second &+ first &+ byte) }
            let good = Array(frame[..<10]) + [first, second]
            try await running(source(terminal.path)) { log in
                let player = Task {
                    while !Task.isCancelled {
                        try terminal.write(good)
                        try await Task.sleep(for: .milliseconds(100))
                    }
                }
                defer { player.cancel() }
                #expect(await log.waits(.seconds(15)) { $0.reasons.last?.description.contains("UBX binary") == true })
                #expect(log.losses == [.unreadable], "while it is asked for NMEA")
            }
        }

        @Test func readsNMEAAmongUBXAndNoise() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            var random = SeededGenerator(seed: 3)
            let receiver = SimulatedReceiver(periodMilliseconds: 100)
            try await running(source(terminal.path)) { log in
                for index in 0..<80 {
                    let noise = (0..<40).map { _ in UInt8.random(in: .min ... .max, using: &random) }
                    try terminal.write(
                        [0xb5, 0x62, 0x01, 0x07, 0x00, 0x00, 0x08, 0x19] + noise + [0x0a] + Array(receiver.epoch(index).text.utf8))
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(log.positions.count >= 40, "\(log.positions.count)")
                #expect(log.positions.allSatisfy { abs($0.coordinate.latitudeDegrees - 47.378) < 0.1 })
            }
        }

        @Test func survivesNoiseAlone() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            var random = SeededGenerator(seed: 9)
            try await running(source(terminal.path)) { log in
                for _ in 0..<400 {
                    try terminal.write((0..<500).map { _ in UInt8.random(in: .min ... .max, using: &random) })
                    try await Task.sleep(for: .milliseconds(15))
                }
                #expect(log.positions == [])
                #expect(log.losses == [.unreadable])
            }
        }

        /// The first bytes of a receiver that is plugged in come at a wrong speed: that is no verdict about it.
        @Test func judgesNoReceiverThatHasJustBeenPluggedIn() async throws {
            let link = NSTemporaryDirectory() + "waypost-gps-\(UUID().uuidString)"
            defer { unlink(link) }
            try await running(source(link)) { log in
                // For long there was none.
                try await Task.sleep(for: .seconds(6))
                let wire = try SerialWire(baudRate: 9_600, receiver: SimulatedReceiver(periodMilliseconds: 1_000))
                defer { wire.unplug() }
                #expect(symlink(wire.terminal.path, link) == 0)
                #expect(await log.waits { !$0.positions.isEmpty })
                let verdicts = log.events.filter { $0 == .lost(.unreadable) || $0 == .status(.stillLost(.unreadable)) }
                #expect(verdicts.isEmpty)
            }
        }

        @Test func takesAFloodAtTheHighestSpeed() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let receiver = SimulatedReceiver(periodMilliseconds: 10)
            try await running(source(terminal.path)) { log in
                // What waits when the line is opened is discarded.
                for _ in 0..<100 where !log.isConnected {
                    try terminal.write(receiver.epoch(0).text)
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(log.isConnected)
                // 921600 baud is 92 160 bytes a second: 200 epochs of this receiver, five seconds of it in one.
                for index in 1...1_000 {
                    try terminal.write(receiver.epoch(index).text)
                    if index % 10 == 0 { try await Task.sleep(for: .milliseconds(10)) }
                }
                #expect(await log.waits { $0.positions.count > 150 })
                #expect(log.warnings.isEmpty)
                // What comes after it is heard.
                try await Task.sleep(for: .milliseconds(500))
                try terminal.write(receiver.epoch(1_001).text)
                let last = receiver.epoch(1_001).time
                #expect(await log.waits { $0.positions.last?.time == last })
            }
        }
    }
}

/// A thread of its own writes it down.
private func rememberedSpeed(of terminal: PseudoTerminal, _ memory: BaudMemory, is baudRate: Int) async {
    for _ in 0..<500 where memory.baudRate(of: terminal.path) != baudRate { try? await Task.sleep(for: .milliseconds(10)) }
    #expect(memory.baudRate(of: terminal.path) == baudRate)
}

extension EventLog {
    fileprivate var isConnected: Bool { events.contains { if case .status(.connected) = $0 { true } else { false } } }
}

private var openDescriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
