import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// The option of every command that talks to the daemon.
struct DaemonConnection: ParsableArguments {
    @Option(
        help: ArgumentHelp("Control socket; default $WAYPOST_SOCKET, /run/waypost/waypost.sock, or the user's own.", valueName: "path"),
        completion: .file())
    var socket: String?

    /// Connects to the running daemon.
    func connect() throws(CommandFailure) -> ControlClient {
        do { return try connectIfRunning() } catch { throw CommandFailure(error) }
    }

    /// Connects to the running daemon, for who goes on without one.
    func connectIfRunning() throws(ControlError) -> ControlClient { try DaemonConnection.connectIfRunning(socket: socket) }

    /// Connects to the daemon behind a socket; nil takes the default one.
    static func connectIfRunning(socket: String?) throws(ControlError) -> ControlClient {
        let identity = ProcessIdentity.current()
        let path = DefaultPaths.clientSocket(
            option: socket, environment: identity.environment, userID: identity.userID, userName: identity.userName,
            exists: Syscalls.exists)
        return try Patience.during("waiting for the tracker") { () throws(ControlError) in try ControlClient.connect(to: path) }
    }

    /// Asks the running daemon and waits for its answer.
    func ask(_ request: ControlRequest, timeoutMilliseconds: Int = 5_000) throws(CommandFailure) -> JSONValue {
        let line: [UInt8]
        do throws(ControlError) {
            var client = try connectIfRunning()
            line = try Patience.during("waiting for the tracker") { () throws(ControlError) in
                try client.answer(to: request, timeoutMilliseconds: timeoutMilliseconds)
            }
        } catch {
            throw CommandFailure(error)
        }
        return try CommandFailure.readable(line)
    }
}
