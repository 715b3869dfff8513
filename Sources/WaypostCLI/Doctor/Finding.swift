import WaypostSystem

/// A finding of a check, with its evidence and the commands that fix it.
struct Finding: Equatable, Sendable {
    /// Whether it keeps the tracker from working.
    enum Level: String, Sendable {
        /// It does, or will on the next occasion: the exit code is 1.
        case fault
        /// It may, depending on things that no file shows; the exit code stays 0.
        case note
    }

    var level = Level.fault
    /// One sentence: the problem and its effect.
    var what: String
    /// The evidence; never empty.
    var evidence: [Evidence]
    /// The commands that fix it, one per line, in order, ready to paste.
    var commands: [String]
    /// The commands that only the card's own system can run; empty when the examined system is this one.
    var commandsThere: [String] = []
}

/// The result of one check.
struct CheckReport: Equatable, Sendable {
    /// The findings; empty when all is well, as far as it was checked.
    var findings: [Finding] = []
    /// What could not be checked, and why; nil when everything was.
    var notChecked: String?

    /// All is well.
    static let well = CheckReport()

    /// One finding.
    static func found(_ finding: Finding) -> CheckReport { CheckReport(findings: [finding]) }

    /// Nothing could be checked.
    static func notChecked(_ reason: String) -> CheckReport { CheckReport(notChecked: reason) }
}

/// A check for one of the problems that users ask about most: a function from the facts about a system to its problems.
///
/// A check never guesses: without evidence it finds nothing, and it reports what it cannot see.
protocol DoctorCheck: SendableMetatype {
    /// Its name in the output.
    static var name: String { get }

    /// Checks the system.
    static func examine(_ facts: SystemFacts) -> CheckReport
}
