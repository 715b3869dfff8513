/// The default paths of files and sockets.
///
/// Root and the user `waypost` use the system's folders; other users those of the XDG Base Directory Specification, of which only
/// absolute ones count. A user without a home gets the system's folders: the error on opening them then names the path.
public struct DefaultPaths: Equatable, Sendable {
    /// The folder of the tracker's state.
    public var stateDirectory: String
    /// The folder of the recorded tracks.
    public var logDirectory: String
    /// The control socket on which the tracker listens.
    public var socket: String
    /// The configuration file that is read, if it exists, when none is named.
    public var configurationFile: String
    /// The policy file that is read, if it exists, when the configuration names none.
    public var policyFile: String

    /// The user as whom the service runs.
    public static let serviceUser = "waypost"

    /// The paths of the service: those of root and the user `waypost`.
    public static let service = DefaultPaths(environment: [:], userID: 0, userName: "root")

    /// The paths of this process's user.
    package static var own: DefaultPaths {
        let identity = ProcessIdentity.current()
        return DefaultPaths(environment: identity.environment, userID: identity.userID, userName: identity.userName)
    }

    /// The paths for a user.
    /// - Parameters:
    ///   - environment: The process's environment; `WAYPOST_SOCKET`, `XDG_STATE_HOME`, `XDG_CONFIG_HOME`, `XDG_RUNTIME_DIR` and `HOME` count.
    ///   - userID: The effective user.
    ///   - userName: The effective user's name, nil when it has none.
    ///   - chosenState: The state folder from the command line; the log is then below it.
    public init(environment: [String: String], userID: UInt32, userName: String?, stateDirectory chosenState: String? = nil) {
        let folders = Folders(environment: environment, userID: userID, userName: userName)
        stateDirectory = chosenState ?? folders.state ?? "/var/lib/waypost"
        let isBelowState = chosenState != nil || folders.state != nil
        logDirectory = isBelowState ? stateDirectory + "/log" : "/var/log/waypost"
        configurationFile = (folders.configuration ?? "/etc/waypost") + "/waypost.toml"
        policyFile = (folders.configuration ?? "/etc/waypost") + "/policy.toml"
        socket =
            if let named = environment.text("WAYPOST_SOCKET") {
                named
            } else if folders.isService {
                DefaultPaths.serviceSocket
            } else {
                (folders.runtime ?? stateDirectory) + "/waypost.sock"
            }
    }

    /// Where a tracker keeps its files, in its state folder: in a folder of a folder that nobody else may enter.
    ///
    /// So nobody else sees when a file is replaced: neither the state folder nor what is in it changes then, whoever may look into it.
    public static func kept(inState folder: String) -> String { "\(folder)/\(keptName)/state" }

    /// The name of the folder in a state folder that nobody else may enter.
    package static let keptName = "kept"

    /// The control socket of the service.
    public static let serviceSocket = "/run/waypost/waypost.sock"

    /// The socket on which a client finds the tracker.
    ///
    /// It is the one from the command line, else `$WAYPOST_SOCKET`, else the user's own where a tracker listens on it, else the service's if it
    /// exists, else the user's own.
    /// - Parameters:
    ///   - option: The socket from the command line.
    ///   - environment: The process's environment.
    ///   - userID: The effective user.
    ///   - userName: The effective user's name, nil when it has none.
    ///   - exists: Whether there is something at a path.
    ///   - hasListener: Whether a program listens on a path.
    public static func clientSocket(
        option: String?, environment: [String: String], userID: UInt32, userName: String?, exists: (String) -> Bool,
        hasListener: (String) -> Bool
    ) -> String {
        if let socket = namedSocket(option: option, environment: environment) { return socket }
        // Where no service runs, root and waypost may still have started a tracker with such a socket by hand.
        let own =
            environment.folder("XDG_RUNTIME_DIR").map { $0 + "/waypost.sock" }
            ?? DefaultPaths(environment: environment, userID: userID, userName: userName).socket
        // A user who has started their own tracker wants to see that one.
        if own != serviceSocket, hasListener(own) { return own }
        return exists(serviceSocket) ? serviceSocket : own
    }

    /// The socket on which a client in this process finds the tracker now.
    ///
    /// It may be another one later: the service may be started, or the user's own tracker.
    /// - Parameters:
    ///   - option: the socket from the command line; nil for none.
    ///   - identity: the process's user and environment.
    public static func clientSocket(option: String?, of identity: ProcessIdentity) -> String {
        clientSocket(
            option: option, environment: identity.environment, userID: identity.userID, userName: identity.userName,
            exists: Syscalls.exists,
            hasListener: { (try? UnixSocket.occupant(of: $0)) == .listener })  // One that cannot be tried counts as none.
    }

    /// The socket that the command line or `$WAYPOST_SOCKET` names; nil when neither does.
    public static func namedSocket(option: String?, environment: [String: String]) -> String? {
        option ?? environment.text("WAYPOST_SOCKET")
    }

    /// A user's own folders, nil where the system's are used.
    private struct Folders {
        var isService: Bool
        var state: String?
        var configuration: String?
        var runtime: String?

        init(environment: [String: String], userID: UInt32, userName: String?) {
            isService = userID == 0 || userName == DefaultPaths.serviceUser
            guard !isService else { return }
            let home = environment.folder("HOME")
            state = (environment.folder("XDG_STATE_HOME") ?? home.map { $0 + "/.local/state" }).map { $0 + "/waypost" }
            configuration = (environment.folder("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }).map { $0 + "/waypost" }
            runtime = environment.folder("XDG_RUNTIME_DIR")
        }
    }
}

extension [String: String] {
    /// A variable's value; an empty one counts as not set.
    fileprivate func text(_ name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A variable that holds an absolute path, without trailing slashes.
    fileprivate func folder(_ name: String) -> String? {
        guard let path = text(name), path.first == "/" else { return nil }
        let trimmed = path.reversed().drop { $0 == "/" }.reversed()
        return String(trimmed)
    }
}
