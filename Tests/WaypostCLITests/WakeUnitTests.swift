import Testing
import WaypostSystem

@testable import WaypostCLI

/// What is told of a unit that is to be started.
struct WakeUnitTests {
    private func notes(_ name: String, user: String?, in system: FakeSystem) -> [String] {
        WakeUnit(name: name, user: user, environment: ["HOME": "/home/pi"], tree: SystemTree(root: system.path)).notes
    }

    private let linger = "units of pi are started only while pi is logged in; for all times: loginctl enable-linger"

    @Test func saysWhatKeepsAUnitFromBeingStarted() throws {
        let system = try FakeSystem()
        let missing = "there is no unit photo.service yet: write ~/.config/systemd/user/photo.service, then systemctl --user daemon-reload"
        #expect(notes("photo.service", user: "pi", in: system) == [missing, linger])
        try system.write("[Service]\n", to: "/home/pi/.config/systemd/user/photo.service")
        #expect(notes("photo.service", user: "pi", in: system) == [linger])
        try system.write("", to: "/var/lib/systemd/linger/pi")
        #expect(notes("photo.service", user: "pi", in: system).isEmpty)
        try system.link("/etc/systemd/user/shut.service", to: "/dev/null")
        #expect(
            notes("shut.service", user: "pi", in: system) == [
                "shut.service is masked, so that nothing can start it: systemctl --user unmask shut.service"
            ])
    }

    @Test func findsTheUnitsOfRootAndThoseOfTemplates() throws {
        let system = try FakeSystem()
        let missing = "there is no unit photo@3.service yet: write /etc/systemd/system/photo@.service, then systemctl daemon-reload"
        #expect(notes("photo@3.service", user: nil, in: system) == [missing])
        try system.write("[Service]\n", to: "/usr/lib/systemd/system/photo@.service")
        #expect(notes("photo@3.service", user: nil, in: system).isEmpty)
        #expect(WakeUnit.notes(on: WakeProgram(.program("/bin/true"))).isEmpty)
    }
}
