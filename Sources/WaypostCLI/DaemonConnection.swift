import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// The option of every command that talks to the daemon.
struct DaemonConnection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Control socket; default $WAYPOST_SOCKET, that of your own running tracker, or /run/waypost/waypost.sock of the service.",
            valueName: "path"),
        completion: .file(), transform: PathValue.parse)
    var socket: String?

    /// The control socket that was named, with the option or `$WAYPOST_SOCKET`: the tracker behind it is meant, and no other.
    var namedSocket: String? { DefaultPaths.namedSocket(option: socket, environment: ProcessIdentity.current().environment) }

    /// The control socket that it connects to now.
    var path: String { DefaultPaths.clientSocket(option: socket, of: .current()) }

    /// Connects to the running daemon.
    ///
    /// - Parameter limit: how long it may take to greet.
    func connect(within limit: Duration = .seconds(5)) throws(CommandFailure) -> ControlClient {
        do { return try DaemonConnection.connectIfRunning(socket: socket, within: limit) } catch { throw failure(error) }
    }

    /// Connects to the running daemon, for callers that can do without one.
    func connectIfRunning() throws(ControlError) -> ControlClient { try DaemonConnection.connectIfRunning(socket: socket) }

    /// Connects to the daemon behind a socket; nil means the default one.
    static func connectIfRunning(socket: String?, within limit: Duration = .seconds(5)) throws(ControlError) -> ControlClient {
        let path = DefaultPaths.clientSocket(option: socket, of: .current())
        do throws(ControlError) {
            return try Patience.during("waiting for the tracker") { () throws(ControlError) in
                try ControlClient.connect(to: path, timeout: limit)
            }
        } catch .protocolMismatch(found: nil) {
            throw .cannotConnect(
                path: path, reason: "\(listener(at: path)), which is not waypostd; name the tracker's socket with --socket")
        } catch .closed {
            let reason = "\(listener(at: path)), and ended the connection at once: it is no tracker, or is just ending; see waypost doctor"
            throw .cannotConnect(path: path, reason: reason)
        }
    }

    /// Who listens on a socket, as far as it can be seen.
    private static func listener(at path: String) -> String {
        let name = PeerCredentials.listener(at: path).flatMap { number in
            SystemTree(root: "").firstLine(of: "/proc/\(number)/comm").map { "\(oneLine($0.text, limit: 40)) (process \(number))" }
        }
        return "\(name ?? "another program") listens there"
    }

    /// The failure for people; where a service is installed and no socket was named, the service's state says what to do.
    private func failure(_ error: ControlError) -> CommandFailure {
        guard case .notRunning = error, namedSocket == nil,
            let failure = CommandFailure(
                serviceIs: .now,
                because: LastFailure(stateFolder: DefaultPaths.service.stateDirectory).evidence(in: SystemTree(root: ""))?.text)
        else { return CommandFailure(error) }
        return failure
    }

    /// Asks the running daemon and waits for its answer.
    func ask<Verb: ControlVerb>(_ verb: Verb, timeout: Duration = .seconds(5)) throws(CommandFailure) -> Verb.Answer {
        let line = try line(answering: verb, timeout: timeout)
        do { return try Verb.Answer(line: line) } catch { throw CommandFailure(.unreadable(error)) }
    }

    /// Asks the running daemon and waits for its answer, as a value that is printed as it is.
    func value(answering verb: some ControlVerb, timeout: Duration = .seconds(5)) throws(CommandFailure) -> JSONValue {
        let line = try line(answering: verb, timeout: timeout)
        do throws(JSONError) { return try JSONParser().parse(line) } catch {
            throw CommandFailure(.unreadable(.notJSON(reason: "\(error)")))
        }
    }

    private func line(answering verb: some ControlVerb, timeout: Duration) throws(CommandFailure) -> [UInt8] {
        do throws(ControlError) {
            var client = try connectIfRunning()
            return try Patience.during("waiting for the tracker") { () throws(ControlError) in
                try client.confirm(before: timeout)
                return try client.answer(to: verb, timeout: timeout)
            }
        } catch {
            throw failure(error)
        }
    }
}

extension ControlClient {
    /// Waits for the next line; nil when none comes in time.
    ///
    /// - Parameter limit: how long to wait; nil waits for ever.
    mutating func nextLine(within limit: Duration?) throws(ControlError) -> [UInt8]? {
        do throws(ControlError) { return try nextLine(timeout: limit) } catch .timedOut { return nil }
    }

    /// Asks on a connection that is there already, and waits for the answer; a person is told for what.
    mutating func askPatiently<Verb: ControlVerb>(_ verb: Verb, timeout: Duration = .seconds(5)) throws(CommandFailure) -> Verb.Answer {
        do throws(ControlError) {
            return try Patience.during("waiting for the tracker") { () throws(ControlError) in
                try confirm(before: timeout)
                return try ask(verb, timeout: timeout)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Asks whether the tracker answers at all, before a wait that may be long: one that hangs says so within seconds, not minutes.
    ///
    /// - Parameter timeout: the longest time that the answer may take; before a short wait nothing is asked.
    mutating func confirm(before timeout: Duration) throws(ControlError) {
        if timeout > ControlClient.longestDoubt { _ = try ask(StatusRequest(), timeout: ControlClient.longestDoubt) }
    }

    private static let longestDoubt: Duration = .seconds(10)
}
