import Waypost
import WaypostSystem

/// A web server that takes our own format (``NativeFormat``).
///
/// What its answers mean: 2xx is the receipt, unless it is a web page, as captive portals and proxies give it. 408, 425, 429 and 5xx: later
/// (Retry-After). 400, 410, 413, 415, 422: it refuses the records. Everything else, 401, 403, 404 and redirects among it, and TLS that does not
/// come about: somebody has to change something.
public struct HTTPDestination: Destination {
    /// Where and how.
    public struct Settings: Sendable, Hashable {
        /// The server: http or https.
        public var url: String
        /// What goes into `Authorization: Bearer`; nil for none.
        public var token: String?
        /// Whom to trust and how long to wait.
        public var client = HTTPClient.Settings()

        /// Settings for a server.
        public init(url: String) {
            self.url = url
        }
    }

    /// A batch of so many is some 300 kB.
    public let maximumBatchCount = 1_000
    private let settings: Settings
    private let client: HTTPClient

    /// Before this moment no clock is right: certificates would seem to be of the future (2026-01-01, before this program was written).
    static let earliestSaneTime: Int64 = 1_767_225_600_000
    /// So much of an answer is told, in characters.
    private static let longestWords = 200

    /// A destination; nothing is opened yet.
    ///
    /// - Errors: no thread is left.
    public init(_ settings: Settings) throws(SystemError) {
        self.settings = settings
        var client = settings.client
        // A receipt is short; what is longer is something else.
        client.maximumAnswerByteCount = min(client.maximumAnswerByteCount, 256 << 10)
        self.client = try HTTPClient(client)
    }

    /// Posts the batch, and says what the server makes of it.
    public func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        if settings.url.lowercased().hasPrefix("https:"), WallClock.milliseconds < HTTPDestination.earliestSaneTime {
            return .temporary(reason: "the clock of this box is not set yet, and TLS needs it", retryAfter: nil)
        }
        var request = HTTPRequest(
            "POST", settings.url, headers: [.init("Content-Type", "application/json")], body: NativeFormat.body(of: batch))
        // libcurl would wait a second for a permission that most servers do not give.
        request.headers.append(.init("Expect", ""))
        if let token = settings.token { request.headers.append(.init("Authorization", "Bearer \(token)")) }
        do throws(HTTPError) {
            return HTTPDestination.outcome(of: try await client.send(request), to: batch)
        } catch {
            return HTTPDestination.outcome(of: error)
        }
    }

    // MARK: - Answers

    static func outcome(of response: HTTPResponse, to batch: DispatchBatch) -> DeliveryOutcome {
        let answer = "\(response.status)\(words(of: response))"
        switch response.status {
        case 200...299:
            guard !isPage(response) else {
                return .temporary(reason: "a web page came instead of a receipt: a captive portal or a proxy", retryAfter: nil)
            }
            let ids = Set(batch.records.map(\.id))
            let refused = (NativeFormat.refusedIDs(in: response.body) ?? []).filter(ids.contains)
            return .delivered(refused: Dictionary(refused.map { ($0, "named in the answer") }) { first, _ in first }, answer: answer)
        case 408, 425, 429, 500...599:
            return .temporary(reason: answer, retryAfter: response["retry-after"].flatMap { Int($0) }.map { .seconds($0) })
        case 400, 410, 413, 415, 422: return .refused(reason: answer)
        default: return .denied(reason: answer)
        }
    }

    static func outcome(of error: HTTPError) -> DeliveryOutcome {
        switch error {
        case .unreachable: .unreachable(reason: "\(error)")
        case .timedOut, .cutOff, .tooLong, .cancelled: .temporary(reason: "\(error)", retryAfter: nil)
        case .noLibrary, .badURL, .tls, .badRedirect: .denied(reason: "\(error)")
        }
    }

    private static func isPage(_ response: HTTPResponse) -> Bool {
        if response["content-type"]?.lowercased().hasPrefix("text/html") == true { return true }
        return response.body.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "<")
    }

    /// The beginning of the answer's body, in one line of printable characters.
    private static func words(of response: HTTPResponse) -> String {
        guard !isPage(response) else { return "" }
        let text = String(decoding: response.body.prefix(4 * longestWords), as: UTF8.self)
        let words = text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ").filter {
            !$0.unicodeScalars.contains { $0.value < 0x20 }
        }
        return words.isEmpty ? "" : ": \(words.prefix(longestWords))"
    }
}
