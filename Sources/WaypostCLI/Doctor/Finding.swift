import WaypostSystem

/// Something that a check found, with what shows it and what mends it.
struct Finding: Equatable, Sendable {
    /// Whether it keeps the tracker from working.
    enum Level: String, Sendable {
        /// It does, or will at the next occasion: the exit code is 1.
        case fault
        /// It may, depending on what no file says; the exit code stays 0.
        case note
    }

    var level = Level.fault
    /// One sentence: what is wrong, and what comes of it.
    var what: String
    /// What shows it; never empty.
    var evidence: [Evidence]
    /// The commands that mend it, one a line, in order, ready to be pasted.
    var commands: [String]
    /// Those of them that only the system of the card itself can run; none where it is this system that was looked at.
    var commandsThere: [String] = []
}

/// What one check has to say.
struct CheckReport: Equatable, Sendable {
    /// What it found; empty when all is well, as far as it was looked at.
    var findings: [Finding] = []
    /// What could not be looked at, and why; nil when nothing was left out.
    var notChecked: String?

    /// All is well.
    static let well = CheckReport()

    /// One finding.
    static func found(_ finding: Finding) -> CheckReport { CheckReport(findings: [finding]) }

    /// Nothing could be looked at.
    static func notChecked(_ reason: String) -> CheckReport { CheckReport(notChecked: reason) }
}

/// One of the problems that users ask about most: a function from what is known of the system to what is wrong with it.
///
/// A check invents nothing: without evidence it finds nothing, and what it cannot see it says.
protocol DoctorCheck: SendableMetatype {
    /// What it is called in the output.
    static var name: String { get }

    /// Looks.
    static func examine(_ facts: SystemFacts) -> CheckReport
}
