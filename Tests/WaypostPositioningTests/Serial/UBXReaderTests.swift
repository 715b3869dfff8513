import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

extension SerialLineTests {
    /// A u-blox that somebody has left speaking UBX.
    @Suite struct UBXReaderTests {
        private let noGPSD: UInt16 = 9

        /// NMEA is not among the port's protocols.
        private var speakingUBX: UBloxReceiver.Settings {
            var settings = UBloxReceiver.Settings()
            (settings.sendsNMEA, settings.reportsUBX, settings.periodMilliseconds) = (false, true, 250)
            return settings
        }

        /// Every sentence is switched off by itself, as gpsd does.
        private var leftByGPSD: UBloxReceiver.Settings {
            var settings = speakingUBX
            (settings.sendsNMEA, settings.sentences) = (true, [])
            return settings
        }

        @Test(arguments: UBloxReceiver.Generation.allCases, [true, false])
        func bringsBackNMEA(generation: UBloxReceiver.Generation, isOnUSB: Bool) async throws {
            // Each state once per generation is enough.
            let settings = isOnUSB == (generation == .nine) ? speakingUBX : leftByGPSD
            let receiver = try UBloxReceiver(generation, settings: settings, isOnUSB: isOnUSB)
            defer { receiver.unplug() }
            let memory = BaudMemory()
            memory.remember(9_600, for: receiver.terminal.path)
            try await running(SerialSource(.path(receiver.terminal.path), memory: memory, gpsdPorts: [noGPSD])) { log in
                let start = MonotonicClock.milliseconds
                #expect(await log.waits { !$0.positions.isEmpty })
                print("UBX to NMEA, \(generation), \(isOnUSB ? "USB" : "UART"): \(MonotonicClock.milliseconds - start) ms")
                #expect(receiver.settings.sendsNMEA && !receiver.settings.sendsUBX)
                #expect(receiver.settings.sentences.isSuperset(of: [.rmc, .gga, .gsa, .gsv, .vtg]))
                #expect(receiver.settings.baudRate == 9_600)
                let path = receiver.terminal.path
                #expect(log.warnings == ["\(path): the receiver was in UBX binary mode; it has been switched to NMEA"])
            }
        }

        @Test func sendsNothingWhereItMustNot() async throws {
            let receiver = try UBloxReceiver(settings: speakingUBX)
            defer { receiver.unplug() }
            let path = receiver.terminal.path
            try await running(SerialSource(.path(path), neverWrites: true, gpsdPorts: [noGPSD])) { log in
                #expect(await log.waits { !$0.losses.isEmpty })
                let words = "the receiver speaks UBX binary, not NMEA, as gpsd leaves it; never_write keeps it so: gpsctl -f -n \(path)"
                #expect(log.losses.first?.description.hasPrefix(words) == true)
                // That it cannot be read is no news.
                try await Task.sleep(for: .seconds(7))
                #expect(log.losses.count == 1 && log.warnings == [], "\(log.losses)")
                #expect(receiver.heard == [])
                #expect(!receiver.settings.sendsNMEA)
            }
        }

        @Test func saysThatAReceiverDoesNotObey() async throws {
            let receiver = try UBloxReceiver(settings: speakingUBX, isDeaf: true)
            defer { receiver.unplug() }
            let path = receiver.terminal.path
            try await running(SerialSource(.path(path), gpsdPorts: [noGPSD])) { log in
                let words = "it was switched to NMEA and does not send any: unplug it, or read it through gpsd"
                #expect(await log.waits(.seconds(15)) { $0.reasons.last?.description.contains(words) == true })
                #expect(receiver.heard.count == 18, "twice nine messages")
            }
        }

        /// The lab has the same with USB; here gpsd's own set-up of a u-blox is answered by the model.
        @Test(.enabled(if: GPSDServer.isInstalled, "needs gpsd")) func isThereAfterAGPSDThatSwitchedToUBXWasKilled() async throws {
            let receiver = try UBloxReceiver(.eight)
            defer { receiver.unplug() }
            let gpsd = try await GPSDServer(device: receiver.terminal.path, changesReceiver: true)
            defer { gpsd.stop() }
            var isSwitched = false
            for _ in 0..<200 where !isSwitched {
                isSwitched = receiver.settings.sentences.isEmpty && receiver.settings.reportsUBX
                try await Task.sleep(for: .milliseconds(100))
            }
            try #require(isSwitched, "gpsd has left the receiver as it was")
            try await running(SerialSource(.path(receiver.terminal.path), gpsdPorts: [gpsd.port])) { log in
                #expect(await log.waits { $0.losses.count == 1 })
                #expect(log.positions == [])
                let start = MonotonicClock.milliseconds
                gpsd.kill()
                #expect(await log.waits(.seconds(20)) { !$0.positions.isEmpty })
                let time = MonotonicClock.milliseconds - start
                print("gpsd killed on a receiver that it had switched to UBX: positions after \(time) ms")
                #expect(time < 10_000)
                #expect(receiver.settings.sentences.contains(.rmc) && !receiver.settings.sendsUBX)
            }
        }
    }
}
