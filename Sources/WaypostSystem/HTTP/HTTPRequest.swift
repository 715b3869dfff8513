/// A request to a web server.
public struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST`, ...
    public var method: String
    /// The URL; http or https.
    public var url: String
    /// Name and value.
    public var headers: [Header]
    /// The body; nil for none.
    public var body: [UInt8]?
    /// Whether the body is sent compressed with gzip, with the header that says so.
    public var isCompressed = false
    /// Whether the request delivers something that an answer of 200 confirms, and not merely fetches.
    ///
    /// Then only redirects that keep all of it are followed: 307 and 308, and where the URL carries the data only to a URL with the same query.
    public var isDelivery = false

    /// A line of the head.
    public struct Header: Sendable, Hashable {
        /// Its name, in any case.
        public var name: String
        /// Its value.
        public var value: String

        /// A header.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// The line that names the copy one has; nil when no request can carry the ETag, or servers may refuse so long a line.
        fileprivate init?(unlessETag tag: String) {
            self.init("If-None-Match", tag)
            guard !tag.isEmpty, tag.utf8.count <= HTTPRequest.Header.longestETag, problem == nil else { return nil }
        }

        /// Servers refuse heads of 8 KiB and more; ETags have some ten bytes.
        private static let longestETag = 1_024
    }

    /// A request.
    public init(_ method: String, _ url: String, headers: [Header] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A GET for what may have changed since the answer with that ETag; when it has not, the answer is 304 without a body.
    ///
    /// An ETag that no request can carry counts as none.
    public static func get(_ url: String, unlessETag tag: String? = nil) -> HTTPRequest {
        HTTPRequest("GET", url, headers: tag.flatMap { Header(unlessETag: $0) }.map { [$0] } ?? [])
    }
}

/// The answer of a web server.
public struct HTTPResponse: Sendable, Hashable {
    /// 200, 404, ...
    public var status: Int
    /// The lines of the head, their names in lower case.
    public var headers: [HTTPRequest.Header]
    /// The body.
    public var body: [UInt8]

    /// An answer.
    public init(status: Int, headers: [HTTPRequest.Header], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of a header; the last one counts.
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        return headers.last { $0.name == name }?.value
    }

    /// The ETag for the next request (``HTTPRequest/get(_:unlessETag:)``); nil also when no request can carry it.
    public var eTag: String? { self["etag"].flatMap { HTTPRequest.Header(unlessETag: $0)?.value } }
}
