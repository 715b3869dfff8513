import Waypost

/// One of several words; a later version may have more, and a client keeps words that it does not know.
public protocol ControlWord: ControlValue, Hashable, CustomStringConvertible {
    /// The word on the wire.
    var text: String { get }

    /// Makes a word from its text, whether it is known or not.
    ///
    /// - Parameter text: the word on the wire.
    init(_ text: String)

    /// The words of this version.
    static var known: [Self] { get }
}

extension ControlWord {
    /// The words of this version.
    public static var form: String { "a text: \(known.map(\.text).joined(separator: ", "))" }

    /// Reads a word.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self.init(try String(controlValue: value)) }

    /// Writes the word.
    public func writeElement(to json: inout JSONWriter) { json.element(text) }

    /// The word on the wire.
    public var description: String { text }
}

/// One of several words; any other is an error.
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
extension TravelMode: ControlChoice {}
