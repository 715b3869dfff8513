import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// The line that the tracker gives for a port that it cannot have.
    @Suite struct SerialPortTests {
        @Test func namesTheProgramThatReadsAlready() async throws {
            let terminal = try PseudoTerminal()
            defer { terminal.unplug() }
            let first = try await TrackerProcess(source: "serial://\(terminal.path)", in: TestFolder())
            #expect(await eventually { DeviceHolder.all(of: terminal.path).contains { $0.processID == first.process.processID } })
            let second = try await TrackerProcess(source: "serial://\(terminal.path)", in: TestFolder())
            try await expect("\(terminal.path): in use by waypostd (process \(first.process.processID))", from: second.process)
            try await expect("to use it here: kill \(first.process.processID)", from: second.process)
            _ = try await (first.stop(), second.stop())
        }

        @Test(.enabled(if: GPSDServer.isInstalled, "gpsd is not installed"))
        func leavesAPortToTheGPSDOfAnotherSource() async throws {
            let gpsd = try await GPSDServer()
            defer { gpsd.stop() }
            let tracker = try await TrackerProcess(
                source: "serial://\(gpsd.devicePath)", in: TestFolder(), options: ["--source", "gpsd://127.0.0.1:\(gpsd.port)"])
            try await expect("gpsd has \(gpsd.devicePath)", from: tracker.process)
            _ = try await tracker.stop()
        }

        @Test(.enabled(if: Program.canRunAsNobody, "no user without rights can reach the programs"))
        func saysWhoMayOpenAPortThatItMayNot() async throws {
            let (terminal, folder) = (try PseudoTerminal(), try TestFolder())
            defer { terminal.unplug() }
            // As the ports of a Debian system: for root and one group.
            #expect(chmod(terminal.path, getuid() == 0 ? 0o660 : 0) == 0 && chmod(folder.path, 0o777) == 0)
            let command = [Program.waypostd.path, "--source", "serial://\(terminal.path)"] + TrackerProcess.options
            let tracker = try ProgramProcess(Program.asNobody + command, in: folder)
            try await expect("\(terminal.path): permission denied", from: tracker)
            tracker.send(SIGTERM)
            #expect(try await tracker.exit() == ProgramExit(code: 0))
        }

        @Test func saysThatAPortVanishedWhileItWasProbed() async throws {
            let terminal = try PseudoTerminal()
            let tracker = try await TrackerProcess(source: "serial://\(terminal.path)", in: TestFolder())
            #expect(await eventually { !DeviceHolder.all(of: terminal.path).filter { $0.processID == tracker.process.processID }.isEmpty })
            terminal.unplug()
            try await expect("\(terminal.path) was unplugged or hung up", from: tracker.process)
            _ = try await tracker.stop()
        }

        private func expect(_ words: String, from tracker: ProgramProcess) async throws {
            #expect(await eventually { tracker.errors.contains(words) }, "\(tracker.errors)")
            let line = tracker.errors.split(separator: "\n").first { $0.contains(words) }
            print("refusal: \(line ?? "")")
        }
    }
}
