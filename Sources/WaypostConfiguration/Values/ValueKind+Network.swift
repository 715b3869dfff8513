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
