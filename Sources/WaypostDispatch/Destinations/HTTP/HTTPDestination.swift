import Waypost
import WaypostSystem

/// A web server that accepts records in some format (``HTTPFormat``), by default our own.
///
/// The meaning of answers: 2xx is the receipt, unless it is a web page, as captive portals and proxies send it. 408, 425, 429 and 5xx: try
/// again later (Retry-After). 400, 410, 413, 415, 422: it refuses the records. Everything else, including 401, 403, 404 and redirects, and
/// a failed TLS handshake: a person has to change something; also when the server does not accept gzip (415).
///
/// If a format needs several requests, they go one after the other over one connection, until one fails or two seconds have passed: the
/// records before that have their receipt.
public struct HTTPDestination: Destination {
    /// The settings of an HTTP destination.
    public struct Settings: Sendable, Hashable {
        /// The server: http or https.
        public var url: String
        /// How the server identifies us; nil when it does not.
        public var credentials: Credentials?
        /// Additional headers that the server needs.
        public var headers: [HTTPRequest.Header] = []
        /// Whether bodies are compressed with gzip.
        public var isCompressed = false
        /// The trusted certificates and the time limits.
        public var client = HTTPClient.Settings()

        /// Settings for a server.
        public init(url: String) {
            self.url = url
        }
    }

    /// The content of the `Authorization` header.
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

    /// The format's limit.
    public var maximumBatchCount: Int { format.maximumBatchCount }
    private let settings: Settings
    private let format: any HTTPFormat
    private let client: HTTPClient

    /// A clock before this moment is wrong: certificates would seem to lie in the future (2026-01-01, before this program was written).
    static let earliestSaneTime: Int64 = 1_767_225_600_000
    /// How much of an answer is shown, in characters.
    private static let longestWords = 200

    /// A destination; nothing is opened yet.
    ///
    /// - Errors: the URL is not that of a web server; a header or the token holds a line break or another control character; no thread is
    ///   left.
    public init(_ settings: Settings, format: any HTTPFormat = NativeFormat()) throws(SystemError) {
        let url = settings.url.lowercased()
        let place = ["https://", "http://"].first(where: url.hasPrefix).map { url.dropFirst($0.count) }
        guard let place, !place.isEmpty, !place.hasPrefix("/"), !HTTPURL.hasControl(url) else { throw .notWebServer }
        let headers = settings.headers + [settings.credentials?.header].compactMap(\.self)
        if let problem = headers.lazy.compactMap(\.problem).first { throw .unsendableHeader(problem) }
        self.settings = settings
        self.format = format
        var client = settings.client
        // A receipt is short; a longer answer is something else.
        client.maximumAnswerByteCount = min(client.maximumAnswerByteCount, 256 << 10)
        self.client = try HTTPClient(client)
    }

    /// Why the format cannot express a record; nil when it can.
    public func obstacle(to record: DispatchRecord) -> String? { format.verdict(on: record, at: nil).obstacle }

    /// Posts the batch, and returns the server's verdict.
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
            // libcurl would wait a second for a permission that most servers never give.
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

    /// The meaning of a server's answer to a message for its batch.
    package func outcome(of response: HTTPResponse, to message: HTTPMessage, of batch: DispatchBatch) -> DeliveryOutcome {
        let secrets = secrets(of: message)
        let said = HTTPDestination.words(of: response, hiding: secrets)
        let answer = "\(response.status)\(said)"
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
            // It may repeat our URL.
            let place = response["location"].map {
                "; it redirects to \(oneLine(HTTPURL.hiding(secrets, in: HTTPURL.shown($0)), limit: 200))"
            }
            return .denied(reason: answer + (place ?? ""))
        case 401, 403, 404:
            let (name, next) = HTTPDestination.meaning(of: response.status)
            return .denied(reason: "\(response.status) \(name)\([": {}", ": []", ": null"].contains(said) ? "" : said); \(next)")
        default: return .denied(reason: answer)
        }
    }

    /// What a server may repeat of a request, in whatever form, that must not be shown, logged or stored: places, tokens, passwords.
    private func secrets(of message: HTTPMessage) -> [String] {
        var secrets = message.hidden + settings.headers.map(\.value) + HTTPURL.secrets(of: message.url ?? settings.url)
        switch settings.credentials {
        case .bearer(let token): secrets.append(token)
        case .basic(_, let password): secrets.append(password)
        case nil: break
        }
        // The word before a token (RFC 9110, section 11.4) is none.
        secrets += (settings.headers.map(\.value) + [settings.credentials?.header.value].compactMap(\.self)).compactMap { value in
            value.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
        }
        return secrets
            + secrets.map { secret in
                var text = TextBuffer(capacity: 64)
                text.append(percentEncoded: secret)
                return text.string
            }
    }

    /// The name of an answer that keeps everything out, and what can be done about it.
    private static func meaning(of status: Int) -> (name: String, next: String) {
        switch status {
        case 401: ("Unauthorized", "the user, password or token is wrong or missing")
        case 403: ("Forbidden", "this user or token may not send there")
        default: ("Not Found", "the server does not know this url, or this device")
        }
    }

    private static func outcome(of error: HTTPError) -> DeliveryOutcome {
        switch error {
        case .unreachable: .unreachable(reason: "\(error)")
        case .noConnection, .timedOut, .cutOff, .tooLong, .cancelled: .temporary(reason: "\(error)", retryAfter: nil)
        case .noLibrary, .badURL, .badHeader, .tls, .badRedirect: .denied(reason: "\(error)")
        }
    }

    private static func isPage(_ response: HTTPResponse) -> Bool {
        if response["content-type"]?.lowercased().hasPrefix("text/html") == true { return true }
        // After the byte order mark, and the zeros of UTF-16.
        let marks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
        return response.body.first { $0 > UInt8(ascii: " ") && !marks.contains($0) } == UInt8(ascii: "<")
    }

    /// The beginning of the answer's body, as one line of printable characters.
    private static func words(of response: HTTPResponse, hiding secrets: [String]) -> String {
        guard !isPage(response) else { return "" }
        // Of a secret that is cut off, the beginning would be left.
        let byteCount = 4 * longestWords + (secrets.map(\.utf8.count).max() ?? 0)
        let text = HTTPURL.hiding(secrets, in: String(decoding: response.body.prefix(byteCount), as: UTF8.self))
        let words = text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ").filter {
            !$0.unicodeScalars.contains { $0.value < 0x20 }
        }
        return words.isEmpty ? "" : ": \(words.prefix(longestWords))"
    }
}
