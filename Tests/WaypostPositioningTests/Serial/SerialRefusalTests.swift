import Foundation
import Synchronization
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

extension SerialLineTests {
    /// What a port that cannot be had says, on real ports.
    @Suite struct SerialRefusalTests {
        private let noGPSD: UInt16 = 9

        @Test func refusesASecondReaderAndNamesIt() async throws {
            let wire = try SerialWire(baudRate: nil, receiver: SimulatedReceiver(periodMilliseconds: 200))
            defer { wire.unplug() }
            let source = SerialSource(.path(wire.terminal.path), gpsdPorts: [noGPSD])
            try await running(source) { first in
                #expect(await first.waits { !$0.positions.isEmpty })
                let count = first.positions.count
                try await running(source) { second in
                    #expect(await second.waits { $0.losses.count == 1 })
                    #expect(second.losses == [.disconnected("\(wire.terminal.path): another source of this waypost has it")])
                    #expect(await first.waits { $0.positions.count > count + 3 }, "the first reads on")
                    #expect(second.positions == [])
                }
            }
        }

        @Test func namesTheProgramThatHasLockedThePort() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let holder = try HoldingProcess(terminal.path, locks: true)
            defer { holder.end() }
            // flock(1) becomes sleep(1) once it has the lock.
            while !DeviceHolder.all(of: terminal.path).contains(where: { $0.name == "sleep" }) {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await running(SerialSource(.path(terminal.path), gpsdPorts: [noGPSD])) { log in
                #expect(await log.waits { $0.losses.count == 1 })
                let words = "\(terminal.path): in use by sleep (process \(holder.processID))"
                #expect(log.losses == [.disconnected(LossDetail(words, obstacle: .heldByAnother(path: terminal.path)))])
            }
        }

        @Test(.enabled(if: GPSDServer.isInstalled, "needs gpsd")) func leavesAPortToGPSD() async throws {
            let server = try await GPSDServer()
            defer { server.stop() }
            #expect(GPSDDevices.list(port: server.port) == [server.devicePath])
            let log = EventLog()
            let source = SerialSource(.path(server.devicePath), gpsdPorts: [server.port])
            let run = Task { try await source.run { log.append($0) } }
            #expect(await log.waits { $0.losses.count == 1 })
            let path = server.devicePath
            let detail = LossDetail(
                "\(path): gpsd has it", advice: "use gpsd://localhost, or take it from gpsd: sudo gpsdctl remove \(path)",
                obstacle: .heldByGPSD(path: path))
            #expect(log.losses == [.disconnected(detail)])
            // gpsd goes, its port stays: it is ours to read.
            server.kill()
            let player = Task { try await server.play(SimulatedReceiver(periodMilliseconds: 200), epochs: 0..<100) }
            #expect(await log.waits { !$0.positions.isEmpty })
            player.cancel()
            run.cancel()
            try await run.value
        }

        @Test func givesAPortBackToAGPSDThatComesToListIt() async throws {
            let wire = try SerialWire(baudRate: nil, receiver: SimulatedReceiver(periodMilliseconds: 200))
            defer { wire.unplug() }
            let path = wire.terminal.path
            let isListed = Mutex(false)
            let gpsd = try ScriptedGPSD { client in
                let device = isListed.withLock { $0 } ? #"{"class":"DEVICE","path":"\#(path)"}"# : ""
                _ = client.send(#"{"class":"DEVICES","devices":[\#(device)]}"# + "\r\n")
                client.waitForTheEnd()
            }
            try await running(SerialSource(.path(path), gpsdPorts: [gpsd.port])) { log in
                #expect(await log.waits { $0.positions.count > 3 })
                #expect(log.losses == [])
                isListed.withLock { $0 = true }
                #expect(await log.waits(.seconds(30)) { !$0.losses.isEmpty })
                #expect(log.losses == [SerialRefusal.heldByGPSD(path: path).loss])
            }
        }

        @Test(.enabled(if: getuid() != 0, "root may open everything"))
        func asksForTheGroupOfAPortWithoutPermission() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            #expect(chmod(terminal.path, 0) == 0)
            try await running(SerialSource(.path(terminal.path), gpsdPorts: [noGPSD])) { log in
                #expect(await log.waits { $0.losses.count == 1 })
                let refusal = SerialRefusal.denied(path: terminal.path, group: Syscalls.groupName(of: terminal.path))
                #expect(log.losses == [refusal.loss])
            }
        }

