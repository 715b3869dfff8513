import NIOCore

/// Lines that wait for a watcher who does not read: a bounded number, of which the oldest are dropped first.
///
/// - Cost: a line is shared by all queues that hold it; a queue costs one reference per line.
struct WatcherQueue: Sendable {
    /// What to send next.
    enum Item: Equatable {
        /// This many lines before the next one were dropped.
        case dropped(Int)
        case line(ByteBuffer)
    }

    private let limit: Int
    private var lines = CircularBuffer<ByteBuffer>()
    private var droppedSinceLastItem = 0

    /// An empty queue with room for that many lines.
    init(limit: Int) {
        precondition(limit > 0, "a queue for at least one line")
        self.limit = limit
    }

    /// Whether there is nothing to send.
    var isEmpty: Bool { lines.isEmpty && droppedSinceLastItem == 0 }

    /// Adds a line, in place of the oldest when the queue is full.
    mutating func append(_ line: ByteBuffer) {
        if lines.count == limit {
            lines.removeFirst()
            droppedSinceLastItem += 1
        }
        lines.append(line)
    }

    /// Removes and returns the next item to send; nil when there is none.
    mutating func next() -> Item? {
        if droppedSinceLastItem > 0 {
            defer { droppedSinceLastItem = 0 }
            return .dropped(droppedSinceLastItem)
        }
        return lines.popFirst().map(Item.line)
    }
}
