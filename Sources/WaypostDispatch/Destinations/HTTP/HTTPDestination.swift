import Waypost
import WaypostSystem

/// A web server that takes records in some format (``HTTPFormat``), our own where not told otherwise.
///
/// What its answers mean: 2xx is the receipt, unless it is a web page, as captive portals and proxies give it. 408, 425, 429 and 5xx: later
/// (Retry-After). 400, 410, 413, 415, 422: it refuses the records. Everything else, 401, 403, 404 and redirects among it, and TLS that does not
/// come about: somebody has to change something; so, too, when it takes no gzip (415).
///
/// What a format says in several requests goes one after the other over one connection, and ends with the first that fails, or after two
/// seconds: the records before it have their receipt.
public struct HTTPDestination: Destination {
    /// Where and how.
    public struct Settings: Sendable, Hashable {
        /// The server: http or https.
        public var url: String
        /// How it wants to know who we are; nil when it does not.
        public var credentials: Credentials?
        /// Lines of the head that the server wants besides.
        public var headers: [HTTPRequest.Header] = []
        /// Whether bodies go compressed with gzip.
        public var isCompressed = false
        /// Whom to trust and how long to wait.
        public var client = HTTPClient.Settings()

        /// Settings for a server.
        public init(url: String) {
            self.url = url
        }
    }

    /// What the `Authorization` header holds.
    public enum Credentials: Sendable, Hashable {
        /// A token (RFC 6750).
        case bearer(String)
        /// A name without colons and a password (RFC 7617).
        case basic(user: String, password: String)

        var header: HTTPRequest.Header {
            switch self {
            case .bearer(let token): .init("Authorization", "Bearer \(token)")
            case .basic(let user, let password): .init("Authorization", "Basic " + Base64.encode(Array("\(user):\(password)".utf8)))
            }
        }
    }

    /// That of the format.
    public var maximumBatchCount: Int { format.maximumBatchCount }
    private let settings: Settings
    private let format: any HTTPFormat
    private let client: HTTPClient

    /// Before this moment no clock is right: certificates would seem to be of the future (2026-01-01, before this program was written).
    static let earliestSaneTime: Int64 = 1_767_225_600_000
    /// So much of an answer is told, in characters.
    private static let longestWords = 200

    /// A destination; nothing is opened yet.
    ///
    /// - Errors: no thread is left.
    public init(_ settings: Settings, format: any HTTPFormat = NativeFormat()) throws(SystemError) {
        self.settings = settings
        self.format = format
        var client = settings.client
        // A receipt is short; what is longer is something else.
        client.maximumAnswerByteCount = min(client.maximumAnswerByteCount, 256 << 10)
        self.client = try HTTPClient(client)
    }

    /// Why the format has no word for it.
    public func obstacle(to record: DispatchRecord) -> String? { format.verdict(on: record, at: nil).obstacle }

    /// Posts the batch, and says what the server makes of it.
    public func send(_ batch: DispatchBatch) async -> DeliveryOutcome { await format.sending(batch, post) }

    private func post(_ batch: DispatchBatch) async -> DeliveryOutcome {
        if settings.url.lowercased().hasPrefix("https:"), WallClock.milliseconds < HTTPDestination.earliestSaneTime {
            return .temporary(reason: "the clock of this box is not set yet, and TLS needs it", retryAfter: nil)
        }
        let messages: [HTTPMessage]
        do throws(FormatError) { messages = try format.messages(for: batch) } catch { return .denied(reason: error.reason) }
        guard let last = messages.indices.last else { return .delivered(refused: [:], answer: "nothing of it has a word in this format") }
        var (refused, answer, settled) = ([:] as [String: String], "", 0)
        let start = ContinuousClock.now
        for (index, message) in messages.enumerated() {
            let outcome = await send(message, of: batch)
            guard case .delivered(let more, let words) = outcome else {
                return settled > 0 ? .partly(received: batch.firstIDs(settled), answer: answer, then: outcome) : outcome
            }
            refused.merge(more) { first, _ in first }
            (answer, settled) = (words, message.settledCount)
            if index < last, settled > 0, ContinuousClock.now - start > min(settings.client.timeout, DispatchBatch.longestUnsettled) {
                return .partly(received: batch.firstIDs(settled), answer: answer, then: nil)
            }
        }
        return .delivered(refused: refused, answer: answer)
    }

    private func send(_ message: HTTPMessage, of batch: DispatchBatch) async -> DeliveryOutcome {
        let url = message.url ?? settings.url
        var request = HTTPRequest(message.method, url, headers: message.headers + settings.headers)
        request.isDelivery = true
        if message.method != "GET" {
            request.body = message.body
            request.isCompressed = settings.isCompressed
            // libcurl would wait a second for a permission that most servers do not give.
            request.headers.insert(contentsOf: [.init("Content-Type", message.contentType), .init("Expect", "")], at: 0)
        }
        if let credentials = settings.credentials { request.headers.append(credentials.header) }
        do throws(HTTPError) {
            let response = try await client.send(request)
            if response.status == 415, settings.isCompressed {
                return .denied(reason: "415 to a body compressed with gzip: switch gzip off")
            }
            return outcome(of: response, to: message, of: batch)
        } catch {
            return HTTPDestination.outcome(of: error)
        }
    }

    // MARK: - Answers

    /// What a server's answer to a message of a batch says of the batch.
    package func outcome(of response: HTTPResponse, to message: HTTPMessage, of batch: DispatchBatch) -> DeliveryOutcome {
        let words = HTTPURL.hidingQuery(of: message.url ?? settings.url, in: HTTPDestination.words(of: response))
        let answer = "\(response.status)\(HTTPURL.hiding(message.hidden, in: words))"
        switch response.status {
        case 200...299:
            guard !HTTPDestination.isPage(response) else {
                return .temporary(reason: "a web page came instead of a receipt: a captive portal or a proxy", retryAfter: nil)
            }
            if let objection = format.objection(to: response) { return .temporary(reason: "\(answer); \(objection)", retryAfter: nil) }
            return .delivered(refused: format.refused(in: response, of: batch), answer: answer)
        case 408, 425, 429, 500...599:
            return .temporary(reason: answer, retryAfter: response["retry-after"].flatMap { Int($0) }.map { .seconds($0) })
        case 400, 410, 413, 415, 422: return .refused(reason: answer)
        case 300...399:
            // A query may hold a secret.
            let place = response["location"].map {
                "; it redirects to \(oneLine(String($0.prefix { $0 != "?" && $0 != "#" }), limit: 200))"
            }
            return .denied(reason: answer + (place ?? ""))
        default: return .denied(reason: answer)
        }
    }

    private static func outcome(of error: HTTPError) -> DeliveryOutcome {
        switch error {
        case .unreachable: .unreachable(reason: "\(error)")
        case .noConnection, .timedOut, .cutOff, .tooLong, .cancelled: .temporary(reason: "\(error)", retryAfter: nil)
        case .noLibrary, .badURL, .tls, .badRedirect: .denied(reason: "\(error)")
        }
    }

    private static func isPage(_ response: HTTPResponse) -> Bool {
        if response["content-type"]?.lowercased().hasPrefix("text/html") == true { return true }
        // Behind the mark of a byte order, and the zeros of UTF-16.
        let marks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
        return response.body.first { $0 > UInt8(ascii: " ") && !marks.contains($0) } == UInt8(ascii: "<")
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
