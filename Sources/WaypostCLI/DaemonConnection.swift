import ArgumentParser
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// The option of every command that talks to the daemon.
struct DaemonConnection: ParsableArguments {
    @Option(
        help: ArgumentHelp("Control socket; default $WAYPOST_SOCKET, /run/waypost/waypost.sock, or the user's own.", valueName: "path"))
    var socket: String?

    /// Connects to the running daemon.
    func connect() throws(CommandFailure) -> ControlClient {
        let identity = ProcessIdentity.current()
        let path = DefaultPaths.clientSocket(
            option: socket, environment: identity.environment, userID: identity.userID, userName: identity.userName,
            exists: Syscalls.exists)
        do { return try ControlClient.connect(to: path) } catch { throw CommandFailure(error) }
    }
}

extension CommandFailure {
    /// A failure to talk to the daemon.
    init(_ error: ControlError) {
        switch error {
        case .notAuthorised(let message): self.init(.notAuthorised, what: "position", why: message)
        case .notRunning(let path):
            self.init(.unavailable, what: "waypostd", why: "is not running (nobody listens on \(path))", next: "start it with waypost run")
        case .noPermission: self.init(.notAuthorised, what: "waypostd", why: "\(error)")
        case .timedOut: self.init(.timedOut, what: "waypostd", why: "does not answer")
        default: self.init(.unavailable, what: "waypostd", why: "\(error)")
        }
    }
}
