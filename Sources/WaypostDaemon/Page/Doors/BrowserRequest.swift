import Waypost

/// What matters of a browser's request: what it asks for, and what says where it comes from.
struct BrowserRequest: Sendable, Equatable {
    /// `GET`, `HEAD`.
    var method = "GET"
    /// The folder that the path begins with, when it may be one of a browser that was let in.
    var folder: String?
    /// The path behind it, as it was sent: nothing that the page has needs escapes.
    var path = "/"
    /// The options behind the path, without their escapes.
    var query: [String: String] = [:]
    /// The headers of that name, in lower case, in their order.
    var headers: [String: [String]] = [:]

    /// A request.
    ///
    /// - Parameter target: the path with its options; nil is returned for what is neither.
    init?(method: String, target: String, headers: [(name: String, value: String)]) {
        guard target.utf8.first == UInt8(ascii: "/") else { return nil }
        self.method = method
        let end = target.firstIndex(of: "?") ?? target.endIndex
        path = String(target[..<end])
        let first = path.dropFirst().prefix { $0 != "/" }
        if PageTicket.isFolder(first), first.endIndex < path.endIndex {
            folder = String(first)
            path = String(path[first.endIndex...])
        }
        for option in target[end...].dropFirst().split(separator: "&") {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = BrowserRequest.unescaped(parts[0]), let value = BrowserRequest.unescaped(parts.count > 1 ? parts[1] : "")
            else { return nil }
            query[name] = value
        }
        for (name, value) in headers { self.headers[name.lowercased(), default: []].append(value) }
    }

    /// The only header of a name; nil when there is none, or more than one.
    subscript(name: String) -> String? {
        let values = headers[name] ?? []
        return values.count == 1 ? values[0] : nil
    }

    /// The values of the cookies of a name, in their order; of more than eight the first ones, as each costs its check.
    ///
    /// A browser may have several, for different paths or from another port of the host.
    func cookies(_ name: String) -> [String] {
        let values = (headers["cookie"] ?? []).lazy.flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0].drop(while: { $0 == " " }) == name ? String(parts[1]) : nil
        }
        return Array(values.prefix(8))
    }

    /// Whether the browser unpacks gzip.
    var takesGzip: Bool {
        self["accept-encoding"]?.split(separator: ",").contains { $0.drop { $0 == " " }.hasPrefix("gzip") } == true
    }

    /// A text without its percent escapes; nil when one is broken, or the result is not UTF-8.
    private static func unescaped(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
