import Synchronization
import WaypostSystem

/// The signals that ask the tracker to stop: the first in order, the second at once.
struct StopRequest: Sendable {
    private let stream: AsyncStream<Void>
    private let thread: ThreadCancellation

    /// Listens from now on; the signals must be blocked already.
    init() throws(SystemError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        thread = try DedicatedThread.start(name: "signals") { _ in
            _ = Signals.waitForStopRequest()
            continuation.yield()
            _ = Signals.waitForStopRequest()
            SystemProcess.interrupt()
        }
    }

    /// Waits for the first request, or until the task is cancelled.
    func wait() async {
        for await _ in stream { return }
    }
}
