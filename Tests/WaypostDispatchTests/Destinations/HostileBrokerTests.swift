import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// What a broker that means harm costs: nothing that grows.
@Suite(.serialized, .enabled(if: MosquittoBroker.isInstalled, "libmosquitto may not be installed")) struct HostileBrokerTests {
    @Test(arguments: ["qos2", "long", "strange", "chatter", "deaf", "answers"])
    func leavesABrokerThatSendsWhatNobodyAskedFor(mode: String) async throws {
        let broker = try HostileBroker(mode)
        let destination = try MQTTDestinationTests.destination(broker.url) {
            try MQTTDestinationTests.applicationReceipts(&$0)
            $0.receiptTimeout = .seconds(60)
        }
        // The peak counts from here.
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try Self.peakMegabytes
        let start = ContinuousClock.now
        var outcome = await destination.send(MQTTDestinationTests.batch(1...5))
        // What is too long may be what it kept for us: that is thrown away once.
        if case .temporary = outcome { outcome = await destination.send(MQTTDestinationTests.batch(1...5)) }
        guard case .denied(let reason) = outcome else { throw Unexpected("\(mode): \(outcome)") }
        #expect(reason.contains("the broker"))
        #expect(ContinuousClock.now - start < .seconds(30))
        let growth = try Self.peakMegabytes - before
        #expect(growth < 96, "\(mode): \(growth) MB more")
    }

    /// Of this process, other tests included, MB.
    private static var peakMegabytes: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(separator: " ").compactMap { Int($0) }.first) / 1_024
        }
    }
}
