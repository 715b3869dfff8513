import WaypostConfiguration
import WaypostSystem

extension DefaultPaths {
    /// The default paths with the configuration that a command reads when none is named.
    static var inUse: DefaultPaths { inUse(own: own, exists: Syscalls.exists) }

    /// The user's own configuration where there is one, otherwise the service's where waypost is installed as a service.
    ///
    /// Reading shows whether this user may read the service's; it is in force either way.
    static func inUse(own: DefaultPaths, exists: (String) -> Bool) -> DefaultPaths {
        let isThere = [own.configurationFile, Configuration.dropInFolder(of: own.configurationFile)].contains(where: exists)
        let service = DefaultPaths.service
        let folder = String(service.configurationFile.dropLast("/waypost.toml".count))
        return isThere || !exists(folder) ? own : service
    }
}

extension ReadingUser {
    /// The user who runs the tracker with a configuration: for the service's configuration the service's user.
    ///
    /// Nil for any other configuration, which the user who starts the tracker must be able to read, and where the service's user is unknown.
    static func ofTracker(reading file: String, in tree: SystemTree = SystemTree(root: "")) -> ReadingUser? {
        guard file == DefaultPaths.service.configurationFile else { return nil }
        guard SystemFacts.unitPath(in: tree) != nil else { return ReadingUser(named: "waypost", in: tree) }
        let line = SystemFacts.unitLines(in: tree).last { $0.text.hasPrefix("User=") }
        // A unit without a user runs as root.
        return line.flatMap { ReadingUser(named: String($0.text.dropFirst("User=".count)), in: tree) }
    }
}

extension ConfigurationError {
    /// The line for people, with the command that lets the user read the service's configuration.
    var line: String {
        let service = DefaultPaths.service.configurationFile
        guard kind == .notPermitted, file == service || file.hasPrefix(Configuration.dropInFolder(of: service)) else {
            return "waypost: \(self)"
        }
        // Users in the service's group may not be able to read it either.
        if let obstacle = ReadingUser.ofTracker(reading: service)?.obstacle(to: file) {
            return CommandFailure(.notAuthorised, what: file, why: obstacle.words).line
        }
        let next = "use sudo, or join the group that may: \(CommandFailure.joinCommand(group: "waypost")), then log in again"
        return CommandFailure(.notAuthorised, what: file, why: "this user may not read it", next: next).line
    }
}
