import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

extension SerialLineTests {
    /// The promise: what is said first about a loss is what is wrong, from each kind of source.
    @Suite struct LossReasonOfSourcesTests {
        private let receiver = SimulatedReceiver(periodMilliseconds: 1_000)

        /// Lets a source have a few fixes and then what is wrong, and returns the reasons that it gives.
        private func reasons(
            of source: any PositionSource, write: ([UInt8]) throws -> Void, faultEvery milliseconds: Int, _ fault: (Int) -> [UInt8]
        ) async throws -> [LossReason] {
            let manager = PositioningManager(source: source)
            let log = UpdateLog()
            await manager.attach(log)
            await manager.start()
            var number = 0
            while await manager.rawPosition == nil, number < 40 {
                try? write(Array(receiver.epoch(number).text.utf8))  // Nobody listens yet.
                try await Task.sleep(for: .milliseconds(150))
                number += 1
            }
            for _ in 0..<2 {
                try write(Array(receiver.epoch(number).text.utf8))
                try await Task.sleep(for: .milliseconds(milliseconds))
                number += 1
            }
            for _ in 0..<(7_000 / milliseconds) {
                try write(fault(number - 1))
                try await Task.sleep(for: .milliseconds(milliseconds))
            }
            await manager.stop()
            return await log.updates.compactMap { update in
                switch update {
                case .lost(let reason), .status(.stillLost(let reason)): reason
                default: nil
                }
            }
        }

        /// The last repetition before the limit comes shortly before it, and the next one when the loss has been noticed already.
        private func repeats(_ source: any PositionSource, write: ([UInt8]) throws -> Void) async throws {
            let reasons = try await reasons(of: source, write: write, faultEvery: 985) { Array(receiver.epoch($0).text.utf8) }
            let words = reasons.map { "\($0)" }
            #expect(words.count == 1 && words.first?.hasPrefix("the same fix comes again and again") ?? false, "\(source.name): \(words)")
        }

        private func babbles(_ source: any PositionSource, write: ([UInt8]) throws -> Void) async throws {
            let reasons = try await reasons(of: source, write: write, faultEvery: 50) { _ in (0..<40).map { _ in .random(in: 128...255) } }
            #expect(reasons == [.unreadable], "\(source.name): \(reasons)")
        }

        @Test func isWhatIsWrong() async throws {
            let trials = [
                aSerialLineRepeatsAFix, datagramsRepeatAFix, aFIFORepeatsAFix, aProgramRepeatsAFix, aFIFOThatFallsBackRepeatsAFix,
                aFIFOCannotBeRead, aProgramCannotBeRead,
            ]
            try await sideBySide(trials) { trial in try await trial() }
        }

        private func aSerialLineRepeatsAFix() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let source = SerialSource(.path(terminal.path), baudRate: 9_600, memory: BaudMemory(), gpsdPorts: [9])
            try await repeats(source) { try terminal.write(String(decoding: $0, as: UTF8.self)) }
        }

        private func datagramsRepeatAFix() async throws {
            let (port, sender) = (try UDPSender.freePort(), try UDPSender())
            try await repeats(NMEAUDPSource(port: port)) { try sender.send(String(decoding: $0, as: UTF8.self), to: port) }
        }

        private func aFIFORepeatsAFix() async throws {
            let fifo = try FIFO()
            try await repeats(NMEAFileSource(path: fifo.path), write: fifo.write)
        }

        private func aProgramRepeatsAFix() async throws {
            let fifo = try FIFO()
            try await repeats(ExecSource(command: "exec cat '\(fifo.path)'"), write: fifo.write)
        }

        private func aFIFOThatFallsBackRepeatsAFix() async throws {
            let (fifo, other) = (try FIFO(), try FIFO())
            try await repeats(FallbackSource([NMEAFileSource(path: fifo.path), NMEAFileSource(path: other.path)]), write: fifo.write)
        }

        private func aFIFOCannotBeRead() async throws {
            let fifo = try FIFO()
            try await babbles(NMEAFileSource(path: fifo.path), write: fifo.write)
        }

        private func aProgramCannotBeRead() async throws {
            let fifo = try FIFO()
            try await babbles(ExecSource(command: "exec cat '\(fifo.path)'"), write: fifo.write)
        }
    }
}
