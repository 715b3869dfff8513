import Waypost

extension ControlRequest {
    /// What somebody wants done with what waits for a destination.
    public enum WaitingQuestion: Sendable, Hashable {
        /// Tells it, a page at a time.
        case export(destination: String, after: WaitingPage?)
        /// Lets it wait for another destination.
        case move(destination: String, target: String)
        /// Drops it for good.
        case discard(destination: String)

        /// The word for it in requests: `waiting_export`, ...
        var verb: String {
            switch self {
            case .export: "waiting_export"
            case .move: "waiting_move"
            case .discard: "waiting_discard"
            }
        }
    }

    /// Where a page of what waits begins: after an entry of the outbox and after a number of the log.
    public struct WaitingPage: Sendable, Hashable {
        /// After that entry.
        public var event: UInt64
        /// After that number.
        public var position: UInt64

        /// A page.
        public init(event: UInt64, position: UInt64) {
            self.event = event
            self.position = position
        }

        /// As it stands in `next` of an answer and `page` of a request: `17:4711`.
        public var text: String { "\(event):\(position)" }

        /// The page of that text; nil for anything else.
        public init?(text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let event = RecordNumber.read(parts[0]), let position = RecordNumber.read(parts[1]) else { return nil }
            self.init(event: event, position: position)
        }
    }
}
