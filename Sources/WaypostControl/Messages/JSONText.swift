import Waypost

/// JSON that is passed on unchanged: a collection of fences, a record as servers get it.
public struct JSONText: ControlValue, Hashable {
    /// The text, in one line.
    public var bytes: [UInt8]

    /// Wraps a text that is already JSON.
    ///
    /// - Parameter bytes: the text, without line feeds.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// `an object`.
    public static var form: String { "an object" }

    /// Keeps an object, with its members sorted by name.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        guard value.object != nil else { throw ControlMemberError(expected: JSONText.form) }
        var text = TextBuffer()
        text.appendJSON { json in json.element(value) }
        bytes = text.bytes
    }

    /// Writes the text.
    public func writeElement(to json: inout JSONWriter) { json.element(json: bytes) }
}
