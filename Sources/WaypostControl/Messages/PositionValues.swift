import Waypost

/// A position as a member: a TPV with its class.
struct ClassedPosition: ControlValue {
    var position: Position

    static var form: String { "a TPV with a position" }

    init(_ position: Position) {
        self.position = position
    }

    init(controlValue value: JSONValue) throws(ControlMemberError) {
        // A position that is partly unreadable counts as missing.
        guard case .position(let position)? = try? TPVCodec.decode(value) else {  // See above.
            throw ControlMemberError(expected: ClassedPosition.form)
        }
        self.position = position
    }

    func writeElement(to json: inout JSONWriter) {
        json.object { json in
            json.member("class", "TPV")
            TPVCodec.write(position, to: &json)
        }
    }
}

/// A position as a member: a TPV without its class, so that a search for fixes in the text of a line finds none.
struct PlainPosition: ControlValue {
    var position: Position

    static var form: String { ClassedPosition.form }

    init(_ position: Position) {
        self.position = position
    }

    init(controlValue value: JSONValue) throws(ControlMemberError) {
        position = try ClassedPosition(controlValue: value).position
    }

    func writeElement(to json: inout JSONWriter) {
        json.object { TPVCodec.write(position, to: &$0) }
    }
}

extension TrackerEvent: ControlValue {
    /// `an event`.
    public static var form: String { "an event" }

    /// Reads an event.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        guard let event = TrackerEvent(value) else { throw ControlMemberError(expected: TrackerEvent.form) }
        self = event
    }

    /// Writes the event.
    public func writeElement(to json: inout JSONWriter) { json.element(self) }
}
