import Glibc
import Testing
import WaypostSystem
import WaypostTestKit

@Suite struct ServiceNotifierTests {
    @Test(arguments: [false, true]) func sendsOneDatagramOfLines(isAbstract: Bool) throws {
        let manager = try NotifySocket(isAbstract: isAbstract)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]))
        try notifier.send(.ready, .status("3D fix\nREADY=0"))
        try notifier.send(.alive)
        try notifier.send(.stopping)
        #expect(manager.receive() == "READY=1\nSTATUS=3D fix READY=0")
        #expect(manager.receive() == "WATCHDOG=1")
        #expect(manager.receive() == "STOPPING=1")
    }

    @Test func isNoneWithoutASocket() {
        for name in [nil, "", "@", "waypost", "vsock:2:1", "/" + String(repeating: "a", count: 200)] {
            let environment = name.map { ["NOTIFY_SOCKET": $0] } ?? [:]
            #expect(ServiceNotifier(environment: environment).map { _ in true } == nil)
        }
    }

    @Test func saysThatNobodyListens() throws {
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": "@waypost-nobody-\(getpid())"]))
        #expect(throws: SystemError.self) { try notifier.send(.ready) }
    }

    @Test func knowsThePeriodOfAWatchdogThatIsMeantForThisProcess() {
        var environment = ["NOTIFY_SOCKET": "/run/notify"]
        #expect(ServiceNotifier(environment: environment)?.watchdogPeriod == nil)
        environment["WATCHDOG_USEC"] = "60000000"
        #expect(ServiceNotifier(environment: environment)?.watchdogPeriod == .seconds(60))
        environment["WATCHDOG_PID"] = String(getpid())
        #expect(ServiceNotifier(environment: environment)?.watchdogPeriod == .seconds(60))
        environment["WATCHDOG_PID"] = "1"
        #expect(ServiceNotifier(environment: environment)?.watchdogPeriod == nil)
    }
}
