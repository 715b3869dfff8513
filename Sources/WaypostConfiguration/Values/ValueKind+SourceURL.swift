import Waypost
import WaypostPositioning

extension ValueKind<SourceURL> {
    /// The URL of a source of positions.
    static var sourceURL: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a source URL in quotes") }
                do throws(SourceURLError) {
                    return try SourceURL(text)
                } catch {
                    throw .invalid(reason: error.description)
                }
            },
            write: { tomlString($0.description) })
    }
}
