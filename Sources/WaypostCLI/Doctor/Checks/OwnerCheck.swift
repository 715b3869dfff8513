import Waypost
import WaypostConfiguration
import WaypostSystem

/// Files in the service's folders that belong to somebody else, as after a tracker that root ran there: the service cannot write them.
enum OwnerCheck: DoctorCheck {
    static let name = "owner"

    /// The most files that are named.
    private static let mostNamed = 3

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.unitPath != nil else { return .notChecked("waypost is not installed as a service") }
        let configurationFile = DefaultPaths.service.configurationFile
        guard facts.tree.keepsOwners else { return .notChecked(SystemFacts.ownersAreLost) }
        // A unit without a user runs as root.
        guard let user = ReadingUser.ofTracker(reading: configurationFile, in: facts.tree) else { return .well }
        let log = facts.configuration?.configuration.log.directory ?? DefaultPaths.service.logDirectory
        let places = [DefaultPaths.service.stateDirectory, log]
        guard places.contains(where: { user.owns($0, in: facts.tree) != nil }) else {
            return .notChecked("neither \(places[0]) nor \(places[1]) is there")
        }
        var folders: [String] = []
        var evidence: [Evidence] = []
        for folder in places where user.owns(folder, in: facts.tree) == true {
            let foreign = files(of: folder, in: facts.tree).filter { user.owns($0, in: facts.tree) == false }
            guard !foreign.isEmpty else { continue }
            folders.append(folder)
            evidence += foreign.prefix(mostNamed).map { Evidence(file: $0, text: "is not owned by \(user.name)") }
        }
        guard !folders.isEmpty else { return .well }
        let (owner, words) = ("\(shellWord(user.name)):\(shellWord(user.groupName))", folders.map(shellWord).joined(separator: " "))
        return .found(
            Finding(
                what: "files of the tracker belong to another user, and the service may not write them", evidence: evidence,
                commands: ["sudo chown -R \(owner) \(words)", SystemFacts.serviceRestart]))
    }

    /// What the tracker itself writes in a folder: of the state its lock and what it keeps, of a log the journals and what is kept with them.
    private static func files(of folder: String, in tree: SystemTree) -> [String] {
        let journals = folder + "/journal"
        let isState = folder == DefaultPaths.service.stateDirectory
        let kept = DefaultPaths.kept(inState: folder)
        let state = isState ? (tree.names(in: kept) ?? []).map { "\(kept)/\($0)" } : []
        let names = (tree.names(in: folder) ?? []).filter { $0.hasPrefix(".") || isState && $0 == DefaultPaths.keptName }
        let inner = (tree.names(in: journals) ?? []).filter { $0.hasPrefix(".") || $0.hasSuffix(".journal") }
        return names.map { "\(folder)/\($0)" } + state + (tree.exists(journals) ? [journals] : []) + inner.map { "\(journals)/\($0)" }
    }
}
