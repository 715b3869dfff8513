import Waypost
import WaypostSystem

extension ValueKind<ListenAddress?> {
    /// An address and a port to listen on, or nothing.
    ///
    /// - Parameter example: one of them, for messages.
    static func listenAddress(example: String) -> ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else {
                    throw .wrongType(expected: "an address and a port such as \"\(example)\"")
                }
                if text.isEmpty { return nil }
                guard let address = ListenAddress(text) else {
                    throw .invalid(reason: "\(quoted(text)) is not an IP address and a port, such as \"\(example)\"")
                }
                return address
            },
            write: { tomlString($0?.description ?? "") })
    }
}

extension ValueKind<[String]> {
    /// Names of hosts, each once, in lower case.
    static var hostNames: ValueKind {
        ValueKind(
            unit: nil,
            schema: .list(.text),
            read: { (node) throws(ValueProblem) in
                try texts(of: node, example: "[\"tracker.example.org\"]").map { (text) throws(ValueProblem) in
                    let name = text.lowercased()
                    guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(isOfHostName) else {
                        throw .invalid(reason: "\(quoted(text)) is not the name of a host; write it without http:// and without a port")
                    }
                    return name
                }
            },
            write: { "[" + $0.map(tomlString).joined(separator: ", ") + "]" })
    }

    private static func isOfHostName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension ValueKind<String> {
    /// The address of map tiles, or nothing.
    static var tileURL: ValueKind {
        let url = ValueKind<String>.webURL
        return ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                let text = try url.read(node)
                let bytes = Array(text.utf8)
                guard text.isEmpty || ["{z}", "{x}", "{y}"].allSatisfy({ bytes.contains(bytes: Array($0.utf8)) }) else {
                    throw .invalid(reason: "must have {z}, {x} and {y}, such as \"https://tiles.example.org/{z}/{x}/{y}.png\"")
                }
                // It becomes part of a header of the page, which has its own separators.
                guard !text.utf8.contains(where: { ";,'\"".utf8.contains($0) }) else {
                    throw .invalid(reason: "must have none of ; , ' and \"")
                }
                return text
            },
            write: url.write)
    }
}
