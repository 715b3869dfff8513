import Waypost

/// A JSON object of the control protocol, with one list of its members for reading, writing and describing it.
///
/// ```swift
/// struct Receiver: ControlObject {
///     var path = ""
///     mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
///         try codec.member("path", &path, "The device.")
///     }
/// }
/// ```
/// A member that a later version adds is optional or has a value for its absence, so that programs of both versions understand each other.
/// Members of other names are skipped in answers and refused in requests.
public protocol ControlObject: ControlValue, Hashable {
    /// An object with no values set.
    init()

    /// Passes each member to the codec, in the order in which they are written.
    ///
    /// - Parameter codec: reads, writes or describes them.
    mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure)

    /// Checks the rules that involve more than one member; called after reading.
    func validate() throws(ControlMemberError)
}

extension ControlObject {
    /// `an object`.
    public static var form: String { "an object" }

    /// Its members, in the order in which they are written.
    public static var members: [ControlMemberDescription] {
        var describer = ControlDescriber()
        var object = Self()
        object.code(with: &describer)
        return describer.members
    }

    /// Reads the object; members with other names are skipped.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        guard let members = value.object else { throw ControlMemberError(expected: Self.form) }
        var reader = ControlReader(members)
        try self.init(from: &reader)
    }

    /// Reads the object and leaves members with other names to the caller.
    init(from reader: inout ControlReader) throws(ControlMemberError) {
        self.init()
        try code(with: &reader)
        try validate()
    }

    /// Writes the object.
    public func writeElement(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    /// Writes only the members.
    func writeMembers(to json: inout JSONWriter) {
        var writer = ControlWriter()
        swap(&writer.json, &json)
        var object = self
        object.code(with: &writer)
        swap(&writer.json, &json)
    }

    /// Accepts every object.
    public func validate() throws(ControlMemberError) {}
}

/// The description of a member, for the page of the protocol.
public struct ControlMemberDescription: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The form of its value.
    public var form: String
    /// Whether reading fails without it.
    public var isRequired: Bool
    /// Whether it is always written.
    public var isAlwaysWritten: Bool
    /// Its meaning: a sentence or two.
    public var documentation: String
    /// The members of its value, when that is an object or a list of objects.
    public var members: [ControlMemberDescription]
}
