extension JSONParser {
    /// Reads a long list element by element: only one of them is in memory at a time.
    ///
    /// - Parameters:
    ///   - member: the member of the outermost object that holds the list; nil when the text itself is the list.
    ///   - body: takes each element in turn.
    /// - Returns: the outermost object without the list; null when the text is the list. A text of another kind, or a member of that name that
    ///   is no list, is given back whole.
    @discardableResult
    func forEachElement(of member: String?, in bytes: Span<UInt8>, _ body: (JSONValue) -> Void) throws(JSONError) -> JSONValue {
        var scanner = JSONScanner(maximumDepth: maximumDepth, firstLine: firstLine)
        var rest: JSONValue = .null
        switch (member, try scanner.next(in: bytes)) {
        case (nil, .beginArray): try readElements(&scanner, bytes, body)
        case (let member?, .beginObject):
            var members: [String: JSONValue] = [:]
            while case .key(let name) = try scanner.next(in: bytes) {
                let key = scanner.string(name, in: bytes)
                let token = try scanner.next(in: bytes)
                if key == member, token == .beginArray {
                    try readElements(&scanner, bytes, body)
                } else {
                    members[key] = try JSONParser.value(token, &scanner, bytes)
                }
            }
            rest = .object(members)
        case (_, let token): rest = try JSONParser.value(token, &scanner, bytes)
        }
        _ = try scanner.next(in: bytes)
        return rest
    }

    private func readElements(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>, _ body: (JSONValue) -> Void) throws(JSONError) {
        while case let token = try scanner.next(in: bytes), token != .endArray {
            body(try JSONParser.value(token, &scanner, bytes))
        }
    }
}
