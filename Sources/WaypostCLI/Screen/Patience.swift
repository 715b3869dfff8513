import Waypost
import WaypostSystem

/// Says on a terminal's standard error, after two seconds, what is waited for and how long already.
enum Patience {
    private static let quietMilliseconds: Int64 = 2_000
    /// Whether somebody waits already: what is waited for within that is not said on top of it.
    private static let isWaiting = Monitor(false)

    /// Does something that may take its time.
    static func during<Value: ~Copyable, Failure: Error>(_ what: String, _ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard Terminal.isErrorInteractive, isWaiting.withLock({ swap(&$0) }) else { return try body() }
        let line = Line(printable(what))
        // Without a thread it is merely quiet.
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

    /// Whether it was free.
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
    /// Shows text in the place of the last line of progress; none removes it.
    static func showProgress(_ text: String) {
        try? Syscalls.writeAll(Syscalls.standardError, Array("\r\(text)\u{1B}[K".utf8))  // Progress that cannot be shown is not missed.
    }
}
