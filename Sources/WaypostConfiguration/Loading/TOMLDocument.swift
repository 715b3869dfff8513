import CTOML
import Waypost

/// Text that is not TOML, and where the reader noticed it.
struct TOMLSyntaxError: Error, Equatable {
    var message: String
    var place: TextPlace
}

/// Reads TOML 1.0 with toml++; the entries of a table keep the order of the text.
///
/// - Cost: linear in the text; the tree is copied, and no C memory outlives the call. The shim limits the depth.
func parseTOML(_ bytes: [UInt8]) throws(TOMLSyntaxError) -> [TOMLMember] {
    let document = bytes.withUnsafeBytes { raw in
        ctoml_parse(raw.bindMemory(to: CChar.self).baseAddress, raw.count)
    }
    defer { ctoml_free(document) }
    var count = 0
    guard let first = ctoml_items(document, &count), count > 0 else {
        let place = TextPlace(ctoml_error_place(document))
        let advice = TOMLAdvice.words(forLine: place.line, of: bytes).map { "; \($0)" } ?? ""
        throw TOMLSyntaxError(message: String(ctoml_error_message(document)) + advice, place: place)
    }
    var reader = ItemReader(items: UnsafeBufferPointer(start: first, count: count))
    guard case .table(let entries) = reader.next().value else { return [] }
    return entries
}

/// Makes a tree from the shim's depth-first list.
private struct ItemReader {
    let items: UnsafeBufferPointer<ctoml_item>
    var index = 0

    mutating func next() -> TOMLNode {
        let item = items[index]
        index += 1
        return TOMLNode(value: value(of: item), place: TextPlace(item.place))
    }

    private mutating func value(of item: ctoml_item) -> TOMLNode.Value {
        switch item.kind {
        case CTOML_TABLE:
            var entries: [TOMLMember] = []
            entries.reserveCapacity(item.child_count)
            for _ in 0..<item.child_count {
                let child = items[index]
                entries.append(TOMLMember(key: String(child.key), place: TextPlace(child.key_place), node: next()))
            }
            // The library sorts by name.
            entries.sort { $0.place < $1.place }
            return .table(entries)
        case CTOML_ARRAY: return .array((0..<item.child_count).map { _ in next() })
        case CTOML_STRING: return .string(String(item.text))
        case CTOML_INTEGER: return .integer(item.integer)
        case CTOML_FLOAT: return .float(item.real)
        case CTOML_BOOLEAN: return .boolean(item.boolean)
        case CTOML_DATE: return .date
        case CTOML_TIME: return .time
        default: return .dateTime
        }
    }
}

extension String {
    fileprivate init(_ text: ctoml_text) {
        let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.count)
        self = String(decoding: bytes, as: UTF8.self)
    }
}

extension TextPlace {
    fileprivate init(_ place: ctoml_place) {
        self.init(line: Int(place.line), column: Int(place.column))
    }
}
