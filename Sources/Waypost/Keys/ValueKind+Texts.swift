extension ValueKind<String> {
    /// A name of letters, digits and a few marks, which fits a command line.
    package static var plainName: ValueKind {
        ValueKind(
            unit: "letters, digits, . _ -",
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let name) = node.value else { throw .wrongType(expected: "a name in quotes") }
                guard (1...64).contains(name.utf8.count),
                    name.utf8.allSatisfy({ byte in
                        let scalar = Unicode.Scalar(byte)
                        return scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                            || "._-".unicodeScalars.contains(scalar)
                    })
                else { throw .invalid(reason: "must have 1 to 64 letters, digits, '.', '_' or '-'") }
                return name
            },
            write: tomlString)
    }

    /// A short text of printable characters, or nothing.
    package static var plainText: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a text") }
                guard text.utf8.count <= 128, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
                    throw .invalid(reason: "must have at most 128 bytes of printable text")
                }
                return text
            },
            write: tomlString)
    }

    /// The address of a web server, or nothing.
    package static var webURL: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let url) = node.value else { throw .wrongType(expected: "a URL in quotes") }
                if url.isEmpty { return url }
                let lowered = url.lowercased()
                guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else {
                    throw .invalid(reason: "must begin with https:// or http://")
                }
                let host = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
                guard !host.isEmpty, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                    throw .invalid(reason: "must be \(scheme)HOST/PATH without blanks")
                }
                // The address is shown in messages.
                guard !host.contains("@") else { throw .invalid(reason: "must hold no password, which messages would show") }
                if let colon = host.lastIndex(of: ":"), host.last != "]", UInt16(host[colon...].dropFirst()).map({ $0 > 0 }) != true {
                    throw .invalid(reason: "has a port that is not from 1 to 65535")
                }
                return url
            },
            write: tomlString)
    }
}

extension ValueKind<[String]> {
    /// The texts of a list.
    package static func texts(of node: TOMLNode, example: String) throws(ValueProblem) -> [String] {
        guard case .array(let elements) = node.value else { throw .wrongType(expected: "a list of texts such as \(example)") }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element.value else { throw .invalid(reason: "must have texts only, such as \(example)") }
            texts.append(text)
        }
        return texts
    }

    /// Headers that say where a message ends, or are of the connection alone (RFC 9112, sections 6 and 9.6; RFC 9110, sections 7.6.1 and 8.4).
    private static var framingHeaders: Set<String> {
        ["content-length", "transfer-encoding", "content-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect"]
    }

    /// Header lines of an HTTP request.
    package static var headerLines: ValueKind {
        ValueKind(
            unit: nil,
            schema: .list(.text),
            read: { (node) throws(ValueProblem) in
                var lines: [String] = []
                for line in try texts(of: node, example: "[\"X-Fleet: north\"]") {
                    // The name is a token (RFC 9110, section 5.6.2); the value must not end the line.
                    let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
                    let isToken = name.allSatisfy { byte in
                        ("0"..."9").contains(Unicode.Scalar(byte)) || ("a"..."z").contains(Unicode.Scalar(byte | 0x20))
                            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                    }
                    guard !name.isEmpty, isToken, name.count < line.utf8.count, line.utf8.count <= 1_024,
                        line.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
                    else { throw .invalid(reason: "has a line that is no \"Name: value\"") }
                    // With a false length or coding of its own, the rest of a body would count as the next request.
                    let word = String(decoding: name, as: UTF8.self)
                    guard !framingHeaders.contains(word.lowercased()) else {
                        throw .invalid(reason: "sets \(word), which waypost sets itself")
                    }
                    lines.append(line)
                }
                return lines
            },
            write: { "[" + $0.map(tomlString).joined(separator: ", ") + "]" })
    }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of a few words.
    package static func choice() -> ValueKind {
        let text = ValueKind<String>.choice(of: Value.allCases.map(\.rawValue))
        return ValueKind(
            unit: text.unit,
            schema: text.schema,
            read: { (node) throws(ValueProblem) in
                let word = try text.read(node)
                guard let choice = Value(rawValue: word) else { throw .invalid(reason: "must be \(text.unit ?? "")") }
                return choice
            },
            write: { tomlString($0.rawValue) })
    }
}

extension ValueKind<String> {
    /// One of these words.
    package static func choice(of words: [String]) -> ValueKind {
        let list = words.map { "\"\($0)\"" }.joined(separator: " or ")
        return ValueKind(
            unit: list,
            schema: .choice(words),
            read: { (node) throws(ValueProblem) in
                guard case .string(let word) = node.value else { throw .wrongType(expected: list) }
                guard words.contains(word) else { throw .invalid(reason: "must be \(list)") }
                return word
            },
            write: tomlString)
    }
}

extension ValueKind<Bool> {
    /// Yes or no.
    package static var truth: ValueKind {
        ValueKind(
            unit: nil,
            schema: .truth,
            read: { (node) throws(ValueProblem) in
                guard case .boolean(let value) = node.value else { throw .wrongType(expected: "true or false") }
                return value
            },
            write: { $0 ? "true" : "false" })
    }
}
