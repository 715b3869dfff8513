import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

extension SerialLineTests {
    /// The promise of ``StaleFixTests``, from each kind of source: a receiver that goes on talking without a fix keeps no old place alive.
    @Suite struct StaleFixOfSourcesTests {
        /// What a receiver says that has lost its fix, with and without a time.
        private static let chatter: String = {
            let receiver = SimulatedReceiver(periodMilliseconds: 200)
            return ["GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,", "GPGSV,1,1,00", "GPTXT,01,01,02,ANTSTATUS=OPEN"]
                .map { receiver.sentence(String($0.dropFirst(2))) }.joined()
        }()

        /// Gives fixes and then chatter to the source, and measures how long the last fix lives.
        ///
        /// - Parameters:
        ///   - period: the time between the fixes, by the receiver's clock.
        ///   - limits: when it must be lost, in milliseconds since the last fix.
        ///   - write: brings text to the source.
        private func measure(
            _ source: any PositionSource, period: Int = 200, limits: ClosedRange<Int64> = 4_000...8_500, write: (String) throws -> Void
        ) async throws {
            let receiver = SimulatedReceiver(periodMilliseconds: period)
            let manager = PositioningManager(source: source)
            await manager.start()
            var count = 0
            // Until it has understood the line, and then enough for its period; a fix that comes again is no news.
            for number in 0..<100 where count < 8 {
                try? write(receiver.epoch(number).text)  // Nobody listens yet.
                try await Task.sleep(for: .milliseconds(150))
                if await manager.rawPosition != nil || count > 0 { count += 1 }
            }
            #expect(await eventually(within: 3) { await manager.rawPosition != nil }, "\(source.name)")
            let start = MonotonicClock.milliseconds
            var lostAfter: Int64?
            while MonotonicClock.milliseconds - start < limits.upperBound + 2_500 {
                try write(Self.chatter)
                try await Task.sleep(for: .milliseconds(250))
                let isLost = await manager.rawPosition == nil
                if isLost, lostAfter == nil { lostAfter = MonotonicClock.milliseconds - start }
                // It does not come back either.
                #expect(isLost || lostAfter == nil, "\(source.name)")
            }
            #expect(lostAfter.map(limits.contains) ?? false, "\(source.name): \(lostAfter.map(String.init) ?? "never") ms")
            #expect(await manager.lossReason == .noFix, "\(source.name)")
            await manager.stop()
        }

        @Test func losesAFixOfEachKindOfSource() async throws {
            let trials = [
                losesAFixOfASerialLine, losesAFixOfDatagrams, losesAFixOfAFIFO, losesAFixOfAProgram, losesAFixOfTheOnlyOneOfTwoThatHadOne,
                losesAFixOfASlowReceiverAfterThreePeriods,
            ]
            try await sideBySide(trials) { trial in try await trial() }
        }

        private func losesAFixOfASerialLine() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let source = SerialSource(.path(terminal.path), baudRate: 9_600, memory: BaudMemory(), gpsdPorts: [9])
            try await measure(source, write: terminal.write)
        }

        private func losesAFixOfDatagrams() async throws {
            let (port, sender) = (try UDPSender.freePort(), try UDPSender())
            try await measure(NMEAUDPSource(port: port)) { try sender.send($0, to: port) }
        }

        private func losesAFixOfAFIFO() async throws {
            let fifo = try FIFO()
            try await measure(NMEAFileSource(path: fifo.path), write: fifo.write)
        }

        private func losesAFixOfAProgram() async throws {
            let fifo = try FIFO()
            try await measure(ExecSource(command: "exec cat '\(fifo.path)'"), write: fifo.write)
        }

        /// The other one has none either.
        private func losesAFixOfTheOnlyOneOfTwoThatHadOne() async throws {
            let (first, second) = (try FIFO(), try FIFO())
            let source = FallbackSource([NMEAFileSource(path: first.path), NMEAFileSource(path: second.path)])
            try await measure(source) { text in
                try first.write(text)
                try second.write(Self.chatter)
            }
        }

        /// One fix in 5 s: three of its periods are 15 s.
        private func losesAFixOfASlowReceiverAfterThreePeriods() async throws {
            let fifo = try FIFO()
            try await measure(NMEAFileSource(path: fifo.path), period: 5_000, limits: 13_500...18_500, write: fifo.write)
        }
    }
}
