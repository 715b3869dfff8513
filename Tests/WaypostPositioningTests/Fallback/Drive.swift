import Synchronization
import Waypost
import WaypostSystem
import WaypostTestKit

/// One drive, seen by several receivers, five times a second; each may lose its fix and find it again.
final class Drive: Sendable {
    private let missing = Mutex<Set<Int>>([])
    private let writers = Mutex<[Task<Void, Never>]>([])

    /// A drive that goes on; each line takes what its receiver says.
    init(lines: [@Sendable (String) async -> Void]) {
        let receiver = SimulatedReceiver(periodMilliseconds: 200)
        let start = MonotonicClock.milliseconds
        for (index, line) in lines.enumerated() {
            let task = Task {
                for epoch in 0... {
                    try? await Task.sleep(for: .milliseconds(max(0, start + Int64(epoch) * 200 - MonotonicClock.milliseconds)))
                    if Task.isCancelled { return }
                    let text = self.withoutFix.contains(index) ? receiver.epochWithoutFix(epoch) : receiver.epoch(epoch).text
                    await line(text)
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

extension GPSDServer {
    /// The line to its receiver.
    var line: @Sendable (String) async -> Void {
        // The terminal holds what nobody reads while gpsd is dead; what does not fit is lost, as on a real line.
        { try? self.write($0) }
    }
}
