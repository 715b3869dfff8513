import Waypost

// What a request's head can carry: a line break in it would begin a header, or a request, that nobody has asked for.
extension HTTPRequest {
    /// Why the request cannot be sent; nil when it can.
    ///
    /// The reason names a header, and never shows a value or the URL.
    var problem: HTTPError? {
        guard Header.isToken(method) else { return .badHeader(reason: "\(quoted(method)) is not a method of HTTP") }
        guard !HTTPURL.hasControl(url) else { return .badURL(reason: "it holds a line break or another control character") }
        return headers.lazy.compactMap(\.problem).first.map { HTTPError.badHeader(reason: $0) }
    }
}

extension HTTPRequest.Header {
    /// Why the header cannot be sent, in words for people that do not show its value; nil when it can.
    ///
    /// RFC 9110, sections 5.1 and 5.5.
    package var problem: String? {
        guard HTTPRequest.Header.isToken(name) else { return "\(quoted(name)) is not the name of a header" }
        let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
        return isText ? nil : "the header \(name) holds a line break or another control character"
    }

    /// Whether it is a word of HTTP: letters, digits and some signs.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension HTTPURL {
    /// Whether a URL holds a line break or another control character.
    package static func hasControl(_ url: String) -> Bool { url.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}
