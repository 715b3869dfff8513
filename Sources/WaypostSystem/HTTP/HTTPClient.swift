import CCurl
import Synchronization

/// Asks web servers, with the system's libcurl, TLS and certificates; the library is opened at the first request.
///
/// Redirects are followed when they keep the request as it is (307, 308; for a GET 301, 302 and 303, too), three at most and never from https to
/// http; headers that may identify us stay with the first server. Nothing is tried again.
/// - Concurrency: an actor on its own thread, which waits for the server: one exchange at a time. Cancelling the task ends it within a
///   second.
/// - Cost: 10 MB of memory with the first request, for good; the last connection is kept open between requests, unless something arrived on it
///   that was not requested.
public actor HTTPClient {
    /// Whom to trust and how long to wait.
    public struct Settings: Sendable, Hashable {
        /// Certificates that are trusted instead of the system's: a PEM file.
        public var caFile: String?
        /// A certificate of our own: a PEM file.
        public var clientCertificate: String?
        /// Its key: a PEM file; nil when it is in the same.
        public var clientKey: String?
        /// The longest time an exchange may take.
        public var timeout = Duration.seconds(30)
        /// The longest time to wait for a connection.
        public var connectTimeout = Duration.seconds(15)
        /// The longest body of an answer, bytes.
        public var maximumAnswerByteCount = 1 << 20

        /// The settings of a small device.
        public init() {}

        /// The files that are read for TLS.
        var tlsFiles: [String?] { [caFile, clientCertificate, clientKey] }
    }

    private let settings: Settings
    private let executor: ThreadExecutor
    private var handle: CurlHandle?

    /// The client's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How many redirects are followed.
    package static let maximumRedirectCount = 3
    /// The headers that every server may read; any other may be a secret for the first one.
    private static let commonHeaders: Set<String> = ["content-type", "content-encoding", "expect", "if-none-match"]
    /// The longest head of an answer, bytes.
    static let maximumHeadByteCount = 64 << 10

    /// A client; nothing is opened yet.
    ///
    /// - Errors: no thread is left.
    public init(_ settings: Settings = Settings()) throws(SystemError) {
        self.settings = settings
        executor = try ThreadExecutor(name: "http")
    }

    /// Sends a request and waits for the answer, whatever its status is.
    ///
    /// - Errors: ``HTTPError``; a URL or a header with a line break or another control character is not sent.
    public nonisolated func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let exchange = HTTPExchange(maximumByteCount: settings.maximumAnswerByteCount)
        let result: Result<HTTPResponse, HTTPError> = await withTaskCancellationHandler {
            await follow(request, exchange)
        } onCancel: {
            exchange.isCancelled.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func follow(_ request: HTTPRequest, _ exchange: HTTPExchange) -> Result<HTTPResponse, HTTPError> {
        var request = request
        if request.isCompressed, let body = request.body {
            do throws(LibraryError) { request.body = try Gzip.compress(body) } catch { return .failure(.noLibrary(reason: error.reason)) }
            request.headers.append(.init("Content-Encoding", "gzip"))
        }
        for _ in 0...HTTPClient.maximumRedirectCount {
            let response: HTTPResponse
            do throws(HTTPError) { response = try perform(request, exchange) } catch { return .failure(error) }
            let keepsMethod = [307, 308].contains(response.status)
            let isFetched = request.method == "GET" && !request.isDelivery && [301, 302, 303].contains(response.status)
            guard keepsMethod || isFetched, let place = response["location"] else { return .success(response) }
            guard let next = HTTPURL.resolve(place, against: request.url) else {
                return .failure(.badRedirect(reason: "redirects to something that is not a URL"))
            }
            // What the query carried does not arrive at a place without it.
            if request.isDelivery, request.body == nil, HTTPURL.query(next) != HTTPURL.query(request.url) { return .success(response) }
            if HTTPURL.isEncrypted(request.url), !HTTPURL.isEncrypted(next) {
                return .failure(.badRedirect(reason: "redirects from https to http"))
            }
            if HTTPURL.origin(next) != HTTPURL.origin(request.url) {
                request.headers.removeAll { !HTTPClient.commonHeaders.contains($0.name.lowercased()) }
            }
            request.url = next
        }
        return .failure(.badRedirect(reason: "redirects more than \(HTTPClient.maximumRedirectCount) times"))
    }

    private func perform(_ request: HTTPRequest, _ exchange: HTTPExchange) throws(HTTPError) -> HTTPResponse {
        if let problem = request.problem { throw problem }
        if let problem = ccurl_load() { throw .noLibrary(reason: String(cString: problem)) }
        // An answer that was not requested must not become the receipt for what is sent next.
        if let used = handle, ccurl_has_input(used.pointer) { handle = nil }
        if handle == nil { handle = CurlHandle() }
        guard let handle else { throw .noLibrary(reason: "no memory for libcurl") }
        if exchange.isCancelled.load(ordering: .relaxed) { throw .cancelled }
        // Nothing would end the library's wait for a FIFO's writer.
        if HTTPURL.isEncrypted(request.url) {
            do throws(TLSFiles.Problem) { try TLSFiles.check(settings.tlsFiles) } catch { throw .tls(reason: error.description) }
        }
        exchange.begin()
        var answer = ccurl_answer()
        withRequest(request, exchange) { ccurl_perform(handle.pointer, &$0, &answer) }
        if exchange.isTooLong { throw .tooLong(limit: settings.maximumAnswerByteCount) }
        let reason = withUnsafeBytes(of: answer.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let error = HTTPError(
            code: answer.code, reason: reason, isEncrypted: HTTPURL.isEncrypted(request.url),
            hasCertificate: settings.clientCertificate != nil)
        if let error { throw error }
        // An incomplete head says nothing: the missing part may refuse what was sent.
        guard exchange.isHeadWhole else { throw .cutOff(reason: "the connection ended in the head of the answer") }
        return HTTPResponse(status: answer.status, headers: exchange.headers, body: exchange.body)
    }

    /// Passes the request to the closure in C's terms.
    private func withRequest(_ request: HTTPRequest, _ exchange: HTTPExchange, _ body: (inout ccurl_request) -> Void) {
        let lines = request.headers.map { CText("\($0.name): \($0.value)") }
        let headers = lines.map { Optional($0.start) } + [nil]
        let (method, url, userAgent) = (CText(request.method), CText(request.url), CText("waypost/\(WaypostVersion.text)"))
        let (caFile, certificate, key) = (
            settings.caFile.map(CText.init), settings.clientCertificate.map(CText.init), settings.clientKey.map(CText.init)
        )
        var wanted = ccurl_request()
        wanted.method = method.start
        wanted.url = url.start
        wanted.user_agent = userAgent.start
        wanted.ca_file = caFile?.start
        wanted.client_certificate = certificate?.start
        wanted.client_key = key?.start
        wanted.timeout_milliseconds = Int(settings.timeout.wholeMilliseconds)
        wanted.connect_timeout_milliseconds = Int(settings.connectTimeout.wholeMilliseconds)
        wanted.context = Unmanaged.passUnretained(exchange).toOpaque()
        wanted.take_header = { HTTPExchange.of($0).takeHeader(UnsafeRawBufferPointer(start: $1, count: $2)) }
        wanted.take_body = { HTTPExchange.of($0).takeBody(UnsafeRawBufferPointer(start: $1, count: $2)) }
        wanted.is_cancelled = { HTTPExchange.of($0).isCancelled.load(ordering: .relaxed) }
        headers.withUnsafeBufferPointer { headers in
            (request.body ?? []).withUnsafeBytes { bytes in
                wanted.headers = headers.baseAddress
                // An empty body has no address, but is sent too.
                if request.body != nil { wanted.body = bytes.baseAddress ?? UnsafeRawPointer(userAgent.start) }
                wanted.body_count = bytes.count
                body(&wanted)
            }
        }
        withExtendedLifetime((lines, method, url, userAgent, caFile, certificate, key, exchange)) {}
    }
}

/// A handle of libcurl, for as long as this lives.
private final class CurlHandle {
    let pointer: OpaquePointer

    /// Creates a handle; nil when there is no memory.
    init?() {
        guard let pointer = ccurl_make() else { return nil }
        self.pointer = pointer
    }

    deinit { ccurl_free(pointer) }
}
