import Waypost

/// Where records are sent: a server that speaks some format over some transport.
///
/// A destination turns a batch into what its server understands, sends it, and says what became of it. When to send, how often to try again,
/// which record is to blame for a refusal, and what is left to send is the ``Dispatcher``'s business: a destination keeps nothing.
///
/// The contract, which `DestinationContract` of `WaypostTestKit` checks:
/// - ``send(_:)`` returns ``DeliveryOutcome/delivered(refused:answer:)`` only when the server has said, in its own words, that it has the
///   records; an answer that somebody else may have given (a captive portal, a proxy) is a temporary failure.
/// - It sends a batch whole or says that it did not: of a batch that may have arrived in part the outcome is a failure, and all of it is sent
///   again, under the same ids. Where the server confirms record by record, it may say of which it has the receipt
///   (``DeliveryOutcome/partly(received:refused:answer:then:)``): only the others are sent again.
/// - It returns within its own time limit, and soon after its task is cancelled, with a temporary failure.
/// - It takes every kind of record. One that its format has no word for (``obstacle(to:)``) is not sent to it, and counts as settled.
/// - It never tries again by itself, and keeps no record after it has returned.
/// - Errors hold no secret (a token, a password in a URL) and no position: they are shown and logged.
/// - Concurrency: the dispatcher calls ``send(_:)`` once at a time; what blocks (libcurl) has a thread of its own.
public protocol Destination: Sendable {
    /// The most records of a batch that its format takes; at least 1.
    var maximumBatchCount: Int { get }

    /// Sends a batch and says what became of it; never called with an empty one.
    func send(_ batch: DispatchBatch) async -> DeliveryOutcome

    /// Why a record, as it is, has no word in what this destination speaks, for people; nil when it has one.
    func obstacle(to record: DispatchRecord) -> String?

    /// The ids of those records of a batch that it would not tell: once the batch is delivered they count as settled, and not as sent.
    func withheld(from batch: DispatchBatch) -> Set<String>

    /// Takes that somebody wants what waits to be sent now: a pause of its own before it sends something again is over.
    ///
    /// From any task, also while ``send(_:)`` waits.
    func hurry()
}

extension Destination {
    /// Most have a word for everything.
    public func obstacle(to record: DispatchRecord) -> String? { nil }

    /// Whether a record, as it is, has a word in what this destination speaks.
    public func carries(_ record: DispatchRecord) -> Bool { obstacle(to: record) == nil }

    /// Most tell everything they have a word for.
    public func withheld(from batch: DispatchBatch) -> Set<String> { [] }

    /// Most make no pauses.
    public func hurry() {}
}

/// Records that go together: all of one lane, in their order.
public struct DispatchBatch: Sendable, Hashable {
    /// The name of this device, the same for ever.
    public var device: String
    /// When it is sent; nil while nobody knows what time it is.
    public var time: UTCTime?
    /// The records; at least one.
    public var records: [DispatchRecord]

    /// A batch.
    public init(device: String, time: UTCTime?, records: [DispatchRecord]) {
        self.device = device
        self.time = time
        self.records = records
    }

    /// Receipts that come one by one are settled after so long: a crash sends no more than these again, and costs no more commits.
    static let longestUnsettled = Duration.seconds(2)

    /// The ids of the first so many.
    func firstIDs(_ count: Int) -> Set<String> { Set(records.prefix(count).map(\.id)) }
}

/// What became of a batch.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The server has it, but for records that it will never take: their ids, and why. The answer is for the ledger.
    case delivered(refused: [String: String], answer: String)
    /// The server has these, by their ids, and will never take those, and why; nothing is known of the others yet. At least one is named.
    /// What stopped it there, nil for nothing that speaks against going on.
    indirect case partly(received: Set<String>, refused: [String: String] = [:], answer: String, then: DeliveryOutcome?)
    /// It may work later, by itself: the network, a time-out, a server that is busy (408, 425, 429, 5xx). Not before so long, if it said so.
    case temporary(reason: String, retryAfter: Duration?)
    /// There is no way to the server at all: no interface, no name service.
    case unreachable(reason: String)
    /// Somebody has to change something: 401, 403, 404, a certificate.
    case denied(reason: String)
    /// The server refuses these records (400, 410, 413, 415, 422), or some of them, or this device.
    case refused(reason: String)
}
