import Waypost

/// Where records are sent: a server with some format over some transport.
///
/// A destination converts a batch to its server's format, sends it, and returns the outcome. The ``Dispatcher`` decides when to send, how often
/// to try again, which record caused a refusal, and what is left to send: a destination stores nothing.
///
/// The contract, which `DestinationContract` of `WaypostTestKit` checks:
/// - ``send(_:)`` returns ``DeliveryOutcome/delivered(refused:answer:)`` only when the server itself has confirmed that it has the
///   records; an answer that may come from another program (a captive portal, a proxy) is a temporary failure.
/// - It sends a batch completely or reports that it did not: if a batch may have arrived only in part the outcome is a failure, and all of it is
///   sent again, under the same ids. Where the server confirms record by record, it may report the records with a receipt
///   (``DeliveryOutcome/partly(received:refused:answer:then:)``): only the others are sent again.
/// - It returns within its own time limit, and soon after its task is cancelled, with a temporary failure. One that has not
///   returned after two seconds is left behind, and gets no other batch until it returns; what it says then is ignored.
/// - It accepts every kind of record. One that its format cannot express (``obstacle(to:)``) is not sent to it, and counts as settled.
/// - It never tries again by itself, and keeps no record after it has returned.
/// - Errors hold no secret (a token, a password in a URL) and no position: they are shown and logged.
/// - Concurrency: the dispatcher makes one call of ``send(_:)`` at a time; blocking code (libcurl) has its own thread.
public protocol Destination: Sendable {
    /// The most records in a batch that its format accepts; at least 1.
    var maximumBatchCount: Int { get }

    /// Sends a batch and returns the outcome; never called with an empty one.
    func send(_ batch: DispatchBatch) async -> DeliveryOutcome

    /// Why the format cannot express a record in its present state, for people; nil when it can.
    func obstacle(to record: DispatchRecord) -> String?

    /// The ids of those records of a batch that it would not send: once the batch is delivered they count as settled, but not as sent.
    func withheld(from batch: DispatchBatch) -> Set<String>

    /// Ends a pause of its own before it sends something again, because a person wants everything sent now.
    ///
    /// It may be called from any task, even while ``send(_:)`` waits.
    func hurry()
}

extension Destination {
    /// Most can express everything.
    public func obstacle(to record: DispatchRecord) -> String? { nil }

    /// Whether the destination's format can express a record in its present state.
    public func carries(_ record: DispatchRecord) -> Bool { obstacle(to: record) == nil }

    /// Most send everything that they can express.
    public func withheld(from batch: DispatchBatch) -> Set<String> { [] }

    /// Most make no pauses.
    public func hurry() {}
}

/// Records that are sent together: all of one lane, in their order.
public struct DispatchBatch: Sendable, Hashable {
    /// The permanent name of this device.
    public var device: String
    /// When it is sent; nil while the time of day is unknown.
    public var time: UTCTime?
    /// The records; at least one.
    public var records: [DispatchRecord]

    /// A batch of these records.
    public init(device: String, time: UTCTime?, records: [DispatchRecord]) {
        self.device = device
        self.time = time
        self.records = records
    }

    /// Receipts that come one by one are settled after this time: a crash repeats only these records, and there are not more commits.
    static let longestUnsettled = Duration.seconds(2)

    /// The ids of the first records, up to a count.
    func firstIDs(_ count: Int) -> Set<String> { Set(records.prefix(count).map(\.id)) }
}

/// The outcome of sending a batch.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The server has it, except records that it will never accept: their ids, and why. The answer is for the ledger.
    case delivered(refused: [String: String], answer: String)
    /// The server has some records, by their ids, and will never accept others, with reasons; nothing is known of the rest yet. At least one is
    /// named. `then` is what stopped it there, nil when nothing prevents it from continuing.
    indirect case partly(received: Set<String>, refused: [String: String] = [:], answer: String, then: DeliveryOutcome?)
    /// It may work later, by itself: the network, a time-out, a busy server (408, 425, 429, 5xx). Not before the time the server gave, if any.
    case temporary(reason: String, retryAfter: Duration?)
    /// There is no way to the server at all: no interface, no name service.
    case unreachable(reason: String)
    /// A person has to change something: 401, 403, 404, a certificate.
    case denied(reason: String)
    /// The server refuses these records (400, 410, 413, 415, 422), or some of them, or this device.
    case refused(reason: String)

    /// Whether the server accepted nothing and refused nothing: everything is sent again.
    var isVain: Bool {
        switch self {
        case .temporary, .unreachable, .denied: true
        case .delivered, .partly, .refused: false
        }
    }
}
