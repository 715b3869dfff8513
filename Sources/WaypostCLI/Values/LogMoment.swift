import Waypost

/// A place in a log as users write it: a cursor, or a moment.
enum LogMoment: Equatable {
    /// After the record with that number.
    case cursor(UInt64)
    /// At that moment.
    case time(MomentText)

    /// The accepted forms, for help.
    static let forms = "a cursor (a number) or \(MomentText.forms)"

    /// A whole number is a cursor; everything else names a moment.
    static func parse(_ text: String) throws -> LogMoment {
        if let number = UInt64(text) { return .cursor(number) }
        guard let moment = MomentText(text) else { throw ArgumentProblem(description: "write \(forms)") }
        return .time(moment)
    }
}
