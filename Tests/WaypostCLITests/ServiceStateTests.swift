import Testing
import WaypostSystem

@testable import WaypostCLI

/// What is said when the service cannot be reached.
@Suite struct ServiceStateTests {
    @Test(arguments: [
        ("inactive", "the service is stopped; start it: sudo systemctl start waypostd"),
        ("failed", "the service has failed; see why: sudo waypost doctor; sudo journalctl -u waypostd"),
        ("activating", "the service is starting; try again in a moment"),
    ]) func saysWhatToDo(state: String, words: String) throws {
        let failure = try #require(CommandFailure(serviceIs: ServiceState(Array("ActiveState=\(state)\n".utf8))))
        #expect(failure.line == "waypost: tracker: \(words)")
        #expect(failure.status == .unavailable)
    }

    @Test(arguments: ["ActiveState=active\n", "", "System has not been booted with systemd\n"]) func saysNothingOtherwise(output: String) {
        #expect(CommandFailure(serviceIs: ServiceState(Array(output.utf8)))?.line == nil)
    }
}
