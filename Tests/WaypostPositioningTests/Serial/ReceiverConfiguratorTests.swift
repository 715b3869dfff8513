import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

extension SerialLineTests {
    /// Receivers that are asked how they are set, and changed: models of u-blox and MediaTek on pseudo terminals.
    @Suite struct ReceiverConfiguratorTests {
        private let noGPSD: UInt16 = 9

        private func desk(_ terminal: PseudoTerminal) -> ReceiverConfigurator {
            ReceiverConfigurator(path: terminal.path, gpsdPorts: [noGPSD])
        }

        private var quick: UBloxReceiver.Settings {
            var settings = UBloxReceiver.Settings()
            settings.periodMilliseconds = 200
            return settings
        }

        @Test(arguments: UBloxReceiver.Generation.allCases) func changesAUBloxAndReadsBack(generation: UBloxReceiver.Generation) throws {
            let receiver = try UBloxReceiver(generation, settings: quick, isOnUSB: true)
            defer { receiver.unplug() }
            let desk = desk(receiver.terminal)
            let before = try desk.state()
            #expect(before.maker == .ublox && before.model == "NEO-TEST" && before.baudRate == nil)
            #expect(before.periodMilliseconds == 200 && before.movement == "portable" && before.sendsGST == false)
            #expect(before.antenna == .well && before.sendsNMEA == true)
            #expect(try desk.apply(.period(milliseconds: 500)).periodMilliseconds == 500)
            #expect(try desk.apply(.movement("automotive")).movement == "automotive")
            #expect(!receiver.settings.isKept)
            #expect(try desk.apply(.gst(true), keeps: true).sendsGST == true)
            let settings = receiver.settings
            #expect(
                settings.periodMilliseconds == 500 && settings.dynamicModel == 4 && settings.sentences.contains(.gst) && settings.isKept)
            #expect(settings.sendsNMEA && settings.sendsUBX)
        }

        @Test(arguments: UBloxReceiver.Generation.allCases) func changesTheSpeedOfAUBlox(generation: UBloxReceiver.Generation) throws {
            let receiver = try UBloxReceiver(generation, settings: quick, isOnUSB: false)
            defer { receiver.unplug() }
            #expect(try desk(receiver.terminal).apply(.baudRate(38_400)).baudRate == 38_400)
            #expect(receiver.settings.baudRate == 38_400)
            #expect(try desk(receiver.terminal).state().baudRate == 38_400, "found again")
        }

        @Test func asksAReceiverThatSendsNMEAAloneAndLeavesItSo() throws {
            var settings = quick
            settings.sendsUBX = false
            let receiver = try UBloxReceiver(.nine, settings: settings, isOnUSB: true)
            defer { receiver.unplug() }
            #expect(try desk(receiver.terminal).apply(.movement("sea")).movement == "sea")
            #expect(!receiver.settings.sendsUBX && receiver.settings.sendsNMEA)
        }

        @Test func saysWhatAReceiverRefuses() throws {
            let receiver = try UBloxReceiver(.eight, settings: quick)
            defer { receiver.unplug() }
            let path = receiver.terminal.path
            #expect(throws: ReceiverError.refused("\(path): the receiver refuses a fix every 40 ms")) {
                try desk(receiver.terminal).apply(.period(milliseconds: 40))
            }
            #expect(throws: ReceiverError.impossible("\(path): the receiver is on USB, which has no speed")) {
                try desk(receiver.terminal).apply(.baudRate(4_800))
            }
            #expect(throws: ReceiverError.self) { try desk(receiver.terminal).apply(.movement("bicycle")) }
            #expect(receiver.settings == quick)
        }

        @Test(arguments: [(UInt8(3), UBXSettings.Antenna.shortCircuit), (4, .open)])
        func tellsOfABadAntenna(code: UInt8, antenna: UBXSettings.Antenna) throws {
            for generation in UBloxReceiver.Generation.allCases {
                var settings = quick
                settings.antenna = code
                let receiver = try UBloxReceiver(generation, settings: settings)
                defer { receiver.unplug() }
                #expect(try desk(receiver.terminal).state().antenna == antenna)
            }
        }

        @Test func changesAMediaTekAndReadsBack() throws {
            let receiver = try MediaTekReceiver(baudRate: 9_600)
            defer { receiver.unplug() }
            let desk = desk(receiver.terminal)
            let before = try desk.state()
            #expect(before.maker == .mediaTek && before.firmware == "AXN_2.31_3339_13101700" && before.baudRate == 9_600)
            #expect(before.periodMilliseconds == 200 && before.sendsGST == false)
            #expect(try desk.apply(.period(milliseconds: 100)).periodMilliseconds == 100)
            #expect(try desk.apply(.gst(true)).sendsGST == true)
            #expect(try desk.apply(.movement("fitness")).movement == nil, "it does not say")
            #expect(receiver.settings.navigationMode == 1)
            #expect(try desk.apply(.baudRate(57_600)).baudRate == 57_600)
            #expect(throws: ReceiverError.refused("\(receiver.terminal.path): the receiver calls PMTK220 invalid")) {
                try desk.apply(.period(milliseconds: 20))
            }
        }

        /// Nothing acknowledges the change, and what came just before it came at the old speed.
        @Test func saysThatAMediaTekKeepsItsSpeed() throws {
            let receiver = try MediaTekReceiver(baudRate: 9_600, keepsItsSpeed: true)
            defer { receiver.unplug() }
            let words = "\(receiver.terminal.path): the receiver does not answer at 57600 baud"
            #expect(throws: ReceiverError.refused(words)) { try desk(receiver.terminal).apply(.baudRate(57_600)) }
            #expect(try desk(receiver.terminal).state().baudRate == 9_600, "found again")
        }

        @Test func leavesAPortToWhoHasIt() throws {
            let receiver = try UBloxReceiver(settings: quick)
            defer { receiver.unplug() }
            let holder = try HoldingProcess(receiver.terminal.path)
            defer { holder.end() }
            let words = "\(receiver.terminal.path): in use by sleep (process \(holder.processID))"
            #expect(throws: ReceiverError.held(words)) { try desk(receiver.terminal).state() }
            #expect(receiver.heard == [])
        }

        @Test(.enabled(if: GPSDServer.isInstalled, "needs gpsd")) func leavesAPortToGPSD() async throws {
            let server = try await GPSDServer()
            defer { server.stop() }
            #expect(throws: ReceiverError.self) { try ReceiverConfigurator(path: server.devicePath, gpsdPorts: [server.port]).state() }
        }

        @Test func saysThatNothingComesOrNothingAnswers() throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            #expect(throws: ReceiverError.missing("/dev/nowhere is not there; waypost devices lists the ports")) {
                try ReceiverConfigurator(path: "/dev/nowhere").state()
            }
            let wire = try SerialWire(baudRate: nil, receiver: SimulatedReceiver(periodMilliseconds: 100))
            defer { wire.unplug() }
            let path = wire.terminal.path
            #expect(
                throws: ReceiverError.unknown("\(path): the receiver answers neither as a u-blox (UBX) nor as a MediaTek (PMTK) does")
            ) { try desk(wire.terminal).state() }
        }
    }
}
