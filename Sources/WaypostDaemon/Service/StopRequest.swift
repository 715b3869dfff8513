import WaypostSystem

/// The request to stop, passed from the thread that waits for signals to the task that handles it.
struct StopRequest: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    /// Waits for the request, or until the task is cancelled.
    func wait() async {
        for await _ in stream { return }
    }

    /// Turns signals into the request for ever: the first ends the tracker normally, the second ends the process at once.
    ///
    /// For the main thread: an `async` main hands it to the dispatch library, which unblocks every signal there, and the first SIGTERM
    /// would kill the tracker.
    func listenForSignals() -> Never {
        _ = Signals.waitForStopRequest()
        continuation.yield()
        _ = Signals.waitForStopRequest()
        SystemProcess.interrupt()
    }
}
