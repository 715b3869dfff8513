import Foundation
import Testing
import WaypostSystem

@Suite struct ProcessIdentityTests {
    @Test func knowsTheUserAndTheEnvironment() {
        let identity = ProcessIdentity.current()
        #expect(identity.environment == ProcessInfo.processInfo.environment)
        #expect(identity.userID == geteuid())
        // NSUserName falls back to other sources when the system has no name for the user.
        if let name = identity.userName { #expect(name == NSUserName()) }
    }
}
