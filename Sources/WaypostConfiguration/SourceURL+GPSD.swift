extension SourceURL.GPSD {
    /// Reads `//HOST:PORT/DEVICE`, each part optional.
    init(afterScheme text: Substring) throws(SourceURLError) {
        self.init()
        guard !text.isEmpty else { return }
        guard text.hasPrefix("//") else { throw .gpsdNeedsSlashes(String(text)) }
        let authority = text.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        let rest = text.dropFirst(2 + authority.count)
        guard !rest.contains("?") else { throw .gpsdHasNoOptions(String(rest.drop { $0 != "?" })) }
        try readAuthority(authority)
        if rest.count > 1 { device = try PercentCoding.decode(rest) }
    }

    private mutating func readAuthority(_ authority: Substring) throws(SourceURLError) {
        let hostText: Substring
        let portText: Substring
        if authority.first == "[" {
            guard let bracket = authority.firstIndex(of: "]") else { throw .badHost(String(authority)) }
            hostText = authority[authority.index(after: authority.startIndex)..<bracket]
            portText = authority[authority.index(after: bracket)...]
            let isAddress = hostText.prefix { $0 != "%" }.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == ":" || $0 == "." }
            guard hostText.contains(":"), isAddress, portText.isEmpty || portText.first == ":" else { throw .badHost(String(authority)) }
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
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits), (1...65_535).contains(number) else {
            throw .badPort(String(digits))
        }
        port = number
    }

    var urlText: String {
        let hostText = host.contains(":") ? "[\(host)]" : host
        return "gpsd://\(hostText):\(port)" + (device.map(PercentCoding.encode) ?? "")
    }
}
