import Waypost
import WaypostConfiguration
import WaypostSystem

/// A policy that lets nobody know the position although it should: broken, or silent about a door that is configured.
enum PolicyCheck: DoctorCheck {
    static let name = "policy"

    /// Whether there is a policy that this command's user may not read; what the tracker's user may is a matter of `NamedFiles`.
    static func isHidden(_ path: String) -> Bool {
        do throws(SystemError) { _ = try Syscalls.contents(of: path, limit: PolicyFile.maximumBytes) } catch {
            return error.meansNoPermission
        }
        return false
    }

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.tree.exists("/etc") else { return .notChecked("no /etc") }
        guard let loaded = facts.configuration else { return .notChecked(facts.whyNoConfiguration) }
        let named = PolicyFile(loaded.configuration, paths: loaded.paths)
        let path = named.path
        if isHidden(facts.tree.root + path) { return .notChecked("this user may not read \(path)") }
        let file = PolicyFile(
            path: facts.tree.root + path, isOptional: named.isOptional, in: facts.tree.root.isEmpty ? nil : facts.tree)
        let (source, notices) = file.read()
        let edit = Array(facts.editingCommands(path).prefix(1))
        switch source {
        case .missing: return .well
        case .broken(let reason):
            return .found(
                Finding(
                    what: "nobody but root may know the position: \(printable(reason))",
                    evidence: [Evidence(file: path, text: "is read by the tracker")], commands: file.remedy.map { [$0] } ?? edit))
        case .read(let policy):
            var findings = notices.map { notice in
                Finding(level: .note, what: printable(notice), evidence: [Evidence(file: path, text: "names it")], commands: edit)
            }
            for door in AccessPolicy.Door.all(of: loaded.configuration) where policy.doors[door] == nil {
                findings.append(
                    Finding(
                        what: "\(door.words) is configured, but the policy does not name it: it gives nothing",
                        evidence: [Evidence(file: path, text: "has no \(door.rawValue) below [door]")], commands: edit))
            }
            return CheckReport(findings: findings)
        }
    }
}
