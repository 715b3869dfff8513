import Waypost
import WaypostSystem

/// How a batch is expressed for a kind of web server: the requests, and the meaning of answers besides their status.
///
/// ``HTTPDestination`` sends them and knows the rule for answers; a format is a value without a socket, so that the bytes on the wire can be
/// tested exactly.
public protocol HTTPFormat: RecordFormat {
    /// The most records in a batch; at least 1.
    var maximumBatchCount: Int { get }

    /// The requests for a batch, in the order of its records; empty when the format cannot express any of them.
    ///
    /// - Errors: the device lacks something that the format needs.
    func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage]

    /// The records of the batch that, by a good answer, the server will never accept: their ids, and why.
    func refused(in response: HTTPResponse, of batch: DispatchBatch) -> [String: String]

    /// Why a good answer (2xx) is not a receipt, for people; nil when it is one.
    func objection(to response: HTTPResponse) -> String?
}

extension HTTPFormat {
    /// Most servers do not report this.
    public func refused(in response: HTTPResponse, of batch: DispatchBatch) -> [String: String] { [:] }

    /// For most servers any good answer is the receipt.
    public func objection(to response: HTTPResponse) -> String? { nil }
}

/// One request of a format.
public struct HTTPMessage: Sendable, Hashable {
    /// `POST`, or `GET` for one without a body.
    public var method = "POST"
    /// The URL; nil for the destination's own.
    public var url: String?
    /// The parts of the URL that must not be shown or logged anywhere: places, secrets.
    public var hidden: [String] = []
    /// The body's type, for `Content-Type`.
    public var contentType: String
    /// Additional headers.
    public var headers: [HTTPRequest.Header]
    /// The body.
    public var body: [UInt8]
    /// How many of the batch's first records are settled by the receipt for this request.
    public var settledCount: Int

    /// A request with the given body.
    public init(contentType: String = "application/json", headers: [HTTPRequest.Header] = [], body: [UInt8], settledCount: Int) {
        self.contentType = contentType
        self.headers = headers
        self.body = body
        self.settledCount = settledCount
    }
}

/// Records cannot be put into a format because this device lacks something, which a person has to fix.
public struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is missing, for people.
    public var reason: String
    /// The same.
    public var description: String { reason }

    /// A failure with the given reason.
    public init(reason: String) {
        self.reason = reason
    }
}
