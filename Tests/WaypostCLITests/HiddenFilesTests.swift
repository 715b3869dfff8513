import Foundation
import Glibc
import Testing
import WaypostConfiguration
import WaypostSystem

@testable import WaypostCLI

/// Files of the service's configuration that the user of the service may not read: root may, and everything looks well to root.
@Suite struct HiddenFilesTests {
    private let system: FakeSystem

    init() throws {
        system = try FakeSystem()
        try system.write("[log]\nmax_age = \"30 d\"\n", to: "/etc/waypost/waypost.toml")
    }

    private func setMode(_ mode: Int, of file: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: system.path + file)
    }

    private func addServer(secret: String) throws {
        let text = "[[destination]]\nname = \"own\"\nurl = \"https://a.example/in\"\ntoken_file = \"/etc/waypost/own.token\"\n"
        try system.write(text, to: "/etc/waypost/conf.d/own.toml")
        try system.write(secret, to: "/etc/waypost/own.token")
    }

    /// The only fault, in the words of the doctor.
    private var fault: String? {
        let faults = system.findings()
        guard faults.count == 1, let fault = faults.first else { return "\(faults)" }
        return "\(fault.check): \(fault.finding.what): \(fault.finding.commands.joined(separator: "; "))"
    }

    @Test(arguments: ["waypost.toml", "conf.d/own.toml"]) func namesAFileThatOnlyRootMayRead(name: String) throws {
        try system.write("[log]\nmax_age = \"60 d\"\n", to: "/etc/waypost/conf.d/own.toml")
        try setMode(0o600, of: "/etc/waypost/\(name)")
        #expect(
            fault
                == "configuration: the tracker cannot start: the tracker runs as user waypost and may not read it: "
                + "sudo chgrp waypost /etc/waypost/\(name) && sudo chmod 640 /etc/waypost/\(name)")
    }

    @Test func namesAFolderThatOnlyRootMayRead() throws {
        try system.write("[log]\nmax_age = \"60 d\"\n", to: "/etc/waypost/conf.d/own.toml")
        try setMode(0o700, of: "/etc/waypost/conf.d")
        #expect(
            fault?.hasSuffix(": sudo chgrp waypost /etc/waypost/conf.d && sudo chmod g+rx /etc/waypost/conf.d") == true, "\(fault ?? "")")
    }

    /// A drop-in of the unit may let another user run it.
    @Test func asksForTheUserOfTheUnit() throws {
        try system.append("ana:x:1000:1000::/home/ana:/bin/bash\n", to: "/etc/passwd")
        try system.append("ana:x:1000:\n", to: "/etc/group")
        try system.write("[Service]\nUser=ana\n", to: "/etc/systemd/system/waypostd.service.d/user.conf")
        try setMode(0o600, of: "/etc/waypost/waypost.toml")
        #expect(fault?.contains("runs as user ana") == true, "\(fault ?? "")")
    }

    @Test func namesASecretThatOnlyRootMayRead() throws {
        try addServer(secret: "x\n")
        try setMode(0o600, of: "/etc/waypost/own.token")
        #expect(
            fault
                == "configuration: [[destination]] token_file: /etc/waypost/own.token: the tracker runs as user waypost and may not read it: "
                + "sudo chown waypost /etc/waypost/own.token && sudo chmod 600 /etc/waypost/own.token")
    }

    @Test(arguments: [
        ("abc\u{1B}[31m\n", "holds a control character in its first line, which must be the token"),
        (String(repeating: "x", count: 70_000), "has more than 65536 bytes; its first line must be the secret"),
    ]) func namesATokenThatCannotBeSent(text: String, fault: String) throws {
        try addServer(secret: text)
        try setMode(0o600, of: "/etc/waypost/own.token")
        let loaded = try Configuration.load(path: system.path + "/etc/waypost/conf.d/own.toml", paths: .service)
        #expect(NamedFiles(loaded, in: SystemTree(root: system.path)).problems.map(\.reason) == ["/etc/waypost/own.token: \(fault)"])
    }

    @Test(arguments: ["", "\n", "\r\nx\n"]) func namesASecretThatIsEmpty(text: String) throws {
        try addServer(secret: text)
        try setMode(0o600, of: "/etc/waypost/own.token")
        let tree = SystemTree(root: system.path)
        let loaded = try Configuration.load(path: system.path + "/etc/waypost/conf.d/own.toml", paths: .service)
        #expect(
            NamedFiles(loaded, in: tree).problems.map(\.reason) == ["/etc/waypost/own.token: is empty; its first line must be the secret"])
        try addServer(secret: "x\n")
        try setMode(0o600, of: "/etc/waypost/own.token")
        #expect(NamedFiles(loaded, in: tree).problems.isEmpty)
    }

    /// Of a service with a `/tmp` of its own everybody else sees the file, and the service does not.
    @Test(arguments: ["/tmp", "/var/tmp"]) func findsAFileThatTheSandboxHides(folder: String) throws {
        try system.write("$GPRMC", to: folder + "/drive.nmea")
        try system.write("[[source]]\nurl = \"nmea:\(folder)/drive.nmea\"\n", to: "/etc/waypost/conf.d/own.toml")
        try system.write("[Service]\nPrivateTmp=yes\n", to: "/etc/systemd/system/waypostd.service.d/own.conf")
        let hidden = system.findings().map { "\($0.finding.what): \($0.finding.commands.joined(separator: "; "))" }
        #expect(
            hidden.contains {
                $0.hasSuffix(
                    "\(folder)/drive.nmea: the service has a \(folder) of its own, without this file: "
                        + "sudo install -m 640 -g waypost \(folder)/drive.nmea /etc/waypost/; "
                        + "sudoedit /etc/waypost/conf.d/own.toml; sudo systemctl restart waypostd.service")
            }, "\(hidden)")
        try system.write("[Service]\nPrivateTmp=no\n", to: "/etc/systemd/system/waypostd.service.d/own.conf")
        #expect(!system.findings().contains { $0.finding.what.contains("of its own") })
    }

    /// Nobody opens a home to the tracker.
    @Test func doesNotOpenHomesToTheTracker() throws {
        try system.write("{}", to: "/home/ana/fences.geojson")
        try setMode(0o700, of: "/home/ana")
        let obstacle = try #require(
            ReadingUser(named: "waypost", in: SystemTree(root: system.path))?.obstacle(
                to: "/home/ana/fences.geojson", in: SystemTree(root: system.path)))
        #expect(obstacle.command == "sudo install -m 640 -g waypost /home/ana/fences.geojson /etc/waypost/")
        #expect(
            obstacle.words.hasSuffix("/home/ana does not let that user in: \(obstacle.command), and name the copy"), "\(obstacle.words)")
    }

    /// Of a copy that an ordinary user has unpacked all files belong to that user: they show nothing about the tracker's.
    @Test(.enabled(if: getuid() == 0, "gives files to another user")) func judgesNoOwnersThatACopyHasLost() throws {
        try addServer(secret: "x\n")
        try setMode(0o600, of: "/etc/waypost/waypost.toml")
        try setMode(0o644, of: "/etc/waypost/own.token")
        #expect(system.findings().count == 2)
        for name in try FileManager.default.subpathsOfDirectory(atPath: system.path) + [""] {
            #expect(lchown("\(system.path)/\(name)", 1_000, 1_000) == 0)
        }
        #expect(system.findings().isEmpty, "\(system.findings())")
        let unjudged = system.examine().filter { $0.report.notChecked == SystemFacts.ownersAreLost }.map(\.check)
        #expect(unjudged == ["configuration", "owner"])
    }
}
