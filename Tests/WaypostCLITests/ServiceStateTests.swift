import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostCLI

/// What is said when the service cannot be reached.
@Suite struct ServiceStateTests {
    @Test(arguments: [
        ("inactive", "the service is stopped; start it: sudo systemctl start waypostd"),
        ("failed", "the service has failed; see why: sudo waypost doctor; sudo journalctl -u waypostd"),
        (
            "inactive\nLoadState=masked",
            "the service is masked, so that nothing can start it; sudo systemctl unmask waypostd; sudo systemctl enable --now waypostd"
        ),
        ("activating", "the service is starting; try again in a moment"),
        ("activating\nSubState=start", "the service is starting; try again in a moment"),
        (
            "activating\nSubState=auto-restart",
            "the service ended by itself, and is started again and again; see why: sudo waypost doctor; sudo journalctl -u waypostd"
        ),
    ]) func saysWhatToDo(state: String, words: String) throws {
        let failure = try #require(CommandFailure(serviceIs: ServiceState(Array("ActiveState=\(state)\n".utf8))))
        #expect(failure.line == "waypost: tracker: \(words)")
        #expect(failure.status == .unavailable)
    }

    /// With the reason, where this user may know it; else with what the exit code says.
    @Test func saysWhyItHasFailed() throws {
        let state = ServiceState(Array("ActiveState=failed\nExecMainCode=1\nExecMainStatus=65\n".utf8))
        let code = try #require(CommandFailure(serviceIs: state)?.line)
        #expect(code.hasPrefix("waypost: tracker: the service has failed with code 65 (the input is of no use"))
        #expect(
            CommandFailure(serviceIs: state, because: "/x.gpx: there is no XML in it")?.line
                == "waypost: tracker: the service has failed: /x.gpx: there is no XML in it; what to do: sudo waypost doctor")
        // Killed by signal 9.
        #expect(ServiceState(Array("ActiveState=failed\nExecMainCode=2\nExecMainStatus=9\n".utf8)).exitStatus == nil)
    }

    @Test(arguments: ["ActiveState=active\n", "", "System has not been booted with systemd\n"]) func saysNothingOtherwise(output: String) {
        #expect(CommandFailure(serviceIs: ServiceState(Array(output.utf8)))?.line == nil)
    }

    /// A service that an administrator has masked must be unmasked before it can be started.
    @Test func unmasksAMaskedService() throws {
        let system = try FakeSystem()
        try system.remove("/proc/700")
        try system.link("/etc/systemd/system/waypostd.service", to: "/dev/null")
        let finding = try #require(report(ServiceCheck.self, system).findings.first)
        #expect(finding.commands == ["sudo systemctl unmask waypostd.service", "sudo systemctl enable --now waypostd.service"])
        #expect(finding.evidence.first?.text == "masked: nothing can start it")
    }

    /// A card in a reader has an empty folder for /proc: nobody can say whether its tracker runs.
    @Test func callsNothingStoppedOnACardWhoseProcIsEmpty() throws {
        let system = try FakeSystem()
        try system.remove("/proc")
        try system.remove("/commands")
        try system.makeFolder("/proc")
        #expect(system.findings().filter { $0.check == "service" }.isEmpty)
    }

    /// The system's files, looked at by a user of it; nothing answers.
    private func report(_ check: any DoctorCheck.Type, _ system: FakeSystem, by user: String = "pi") -> CheckReport {
        let tree = SystemTree(root: system.path)
        var measurements = Measurements(status: nil, user: user, tree: tree)
        measurements.user = .init(name: user, groupIDs: [1_000])
        return check.examine(SystemFacts(tree: tree, measurements: measurements))
    }

    @Test func takesNoTrackerOfSomebodyElseForTheService() throws {
        let system = try FakeSystem()
        try system.append("ana:x:1001:1001::/home/ana:/bin/bash\npi:x:1000:1000::/home/pi:/bin/bash\n", to: "/etc/passwd")
        try system.addProcess(600, "waypostd")
        try system.write("Uid:\t1001\t1001\t1001\t1001\nGid:\t1001\nGroups:\t1001\nPPid:\t1\n", to: "/proc/600/status")
        try system.write("[[source]]\nurl = \"serial:auto\"\n", to: "/etc/waypost/waypost.toml")
        #expect(report(ServiceCheck.self, system) == .well)
        #expect(report(PortPermissionCheck.self, system) == .well, "the service is in the group; ana's tracker does not matter")
        try system.remove("/proc/700")
        let finding = try #require(report(ServiceCheck.self, system).findings.first)
        #expect(finding.commands == ["sudo systemctl enable --now waypostd.service"])
        #expect(finding.evidence.map(\.file) == ["/usr/lib/systemd/system/waypostd.service", "/proc/600"])
        #expect(report(ServiceCheck.self, system, by: "ana") == .well, "her own")
        // No service is installed either.
        try system.remove("/usr/lib/systemd/system/waypostd.service")
        let advice = try #require(report(ServiceCheck.self, system).findings.first)
        #expect(advice.commands == ["waypost run"] && advice.evidence.map(\.file) == ["/proc/600"])
    }

    /// One that its parent has not asked about yet has ended.
    @Test func takesNoZombieForATracker() throws {
        let system = try FakeSystem()
        try system.write("State:\tZ (zombie)\nUid:\t990\nGid:\t990\nGroups:\t990\nPPid:\t1\n", to: "/proc/700/status")
        let finding = try #require(report(ServiceCheck.self, system).findings.first)
        #expect(finding.what.hasPrefix("the tracker is not running"), "\(finding)")
    }

    @Test func asksForNoPortWhereADriveIsPlayed() throws {
        let system = try FakeSystem()
        try system.write("dialout:x:20:\n", to: "/etc/group")
        try system.write("[[source]]\nurl = \"sim:walk\"\n[[source]]\nurl = \"serial:auto\"\n", to: "/etc/waypost/waypost.toml")
        try system.write("Uid:\t990\nGid:\t990\nGroups:\t990\nPPid:\t1\n", to: "/proc/700/status")
        #expect(system.findings().map(\.check) == ["permission"])
        let status = try String(contentsOfFile: system.path + "/commands/status.json", encoding: .utf8)
        try system.write(status.replacing("serial:auto", with: "sim:walk"), to: "/commands/status.json")
        #expect(system.findings().isEmpty, "\(system.findings())")
    }
}
