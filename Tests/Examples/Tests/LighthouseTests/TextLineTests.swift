import Synchronization
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

@testable import Lighthouse

private struct Broken: Error {}

/// A connection that gives some lines, a few milliseconds apart, and then stays silent or breaks.
private func connection(_ lines: [String], breaks: Bool) -> AsyncThrowingStream<String, any Error> {
    AsyncThrowingStream { continuation in
        let task = Task {
            for line in lines {
                continuation.yield(line)
                try await Task.sleep(for: .milliseconds(10))
            }
            if breaks { continuation.finish(throwing: Broken()) }
        }
        continuation.onTermination = { _ in task.cancel() }
    }
}

@Test func textLinesKeepTheContract() async {
    let lines = (0..<1_000).map { "53.\(10_000 + $0) 8.1267" }
    let violations = await PositionSourceContract().violations {
        TextLineSource(name: "text:") { connection(lines, breaks: false) }
    }
    #expect(violations.isEmpty, "\(violations)")
}

@Test func aBrokenConnectionIsLostOnceAndMadeAgain() async throws {
    let events = Mutex<[PositionSourceEvent]>([])
    let source = TextLineSource(name: "text:") { connection(["53.5 8.5", "noise", "91 8"], breaks: true) }
    let run = Task { try await source.run { event in events.withLock { $0.append(event) } } }
    try await Task.sleep(for: .seconds(1.5))
    run.cancel()
    try await run.value
    let seen = events.withLock { $0 }
    #expect(seen.count == 4, "\(seen)")
    #expect(seen.filter { $0 == .lost(.disconnected("text:: Broken()")) }.count == 2, "once per connection, after a position each: \(seen)")
}
