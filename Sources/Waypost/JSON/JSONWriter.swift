/// Writes JSON piece by piece, commas and escapes included.
///
/// ```swift
/// text.appendJSON { json in
///     json.object { json in
///         json.member("class", "TPV")
///         json.member("lat", 51.477_928)
///         json.member("climb", nil as Double?)  // not known: not written
///     }
/// }
/// // {"class":"TPV","lat":51.477928}
/// ```
///
/// A comma is needed when the last byte ends a value, so the text itself is the only state.
///
/// - Cost: no allocation per value once the text has grown.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var text: TextBuffer

    /// Creates a writer that continues after a text; a text that does not end in the middle of JSON must be empty or end with a line feed.
    public init(_ text: TextBuffer = TextBuffer()) {
        self.text = text
    }

    // MARK: Containers

    /// Writes an object: at top level or in an array.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        separate()
        text.append(byte: UInt8(ascii: "{"))
        members(&self)
        text.append(byte: UInt8(ascii: "}"))
    }

    /// Writes an array: at top level or in an array.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        separate()
        text.append(byte: UInt8(ascii: "["))
        elements(&self)
        text.append(byte: UInt8(ascii: "]"))
    }

    /// Writes a member that is an object.
    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    /// Writes a member that is an array.
    public mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        key(name)
        array(elements)
    }

    // MARK: Members; one without a value is not written

    /// Writes a text member.
    @inline(__always)
    public mutating func member(_ name: StaticString, _ value: String?) {
        if let value { write(name, value) }
    }

    // Most values of a position are not known: what is not written costs no call.
    private mutating func write(_ name: StaticString, _ value: String) {
        key(name)
        element(value)
    }

    /// Writes a text member whose value has nothing to escape.
    mutating func member(_ name: StaticString, plain value: StaticString) {
        key(name)
        text.append(byte: UInt8(ascii: "\""))
        text.append(value)
        text.append(byte: UInt8(ascii: "\""))
    }

    /// Writes a number member as the shortest decimal that reads back as the same value; a value that is not finite counts as unknown.
    public mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        text.append(shortest: value)
    }

    /// Writes a measured number, to a millionth of its unit.
    ///
    /// Further digits come from arithmetic: 20.960698222 m/s from 40.744 knots.
    @inline(__always)
    public mutating func member(_ name: StaticString, measured value: Double?) {
        if let value, value.isFinite { write(name, measured: value) }
    }

    private mutating func write(_ name: StaticString, measured value: Double) {
        key(name)
        text.append(measured: value)
    }

    /// Writes a number with a fixed number of decimals; one that is not finite counts as unknown.
    mutating func member(_ name: StaticString, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return }
        key(name)
        text.append(value, decimals: decimals)
    }

    /// Writes a whole-number member.
    public mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        text.append(integer: value)
    }

    /// Writes a truth member.
    public mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        element(value)
    }

    /// Writes a moment as RFC 3339 UTC with milliseconds.
    public mutating func member(_ name: StaticString, _ value: UTCTime?) {
        guard let value else { return }
        key(name)
        text.append(byte: UInt8(ascii: "\""))
        text.append(value)
        text.append(byte: UInt8(ascii: "\""))
    }

    /// Writes a member whose value is already JSON.
    public mutating func member(_ name: StaticString, json value: some Sequence<UInt8>) {
        key(name)
        text.append(contentsOf: value)
    }

    /// Writes a member whose value the closure writes, as one element.
    public mutating func member(_ name: StaticString, element: (inout JSONWriter) -> Void) {
        key(name)
        element(&self)
    }

    /// Writes any value as a member.
    public mutating func member(_ name: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        key(name)
        element(value)
    }

    /// Writes any value as a member with any name.
    public mutating func member(named name: String, _ value: JSONValue) {
        separate()
        quote(name)
        text.append(byte: UInt8(ascii: ":"))
        element(value)
    }

    // MARK: Elements

    /// Writes an element that is already JSON.
    public mutating func element(json value: some Sequence<UInt8>) {
        separate()
        text.append(contentsOf: value)
    }

    /// Writes a text element.
    public mutating func element(_ value: String) {
        separate()
        quote(value)
    }

    /// Writes a number element; null for one that is not finite, which JSON cannot express.
    public mutating func element(_ value: Double) {
        separate()
        if value.isFinite { text.append(shortest: value) } else { text.append("null") }
    }

    /// Writes a whole-number element.
    public mutating func element(_ value: Int) {
        separate()
        text.append(integer: value)
    }

    /// Writes a truth element.
    public mutating func element(_ value: Bool) {
        separate()
        if value { text.append("true") } else { text.append("false") }
    }

    /// Writes a moment as RFC 3339 UTC with milliseconds.
    public mutating func element(_ value: UTCTime) {
        separate()
        text.append(byte: UInt8(ascii: "\""))
        text.append(value)
        text.append(byte: UInt8(ascii: "\""))
    }

    /// Writes any value; objects' members are ordered by name, so that the same value yields the same bytes.
    public mutating func element(_ value: JSONValue) {
        switch value {
        case .null:
            separate()
            text.append("null")
        case .bool(let value): element(value)
        case .integer(let value):
            separate()
            text.append(integer: value)
        case .number(let value): element(value)
        case .string(let value): element(value)
        case .array(let elements): array { json in for element in elements { json.element(element) } }
        case .object(let members): object { json in json.members(members) }
        }
    }

    // MARK: Parts

    @inline(__always)
    private mutating func separate() {
        if !endsBeforeElement { text.append(byte: UInt8(ascii: ",")) }
    }

    /// Whether the next element needs no comma.
    @inline(__always)
    private var endsBeforeElement: Bool {
        switch text.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    /// Writes a name; names are our own literals and contain nothing to escape.
    @inline(__always)
    private mutating func key(_ name: StaticString) {
        let isFirst = endsBeforeElement
        let length = name.utf8CodeUnitCount
        text.write(atMost: length + 4) { place in
            var next = place
            if !isFirst {
                next.pointee = UInt8(ascii: ",")
                next += 1
            }
            next.pointee = UInt8(ascii: "\"")
            UnsafeMutableRawPointer(next + 1).copyMemory(from: name.utf8Start, byteCount: length)
            next[length + 1] = UInt8(ascii: "\"")
            next[length + 2] = UInt8(ascii: ":")
            return next + length + 3 - place
        }
    }

    private mutating func quote(_ string: String) {
        text.append(byte: UInt8(ascii: "\""))
        defer { text.append(byte: UInt8(ascii: "\"")) }
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0x7F }) {
            text.append(string: string)
            return
        }
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): text.append("\\\"")
            case UInt8(ascii: "\\"): text.append("\\\\")
            case UInt8(ascii: "\n"): text.append("\\n")
            case UInt8(ascii: "\r"): text.append("\\r")
            case UInt8(ascii: "\t"): text.append("\\t")
            case 0..<0x20, 0x7F:
                text.append("\\u00")
                text.append(byte: JSONWriter.hexadecimalDigit(byte >> 4))
                text.append(byte: JSONWriter.hexadecimalDigit(byte & 0xF))
            default: text.append(byte: byte)
            }
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    fileprivate mutating func exchange(with other: inout TextBuffer) {
        swap(&text, &other)
    }
}

extension TextBuffer {
    /// Appends what the closure writes as JSON.
    ///
    /// - Cost: the text moves into the writer and back; nothing is copied.
    public mutating func appendJSON(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter(TextBuffer(capacity: 0))
        json.exchange(with: &self)
        write(&json)
        json.exchange(with: &self)
    }
}
