import Waypost
import WaypostConfiguration
import WaypostSystem

/// Mistakes in `waypost.toml` and `conf.d`, files that they name and that cannot be used, and what a later file replaces.
///
/// With any mistake in these files the tracker does not start.
enum ConfigurationCheck: DoctorCheck {
    static let name = "configuration"

    /// What a later file replaces: often intended, so it is a note.
    private static func replacements(_ facts: SystemFacts) -> [Finding] {
        (facts.configuration?.replacements ?? []).map { replacement in
            let file = String(replacement.origin.file.dropFirst(facts.tree.root.count))
            // Files of a saved tree have the names of its system.
            let what = facts.tree.root.isEmpty ? replacement.what : replacement.what.replacing(facts.tree.root + "/", with: "/")
            return Finding(
                level: .note, what: "\(what); \(replacement.advice)",
                evidence: [Evidence(file: file, line: replacement.origin.place.line, text: "")],
                commands: facts.editingCommands(file))
        }
    }

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.tree.root.isEmpty || facts.tree.exists("/etc") else { return .notChecked("no /etc") }
        // The tracker's own user may read it: the advice is to ask as root.
        let hidden = facts.mistakes.first { $0.kind == .notPermitted }
        let findings = facts.mistakes.filter { $0.kind != .notPermitted }.map { mistake in
            let file = String(mistake.file.dropFirst(facts.tree.root.count))
            if case .hidden(let obstacle) = mistake.kind {
                return Finding(
                    what: "the tracker cannot start: \(obstacle.reason)", evidence: [Evidence(file: file, text: "")],
                    commands: [obstacle.command])
            }
            return Finding(
                what: "the tracker cannot start: \(mistake.kind)",
                evidence: [Evidence(file: file, line: mistake.place?.line, text: "")],
                commands: facts.editingCommands(file).prefix(1) + ["waypost config check \(shellWord(file))"] + facts.restartCommands)
        }
        let isUnjudged = facts.trackerUser != nil && facts.configuration?.files.isEmpty == false && !facts.tree.keepsOwners
        let notChecked =
            hidden.map { "this user may not read \($0.file.dropFirst(facts.tree.root.count)); ask as root: sudo waypost doctor" }
            ?? (isUnjudged ? SystemFacts.ownersAreLost : nil)
        return CheckReport(findings: findings + namedFiles(facts) + replacements(facts), notChecked: notChecked)
    }

    /// The problems that `waypost config check` reports about the files that the configuration names.
    private static func namedFiles(_ facts: SystemFacts) -> [Finding] {
        facts.fileProblems.map { problem in
            let file = problem.origin.map { String($0.file.dropFirst(facts.tree.root.count)) } ?? facts.configurationFile
            return Finding(
                what: "\(problem.key): \(problem.reason)", evidence: [Evidence(file: file, line: problem.origin?.place.line, text: "")],
                commands: problem.commands + (problem.commands.isEmpty || problem.isCopied ? facts.editingCommands(file) : []))
        }
    }
}
