import Waypost
import WaypostSystem

/// How a batch is said to a kind of web server: what is posted, and what its answers tell besides their status.
///
/// ``HTTPDestination`` sends it and knows the rule of answers; a format is a value without a socket, so that what goes over the line can be
/// tested byte for byte.
public protocol HTTPFormat: RecordFormat {
    /// The most records of a batch; at least 1.
    var maximumBatchCount: Int { get }

    /// What is posted for a batch, in the order of its records, one after the other; empty when the format has no word for any of them.
    ///
    /// - Errors: the box lacks something that the format needs.
    func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage]

    /// Which records of the batch the server says, in a good answer, it will never take: their ids, and why.
    func refused(in response: HTTPResponse, of batch: DispatchBatch) -> [String: String]

    /// Why a good answer (2xx) is no receipt, for people; nil when it is one.
    func objection(to response: HTTPResponse) -> String?
}

extension HTTPFormat {
    /// Most servers say nothing of the kind.
    public func refused(in response: HTTPResponse, of batch: DispatchBatch) -> [String: String] { [:] }

    /// Of most servers any good answer is the receipt.
    public func objection(to response: HTTPResponse) -> String? { nil }
}

/// One request of a format.
public struct HTTPMessage: Sendable, Hashable {
    /// `POST`, or `GET` for one without a body.
    public var method = "POST"
    /// Where it goes; nil for the destination's own URL.
    public var url: String?
    /// What of the URL is not shown or logged, whatever repeats it: places, secrets.
    public var hidden: [String] = []
    /// What the body is, for `Content-Type`.
    public var contentType: String
    /// Further lines of the head.
    public var headers: [HTTPRequest.Header]
    /// The body.
    public var body: [UInt8]
    /// So many of the batch's first records the server has with the receipt for this request.
    public var settledCount: Int

    /// A request with that body.
    public init(contentType: String = "application/json", headers: [HTTPRequest.Header] = [], body: [UInt8], settledCount: Int) {
        self.contentType = contentType
        self.headers = headers
        self.body = body
        self.settledCount = settledCount
    }
}

/// Records cannot be put into a format, because this box lacks something: a person has to mend it.
public struct FormatError: Error, Equatable, Sendable {
    /// What is missing, for people.
    public var reason: String

    /// A failure for that reason.
    public init(reason: String) {
        self.reason = reason
    }
}
