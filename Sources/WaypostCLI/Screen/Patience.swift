import Waypost
import WaypostSystem

/// Shows on a terminal's standard error, after two seconds, what the command waits for and how long already.
enum Patience {
    private static let quietMilliseconds: Int64 = 2_000
    /// Whether a wait is shown already: a wait within it is not shown too.
    private static let isWaiting = Monitor(false)

    /// Does work that may take a while.
    static func during<Value: ~Copyable, Failure: Error>(_ what: String, _ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard Terminal.isErrorInteractive, isWaiting.withLock({ swap(&$0) }) else { return try body() }
        let line = Line(printable(what))
        // Without a thread there is just no message.
        let thread = try? DedicatedThread.start(name: "patience") { stop in  // See above.
            guard stop.sleep(milliseconds: quietMilliseconds) else { return }
            repeat { line.show() } while stop.sleep(milliseconds: 1_000)
        }
        defer {
            line.end()
            thread?.raise()
            isWaiting.withLock { $0 = false }
        }
        return try body()
    }

    /// Marks it as taken; returns whether it was free.
    private static func swap(_ isTaken: inout Bool) -> Bool {
        defer { isTaken = true }
        return !isTaken
    }

    /// The line, which two threads write: one shows it, the other ends it.
    private final class Line: Sendable {
        private let what: String
        private let startMilliseconds = MonotonicClock.milliseconds
        private let state = Monitor((isShown: false, hasEnded: false))

        init(_ what: String) {
            self.what = what
        }

        func show() {
            state.withLock { state in
                guard !state.hasEnded else { return }
                state.isShown = true
                Terminal.showProgress("\(what): \(spanText(seconds: (MonotonicClock.milliseconds - startMilliseconds) / 1_000))")
            }
        }

        func end() {
            state.withLock { state in
                state.hasEnded = true
                if state.isShown { Terminal.showProgress("") }
            }
        }
    }
}

extension Terminal {
    /// Shows text in place of the last line of progress; an empty text removes it.
    static func showProgress(_ text: String) {
        try? Syscalls.writeAll(Syscalls.standardError, Array("\r\(text)\u{1B}[K".utf8))  // Progress that cannot be shown is not missed.
    }
}
