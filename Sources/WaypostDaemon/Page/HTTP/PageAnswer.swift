import Waypost
import WaypostSystem

/// What the page answers to a request.
struct PageAnswer: Sendable {
    /// What follows the headers.
    enum Body: Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// A file, read piece by piece.
        case file(PageFile)
        /// A stretch of the log, made piece by piece.
        case track(PageGPX)
        /// Events, until the browser goes.
        case stream
    }

    /// The status: 200, 404.
    var status = 200
    /// The media type.
    var type = PageAnswer.json
    /// What follows the headers.
    var body: Body
    /// Further headers.
    var headers: [(name: String, value: String)] = []
    /// Whether a browser may keep it, if it asks each time whether it has changed.
    var isKept = false

    static let json = "application/json"
    static let text = "text/plain; charset=utf-8"
    static let html = "text/html; charset=utf-8"

    /// An object of the interface; `class` comes first.
    static func object(_ className: String, status: Int = 200, _ members: (inout JSONWriter) -> Void) -> PageAnswer {
        var text = TextBuffer(capacity: 1_024)
        text.appendJSON { json in
            json.object { json in
                json.member("class", className)
                members(&json)
            }
        }
        // A file of fences has line feeds between its features; in JSON none is needed.
        return PageAnswer(status: status, body: .bytes(text.bytes.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }))
    }

    /// A refusal in words.
    static func error(_ status: Int, _ why: String) -> PageAnswer {
        object("ERROR", status: status) { json in json.member("message", why) }
    }

    /// A text for people.
    static func plain(_ text: String, status: Int = 200) -> PageAnswer {
        PageAnswer(status: status, type: PageAnswer.text, body: .bytes(Array((text + "\n").utf8)))
    }

    /// The same in fewer bytes, for a browser that can unpack it: over a slow line that is most of the time until something is seen.
    func packed(for request: BrowserRequest) -> PageAnswer {
        guard case .bytes(let bytes) = body, bytes.count > 1_400, !headers.contains(where: { $0.name == "Content-Encoding" }),
            request.takesGzip, let packed = try? Gzip.compress(bytes)  // Without zlib it goes as it is.
        else { return self }
        var answer = self
        answer.body = .bytes(packed)
        answer.headers.append(("Content-Encoding", "gzip"))
        if !isKept { answer.headers.append(("Vary", "Accept-Encoding")) }
        return answer
    }

    /// What every answer has: nothing is run, framed or fetched from elsewhere, and no address is passed on.
    ///
    /// - Parameter tiles: the origin of the map's tiles; nil for none.
    static func protection(tiles: String?) -> [(name: String, value: String)] {
        let images = ["'self'", "data:", tiles].compactMap { $0 }.joined(separator: " ")
        return [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(images); connect-src 'self'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ]
    }
}

/// A file to send.
struct PageFile: Sendable, Equatable {
    var path: String
    /// Its size, which does not change: finished files only.
    var byteCount: Int
}
