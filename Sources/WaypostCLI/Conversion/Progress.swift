import Waypost
import WaypostSystem

/// Shows the progress of long work on a terminal's standard error.
struct Progress {
    /// Shorter work shows nothing.
    static let quietMilliseconds: Int64 = 1_000

    private let name: String
    private let totalBytes: Int64?
    private var doneBytes: Int64 = 0
    private var nextMilliseconds = MonotonicClock.milliseconds + Progress.quietMilliseconds
    private var isShown = false

    /// - Parameter totalBytes: how many bytes there are, nil when that cannot be known.
    init(name: String, totalBytes: Int64?) {
        self.name = printable(name)
        self.totalBytes = totalBytes
    }

    /// Notes that this many more bytes are done; 0 is the end.
    mutating func add(bytes: Int) {
        guard Terminal.isErrorInteractive else { return }
        if bytes == 0 { return clear() }
        doneBytes += Int64(bytes)
        let now = MonotonicClock.milliseconds
        guard now >= nextMilliseconds else { return }
        nextMilliseconds = now + 200
        isShown = true
        let amount = totalBytes.map { $0 > 0 ? "\(doneBytes * 100 / $0) %" : "" } ?? sizeText(bytes: doneBytes)
        Terminal.showProgress("\(name): \(amount)")
    }

    /// Removes the display before something else is written; the next progress shows it again.
    mutating func clear() {
        if isShown { Terminal.showProgress("") }
        isShown = false
    }
}
