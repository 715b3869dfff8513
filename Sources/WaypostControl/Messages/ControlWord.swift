import Waypost

/// One word of several, of which a later version may have more: a client keeps those that it does not know.
public protocol ControlWord: ControlValue, Hashable, CustomStringConvertible {
    /// The word on the wire.
    var text: String { get }

    /// The word of that text, whether it is known or not.
    ///
    /// - Parameter text: the word on the wire.
    init(_ text: String)

    /// Those that this version has.
    static var known: [Self] { get }
}

extension ControlWord {
    /// The words that this version has.
    public static var form: String { "a text: \(known.map(\.text).joined(separator: ", "))" }

    /// Reads a word.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self.init(try String(controlValue: value)) }

    /// Writes the word.
    public func writeElement(to json: inout JSONWriter) { json.element(text) }

    /// The word on the wire.
    public var description: String { text }
}

/// One word of several; another one is an error.
protocol ControlChoice: ControlValue, CaseIterable, RawRepresentable<String> {}

extension ControlChoice {
    /// The words.
    public static var form: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }

    /// Reads one of the words.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        guard let choice = value.string.flatMap(Self.init(rawValue:)) else { throw ControlMemberError(expected: Self.form) }
        self = choice
    }

    /// Writes the word.
    public func writeElement(to json: inout JSONWriter) { json.element(rawValue) }
}

extension DesiredAccuracy: ControlChoice {}
extension UnitSystem: ControlChoice {}
