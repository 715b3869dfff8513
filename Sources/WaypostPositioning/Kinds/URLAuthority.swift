/// The `HOST:PORT` of a URL, as far as it is given.
struct URLAuthority: Equatable {
    var host: String?
    var port: UInt16?

    /// Splits what follows a scheme, `//HOST:PORT/REST`, all of it optional; the rest keeps its slash.
    ///
    /// - Parameter hint: what to say to a user who writes options, which no such URL has.
    static func split(
        _ text: Substring, scheme: String, hint: String = ""
    ) throws(SourceURLError) -> (authority: URLAuthority, rest: Substring) {
        guard !text.isEmpty else { return (URLAuthority(), text) }
        guard text.hasPrefix("//") else { throw .needsSlashes(scheme: scheme, String(text)) }
        let authority = text.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        let rest = text.dropFirst(2 + authority.count)
        guard !rest.contains("?") else { throw .hasNoOptions(scheme: scheme, String(rest.drop { $0 != "?" }), hint: hint) }
        return (try URLAuthority(authority), rest)
    }

    /// The inverse: the text of host and port; IPv6 addresses get their brackets.
    static func text(host: String, port: UInt16) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private init() {}

    private init(_ authority: Substring) throws(SourceURLError) {
        let hostText: Substring
        let portText: Substring
        if authority.first == "[" {
            guard let bracket = authority.firstIndex(of: "]") else { throw .badHost(String(authority)) }
            hostText = authority[authority.index(after: authority.startIndex)..<bracket]
            portText = authority[authority.index(after: bracket)...]
            let isAddress = hostText.prefix { $0 != "%" }.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == ":" || $0 == "." }
            guard hostText.contains(":"), isAddress, portText.isEmpty || portText.first == ":" else {
                throw .badHost(String(authority))
            }
        } else {
            hostText = authority.prefix { $0 != ":" }
            portText = authority[hostText.endIndex...]
            let isName = hostText.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "." || $0 == "_" }
            // A second colon is an IPv6 address without its brackets.
            guard isName, !portText.dropFirst().contains(":") else { throw .badHost(String(authority)) }
        }
        if !hostText.isEmpty { host = String(hostText) }
        let digits = portText.dropFirst()
        guard !digits.isEmpty else { return }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(digits), number > 0 else {
            throw .badPort(String(digits))
        }
        port = number
    }
}
extension URLAuthority {
    /// Reads `//HOST:PORT` with nothing after it.
    static func end(_ text: Substring, scheme: String) throws(SourceURLError) -> URLAuthority {
        let parts = try split(text, scheme: scheme)
        guard parts.rest.isEmpty || parts.rest == "/" else { throw .hasNoPath(scheme: scheme, String(parts.rest)) }
        return parts.authority
    }
}