        @Test func saysWhichGroupMayOpenAPort() {
            #expect(
                SerialRefusal.denied(path: "/dev/ttyUSB0", group: "dialout").words
                    == "/dev/ttyUSB0: permission denied; its group may: sudo usermod -aG dialout $USER, then log in again")
            #expect(Syscalls.groupName(of: "/dev/null") == "root")
        }

        /// Advice to open a console to others would let them log in, or type what is run.
        @Test func namesTheDoctorForAConsole() throws {
            let root = FileManager.default.temporaryDirectory.appendingPathComponent("console-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: root + "/proc", withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: root) }
            try "console=ttyS0,115200 console=tty1 root=/dev/vda1\n".write(
                toFile: root + "/proc/cmdline", atomically: true, encoding: .utf8)
            let tree = SystemTree(root: root)
            let refusals = [
                SerialRefusal.denied(path: "/dev/ttyS0", group: nil), .held(path: "/dev/ttyS0", by: [], isOwn: false),
            ]
            for refusal in refusals {
                #expect(
                    refusal.orConsole(in: tree).words
                        == "/dev/ttyS0: the system uses it as a console; this shows how to free it: sudo waypost doctor")
            }
            for refusal in [SerialRefusal.denied(path: "/dev/ttyUSB0", group: "dialout"), .missing(path: "/dev/ttyS0")] {
                #expect(refusal.orConsole(in: tree) == refusal)
            }
        }

        /// A group that may only read helps nobody who joins it.
        @Test func namesNoGroupThatMayOnlyRead() throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            #expect(chmod(terminal.path, 0o640) == 0 && Syscalls.groupName(of: terminal.path) == nil)
            #expect(chmod(terminal.path, 0o660) == 0 && Syscalls.groupName(of: terminal.path) != nil)
        }

        @Test func saysThatAPortVanishedWhileItWasProbed() async throws {
            let wire = try SerialWire(baudRate: 921_600, receiver: SimulatedReceiver(periodMilliseconds: 5_000))
            let path = wire.terminal.path
            try await running(SerialSource(.path(path), gpsdPorts: [noGPSD])) { log in
                // Still searching: the first burst has gone by, the next one is far.
                try await Task.sleep(for: .milliseconds(800))
                wire.unplug()
                #expect(await log.waits { $0.losses.count == 1 })
                #expect(log.losses == [.deviceGone("\(path) was unplugged or hung up")])
                #expect(await log.waits { $0.events.contains(.status(.stillLost(.deviceGone("\(path) is not there; waiting for it")))) })
            }
        }

        @Test func refusesWhatIsNoLine() async throws {
            for path in ["/tmp", "/etc/passwd", "/dev/null"] {
                await #expect(throws: PositionSourceError.unusable(path: path, reason: "is not a serial port")) {
                    try await SerialSource(.path(path), gpsdPorts: [noGPSD]).run { _ in }
                }
            }
        }

        @Test func opensNothingByItselfThatIsNotKnownAsAReceiver() async throws {
            let empty = SerialDeviceCatalogue(root: "/nowhere")
            try await running(SerialSource(.automatic, gpsdPorts: [noGPSD], catalogue: empty)) { log in
                #expect(await log.waits { $0.losses.count == 1 })
                #expect(log.losses == [SerialRefusal.noKnownReceiver(candidates: []).loss])
            }
        }

        @Test func remembersSpeedsInAFile() throws {
            let path = NSTemporaryDirectory() + "waypost-rates-\(UUID().uuidString)"
            defer { unlink(path) }
            BaudMemory(path: path).remember(4_800, for: "/dev/serial/by-id/a b")
            BaudMemory(path: path).remember(38_400, for: "/dev/ttyS0")
            let memory = BaudMemory(path: path)
            #expect(memory.baudRate(of: "/dev/serial/by-id/a b") == 4_800)
            #expect(memory.baudRate(of: "/dev/ttyS0") == 38_400)
            #expect(memory.baudRate(of: "/dev/ttyS1") == nil)
            let modified = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            memory.remember(4_800, for: "/dev/serial/by-id/a b")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == modified, "not written again")
            try "x y\n1 /dev/a\n9600\n9600 /dev/b\n\u{0}".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(BaudMemory(path: path).baudRate(of: "/dev/b") == 9_600)
            #expect(BaudMemory(path: path).baudRate(of: "/dev/a") == nil)
        }
    }
}
