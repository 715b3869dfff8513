/// What is asked of a web server.
public struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST`, ...
    public var method: String
    /// Where; http or https.
    public var url: String
    /// Name and value.
    public var headers: [Header]
    /// What is sent with it; nil for nothing.
    public var body: [UInt8]?
    /// Whether the body goes compressed with gzip, and says so.
    public var isCompressed = false

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
    }

    /// A request.
    public init(_ method: String, _ url: String, headers: [Header] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A GET of what may have changed since an answer with that ETag: an unchanged one comes as status 304 without a body.
    public static func get(_ url: String, unlessETag tag: String? = nil) -> HTTPRequest {
        HTTPRequest("GET", url, headers: tag.map { [Header("If-None-Match", $0)] } ?? [])
    }
}

/// What a web server answered.
public struct HTTPResponse: Sendable, Hashable {
    /// 200, 404, ...
    public var status: Int
    /// The lines of the head, their names in lower case.
    public var headers: [HTTPRequest.Header]
    /// What came with it.
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

    /// What to ask with the next time (``HTTPRequest/get(_:unlessETag:)``).
    public var eTag: String? { self["etag"] }
}
