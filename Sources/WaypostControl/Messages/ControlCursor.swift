import Waypost

/// Where a page of an answer begins: `page` of a request, `next` of the last answer.
public protocol ControlCursor: ControlValue {
    /// Its text on the wire.
    var text: String { get }

    /// The cursor of that text; nil for anything else.
    ///
    /// - Parameter text: the text on the wire.
    init?(text: String)
}

extension ControlCursor {
    /// The value of `next` in an answer.
    public static var form: String { "what \"next\" of the answer before said" }

    /// Reads a cursor.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        guard let cursor = value.string.flatMap(Self.init(text:)) else { throw ControlMemberError(expected: Self.form) }
        self = cursor
    }

    /// Writes the cursor's text.
    public func writeElement(to json: inout JSONWriter) { json.element(text) }
}
