/// A place among what waits for a destination: behind an entry of the outbox and behind a position of the log.
public struct WaitingCursor: Sendable, Hashable {
    /// The number of the entry.
    public var event: UInt64
    /// The number of the position.
    public var position: UInt64

    /// The place behind these numbers.
    ///
    /// - Parameters:
    ///   - event: the number of the entry.
    ///   - position: the number of the position.
    public init(event: UInt64, position: UInt64) {
        self.event = event
        self.position = position
    }

    /// As it stands in `next` of an answer and `page` of a request: `17:4711`.
    public var text: String { "\(event):\(position)" }

    /// The cursor of that text; nil for anything else.
    ///
    /// - Parameter text: as it stands in `next` of an answer.
    public init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let event = RecordNumber.read(parts[0]), let position = RecordNumber.read(parts[1]) else { return nil }
        self.init(event: event, position: position)
    }
}
