import Waypost

/// Where positions come from, as one text: `gpsd://localhost:2947`, `nmea:drive.nmea?speed=0`.
///
/// ``init(_:)-(String)`` reads the text, `description` writes it; what is written reads back as the same value.
package struct SourceURL: Sendable {
    /// The content of the URL.
    package let kind: any SourceKind

    /// A URL with that content.
    package init(_ kind: any SourceKind) {
        self.kind = kind
    }

    /// Reads a source URL: a scheme of the ``SourceRegistry``, in any case, and the rest as its kind reads it.
    ///
    /// - A FILE is everything up to the options, slashes and spaces included. The last `?` starts the options if only `name=value` pairs joined
    ///   by `&` follow it; any other `?` belongs to the name.
    /// - `%` and two hexadecimal digits stand for that byte in files and devices: `%3F` is a `?` that never starts options, `%25` a `%`.
    ///   Any other `%` stands for itself.
    package init(_ text: String) throws(SourceURLError) {
        guard !text.isEmpty else { throw .empty }
        guard let colon = text.firstIndex(of: ":"), SourceURL.isScheme(text[..<colon]) else { throw .noScheme(text) }
        let scheme = text[..<colon].lowercased()
        guard let kind = SourceRegistry.kind(scheme) else { throw .unknownScheme(scheme) }
        self.kind = try kind.init(afterScheme: text[text.index(after: colon)...])
    }

    /// Letters, digits, `+`, `-` and `.`, a letter first (RFC 3986, 3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "+" || $0 == "-" || $0 == "." }
    }
}

extension SourceURL: Hashable {
    /// Whether both have the same content.
    package static func == (left: SourceURL, right: SourceURL) -> Bool { left.kind.isEqual(to: right.kind) }

    /// Equal URLs have the same text.
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension SourceURL: CustomStringConvertible {
    /// The URL in full: `gpsd://localhost:2947`.
    package var description: String { "\(type(of: kind).scheme):\(kind.afterScheme)" }
}
