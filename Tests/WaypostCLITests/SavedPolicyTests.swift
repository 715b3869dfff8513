import Glibc
import Testing

@testable import WaypostCLI

/// What the doctor says of a saved system's policy: with the users of that system, whoever owns the copy.
@Suite struct SavedPolicyTests {
    @Test func knowsTheUsersAndGroupsOfTheTree() throws {
        let system = try FakeSystem()
        try system.write(
            "[user]\nwaypost-tree-user = { level = \"full\" }\n[group]\nwaypost-tree-group = { level = \"full\" }\n",
            to: "/etc/waypost/policy.toml")
        #expect(system.findings(.note).filter { $0.check == "policy" }.map(\.finding.what).count == 2)
        try system.append("waypost-tree-user:x:1000:1000::/home/ana:/bin/bash\n", to: "/etc/passwd")
        try system.append("waypost-tree-group:x:1000:\n", to: "/etc/group")
        #expect(system.findings(.note).filter { $0.check == "policy" }.isEmpty)
    }

    @Test func saysNothingOfTheOwnerOfACopy() throws {
        let system = try FakeSystem()
        try system.write("[user]\nroot = { level = \"full\" }\n", to: "/etc/waypost/policy.toml")
        #expect(chmod(system.path + "/etc/waypost/policy.toml", 0o666) == 0)
        #expect(system.findings().filter { $0.check == "policy" }.isEmpty)
    }

    @Test func callsNothingWellInATreeWithoutConfiguration() throws {
        let system = try FakeSystem()
        try system.remove("/etc")
        for report in system.examine() where ["policy", "sharing", "map page"].contains(report.check) {
            #expect(report.report.notChecked == "no /etc")
        }
    }
}
