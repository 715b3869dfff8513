import Foundation
import Testing
import Waypost
import WaypostDispatch

/// A secret that somebody has corrected is used without a restart.
@Suite struct ReopeningDestinationTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/waypost-reopening-\(UInt32.random(in: 0...(.max)))"
    private var path: String { folder + "/token" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private struct Missing: Error {}

    /// A server that lets in who says "right"; the destination reads what to say when it is opened.
    private func destination() -> ReopeningDestination {
        ReopeningDestination(files: [path]) { [path] in
            guard let bytes = FileManager.default.contents(atPath: path) else { throw Missing() }
            let isRight = String(decoding: bytes, as: UTF8.self) == "right"
            return ScriptedDestination(answer: { _ in isRight ? .good : .denied(reason: "401") })
        }
    }

    private func write(_ secret: String) throws { try secret.write(toFile: path, atomically: true, encoding: .utf8) }

    @Test func opensAgainOnceASecretHasChanged() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left behind does no harm.
        try write("wrong")
        let fixture = try DispatchFixture()
        let destination = destination()
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .error)
        #expect(!destination.hasNewSecret)
        try write("right")
        #expect(destination.hasNewSecret)
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(!destination.hasNewSecret)
        // One that is gone is no secret; the server is not asked with the old one.
        try FileManager.default.removeItem(atPath: path)
        try await dispatcher.accept([DispatchFixture.call(2)])
        #expect(try await dispatcher.dispatch().failures.first?.reason == "Missing()")
        #expect(destination.reason == "Missing()")
        try write("right")
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(destination.reason == nil)
        await dispatcher.stop()
    }

    /// Nobody waits the quarter of an hour after which a refusal is tried again.
    @Test func isTriedAtOnceWhenItHadFailedForIt() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left behind does no harm.
        try write("wrong")
        let fixture = try DispatchFixture()
        let destination = destination()
        let dispatcher = try await fixture.dispatcher([("home", destination)], interval: .seconds(3_600))
        dispatcher.retryMended("home")
        try await dispatcher.accept([DispatchFixture.call(1)])
        #expect(try await dispatcher.dispatch().word == .error)
        try write("right")
        dispatcher.retryMended("home")
        var sent = 0
        for _ in 0..<500 where sent == 0 {
            try await Task.sleep(for: .milliseconds(20))
            sent = try await dispatcher.outbox.state(of: "home").sentCount
        }
        #expect(sent == 1)
        await dispatcher.stop()
    }
}
