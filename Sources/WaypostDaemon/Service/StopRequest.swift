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

    /// Turns signals into the request for ever: the first ends the tracker normally, a later one ends the process at once.
    ///
    /// `timeout` of coreutils sends a signal to the program and to its group: two within a moment are one.
    /// For the main thread: an `async` main hands it to the dispatch library, which unblocks every signal there, and the first SIGTERM
    /// would kill the tracker.
    func listenForSignals() -> Never {
        _ = Signals.waitForStopRequest()
        let first = MonotonicClock.milliseconds
        continuation.yield()
        repeat { _ = Signals.waitForStopRequest() } while MonotonicClock.milliseconds - first < StopRequest.momentMilliseconds
        SystemProcess.interrupt()
    }

    /// Shorter than a person takes to press Ctrl-C again.
    private static let momentMilliseconds: Int64 = 100
}
