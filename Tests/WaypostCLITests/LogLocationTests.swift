import Testing
import WaypostSystem

@testable import WaypostCLI

/// Which log is meant where no tracker runs: a script must not fetch another one than yesterday.
@Suite struct LogLocationTests {
    private let own = DefaultPaths(environment: ["HOME": "/home/ana"], userID: 1_000, userName: "ana")

    @Test func asksWhereTheServiceHasStopped() throws {
        let system = try FakeSystem()
        let failure = try #require(throws: CommandFailure.self) {
            try LogLocation.refuseToGuess(own, in: SystemTree(root: system.path))
        }
        #expect(failure.status == .unavailable)
        #expect(
            failure.line.contains("there is a log of the service and one of your own; name one: --log /var/log/waypost or --log /home/ana/")
        )
    }

    @Test func takesTheOnlyOne() throws {
        let system = try FakeSystem()
        try LogLocation.refuseToGuess(.service, in: SystemTree(root: system.path))
        try system.remove("/usr/lib/systemd/system/waypostd.service")
        try LogLocation.refuseToGuess(own, in: SystemTree(root: system.path))
    }
}
