import Synchronization
import Waypost
import WaypostSystem
import WaypostTestKit

/// One drive, seen by several receivers on their gpsd's terminals, five times a second; each may lose its fix and find it again.
final class Drive: Sendable {
    private let missing = Mutex<Set<Int>>([])
    private let writers = Mutex<[Task<Void, Never>]>([])

    init(servers: [GPSDServer]) {
        let receiver = SimulatedReceiver(periodMilliseconds: 200)
        let start = MonotonicClock.milliseconds
        for (index, server) in servers.enumerated() {
            let task = Task {
                for epoch in 0... {
                    try? await Task.sleep(for: .milliseconds(max(0, start + Int64(epoch) * 200 - MonotonicClock.milliseconds)))
                    if Task.isCancelled { return }
                    let text = self.withoutFix.contains(index) ? receiver.epochWithoutFix(epoch) : receiver.epoch(epoch).text
                    // The terminal holds what nobody reads while gpsd is dead; what does not fit is lost, as on a real line.
                    try? server.write(text)
                }
            }
            writers.withLock { $0.append(task) }
        }
    }

    /// The receivers that have no fix now.
    var withoutFix: Set<Int> {
        get { missing.withLock { $0 } }
        set { missing.withLock { $0 = newValue } }
    }

    func stop() {
        for task in writers.withLock(\.self) { task.cancel() }
    }
}
