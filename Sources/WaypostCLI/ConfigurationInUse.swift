import WaypostConfiguration
import WaypostSystem

extension DefaultPaths {
    /// Those of this user, with the user's own configuration.
    static var own: DefaultPaths {
        let identity = ProcessIdentity.current()
        return DefaultPaths(environment: identity.environment, userID: identity.userID, userName: identity.userName)
    }

    /// Those of the configuration that a command reads when none is named.
    static var inUse: DefaultPaths { inUse(own: own, exists: Syscalls.exists) }

    /// The user's own configuration where there is one, else that of the service where waypost is installed as one.
    ///
    /// Whether this user may read the service's is found out by reading: it is in force all the same.
    static func inUse(own: DefaultPaths, exists: (String) -> Bool) -> DefaultPaths {
        let isThere = [own.configurationFile, Configuration.dropInFolder(of: own.configurationFile)].contains(where: exists)
        let service = DefaultPaths.service
        let folder = String(service.configurationFile.dropLast("/waypost.toml".count))
        return isThere || !exists(folder) ? own : service
    }
}

extension ReadingUser {
    /// The user who runs the tracker with a configuration: that of the service for the service's; nil for any other, which whoever starts the
    /// tracker must be able to read, and where the service's user is not known.
    static func ofTracker(reading file: String, in tree: SystemTree = SystemTree(root: "")) -> ReadingUser? {
        guard file == DefaultPaths.service.configurationFile else { return nil }
        guard SystemFacts.unitPath(in: tree) != nil else { return ReadingUser(named: "waypost", in: tree) }
        let line = SystemFacts.unitLines(in: tree).last { $0.text.hasPrefix("User=") }
        // A unit without a user runs as root.
        return line.flatMap { ReadingUser(named: String($0.text.dropFirst("User=".count)), in: tree) }
    }
}

extension ConfigurationError {
    /// The line for people: who may read the service's configuration is known.
    var line: String {
        let service = DefaultPaths.service.configurationFile
        guard kind == .notPermitted, file == service || file.hasPrefix(Configuration.dropInFolder(of: service)) else {
            return "waypost: \(self)"
        }
        // Whoever is in the service's group may not either.
        if let obstacle = ReadingUser.ofTracker(reading: service)?.obstacle(to: file) {
            return CommandFailure(.notAuthorised, what: file, why: obstacle.words).line
        }
        let next = "use sudo, or join the group that may: \(CommandFailure.joinCommand(group: "waypost")), then log in again"
        return CommandFailure(.notAuthorised, what: file, why: "this user may not read it", next: next).line
    }
}
