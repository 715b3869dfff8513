import Synchronization

/// An answer while it arrives, on libcurl's side of the thread.
///
/// - Concurrency: only the client's thread uses it, except for the flag.
final class HTTPExchange: @unchecked Sendable {
    let isCancelled = Atomic(false)
    private(set) var headers: [HTTPRequest.Header] = []
    private(set) var body: [UInt8] = []
    private(set) var isTooLong = false
    /// Whether the head of the answer is complete; libcurl accepts one that was cut off.
    private(set) var isHeadWhole = false
    private var headByteCount = 0
    private let maximumByteCount: Int

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> HTTPExchange {
        guard let context else { preconditionFailure("libcurl gives back what it was given") }
        return Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    }

    func begin() {
        (headers, body, isTooLong, isHeadWhole, headByteCount) = ([], [], false, false, 0)
    }

    func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headByteCount += bytes.count
        guard headByteCount <= HTTPClient.maximumHeadByteCount else {
            isTooLong = true
            return false
        }
        // An earlier answer (100 Continue) had its own head.
        if bytes.starts(with: "HTTP/".utf8) { (headers, isHeadWhole) = ([], false) }
        if bytes.elementsEqual("\r\n".utf8) || bytes.elementsEqual("\n".utf8) { isHeadWhole = true }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return true }
        headers.append(
            HTTPRequest.Header(
                String(decoding: bytes[..<colon], as: UTF8.self).lowercased(),
                HTTPExchange.trimmed(bytes[(colon + 1)...])))
        return true
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= maximumByteCount else {
            isTooLong = true
            return false
        }
        body += bytes
        return true
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end].drop(while: isBlank), as: UTF8.self)
    }
}

/// The parts of a URL that decide about redirects, and those that must stay secret.
public enum HTTPURL {
    /// The URL as it may be shown and logged: without its query (`?key=...`) and fragment.
    public static func shown(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }

    /// The parts of a URL that may be secret: its user and password, its query and the query's values, and what looks like a key in its path.
    package static func secrets(of url: String) -> [String] {
        let whole = url.prefix { $0 != "#" }
        let query = whole.drop { $0 != "?" }.dropFirst()
        let values = query.split(separator: "&").compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
        let place = whole.prefix { $0 != "?" }
        let parts = (place.range(of: "://").map { place[$0.upperBound...] } ?? place).split(
            separator: "/", omittingEmptySubsequences: false)
        var secrets: [Substring] = [query]
        secrets += values
        if let end = parts[0].lastIndex(of: "@") { secrets.append(parts[0][..<end]) }
        secrets += parts.dropFirst().filter(looksSecret)
        return secrets.map(String.init)
    }

    /// Whether a part of a path may be a key: it is long, and has digits or is very long.
    private static func looksSecret(_ part: Substring) -> Bool {
        part.utf8.count >= 20 || part.utf8.count >= 8 && part.utf8.contains { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Somebody else's text without those secrets.
    public static func hiding(_ secrets: [String], in words: String) -> String {
        var words = words
        // Anything this short is not a secret, and would tear apart unrelated words.
        for secret in secrets.sorted(by: { $0.count > $1.count }) where secret.count > 3 {
            while let place = words.range(of: secret) { words.replaceSubrange(place, with: "...") }
        }
        return words
    }

    /// The query of a URL, without what follows it; nil where there is none.
    static func query(_ url: String) -> Substring? {
        let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? parts[1] : nil
    }

    /// Whether it is https.
    static func isEncrypted(_ url: String) -> Bool { url.lowercased().hasPrefix("https://") }

    /// Scheme, host and port: everything before the path.
    static func origin(_ url: String) -> String {
        guard let start = url.range(of: "://") else { return "" }
        let end = url[start.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        return url[..<end].lowercased()
    }

    /// The URL that a Location header names; nil when it is neither a whole URL nor a path.
    static func resolve(_ place: String, against url: String) -> String? {
        let lowered = place.lowercased()
        if lowered.hasPrefix("https://") || lowered.hasPrefix("http://") { return place }
        return place.hasPrefix("/") && !place.hasPrefix("//") ? origin(url) + place : nil
    }
}

extension StringProtocol {
    /// Where a text begins in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
