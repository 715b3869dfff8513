import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostRecording
import WaypostSystem

/// `waypost log`: the recorded tracks.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List, fetch, check and erase the recorded tracks.",
        discussion: """
            Works with or without a running tracker. Without --log it uses the log of the running tracker, else that of the configuration; where \
            --socket or $WAYPOST_SOCKET names a tracker, only the log of that one. Where the service does not run, and you have a log of your own, too, \
            it asks for --log.

            Example: waypost log list
            """,
        subcommands: [
            LogListCommand.self, LogExportCommand.self, LogAckCommand.self, LogRecoverCommand.self, LogRotateCommand.self,
            LogVerifyCommand.self, LogEraseCommand.self,
        ])
}

/// The log that a command works on.
struct LogLocation: ParsableArguments {
    @Option(
        help: ArgumentHelp("Folder of the log; default: the running tracker's, else the configuration's.", valueName: "dir"),
        completion: .directory, transform: PathValue.parse)
    var log: String?

    @OptionGroup var daemon: DaemonConnection

    /// The folder of the log.
    ///
    /// - Parameter isWritten: whether the command changes what is in it.
    func folder(isWritten: Bool = false) throws(CommandFailure) -> LogFolder {
        let folder = try found()
        do throws(SystemError) { return try LogLocation.enter(folder.path, isWritten: isWritten) } catch {
            throw CommandFailure(RecordingError.cannotRead(path: folder.path, cause: error))
        }
    }

    private func found() throws(CommandFailure) -> LogFolder {
        if let log { return try existing(log) }
        let own = DefaultPaths.own
        switch try daemonLog() {
        case .shown(let running, let isOff): return try existing(running, isOff: isOff)
        case .hidden: throw LogLocation.refusal(own)
        case .notRunning(let path) where daemon.namedSocket != nil:
            throw CommandFailure(
                .unavailable, what: "tracker", why: "not running (nothing listens on \(path))",
                next: "start it with waypost run, or name its log with --log DIR")
        case .notRunning, .none: break
        }
        // A user who runs their own tracker needs no configuration for it.
        let paths = Syscalls.isFolder(own.logDirectory) ? own : .inUse
        if paths == own { try LogLocation.refuseToGuess(own) }
        do {
            let log = try Configuration.load(path: nil, paths: paths).configuration.log
            return try existing(log.directory, isOff: log.isOff)
        } catch let failure as CommandFailure {
            throw failure
        } catch let errors as ConfigurationErrors {
            if errors.isNotPermitted, let first = errors.errors.first(where: { $0.kind == .notPermitted }) {
                throw CommandFailure(.notAuthorised, line: String(first.line.dropFirst("waypost: ".count)))
            }
            let first = errors.errors.first.map { "\($0)" } ?? "cannot be read"
            throw CommandFailure(.badConfiguration, what: "configuration", why: first, next: "or name the log with --log")
        } catch {
            throw CommandFailure(.failed, what: "configuration", why: "\(error)")
        }
    }

    /// Refuses where the service may have stopped, and a tracker of this user's own has left a log, too: a script would fetch the wrong one.
    static func refuseToGuess(_ own: DefaultPaths, in tree: SystemTree = SystemTree(root: "")) throws(CommandFailure) {
        let service = DefaultPaths.service
        guard own.logDirectory != service.logDirectory, SystemFacts.unitPath(in: tree) != nil else { return }
        let loaded = try? Configuration.load(path: nil, paths: service)  // The place is only for the words.
        let log = loaded?.configuration.log.directory ?? service.logDirectory
        throw CommandFailure(
            .unavailable, what: "log", why: "no tracker is running, and there is a log of the service and one of your own",
            next: "name one: --log \(shellWord(log)) or --log \(shellWord(own.logDirectory))")
    }

    /// The log of the running tracker.
    private enum DaemonLog {
        /// In this folder; whether nothing is recorded.
        case shown(String, isOff: Bool)
        /// The tracker does not tell this user where.
        case hidden
        /// It has none.
        case none
        /// No tracker listens on this socket.
        case notRunning(String)
    }

    /// - Errors: the tracker refuses to answer, or, behind a socket that was named, does not show the folder.
    private func daemonLog() throws(CommandFailure) -> DaemonLog {
        let status: StatusReport
        do throws(ControlError) {
            var client = try daemon.connectIfRunning()
            status = try client.ask(StatusRequest())
        } catch {
            if case .notRunning(let path) = error { return .notRunning(path) }
            throw CommandFailure(error)
        }
        if let log = status.log { return .shown(log.directory, isOff: log.isOff) }
        if daemon.namedSocket == nil { return status.problems == nil ? .hidden : .none }
        throw CommandFailure(
            .notAuthorised, what: "log", why: "the tracker does not tell this user where it is", next: "use sudo, or name it with --log DIR"
        )
    }

    /// A user who may not see the running tracker's log must not take a log of their own for it.
    private static func refusal(_ own: DefaultPaths) -> CommandFailure {
        let joining = "use sudo, or join the group that may: \(CommandFailure.joinCommand(group: "waypost")), then log in again"
        let ownLog = Syscalls.isFolder(own.logDirectory) ? "; for your own log: --log \(shellWord(own.logDirectory))" : ""
        return CommandFailure(
            .notAuthorised, what: "log", why: "the running tracker does not tell this user where its log is", next: joining + ownLog)
    }

    /// Asks the tracker to do what this program cannot, because the tracker holds the log or this user may not write it.
    ///
    /// - Parameter failure: why this program cannot; thrown when the running tracker has another log.
    func ask<Verb: ControlVerb>(
        _ verb: Verb, about folder: LogFolder, timeout: Duration = .seconds(5), or failure: CommandFailure
    ) throws(CommandFailure) -> Verb.Answer {
        // A tracker checks who its caller is.
        do { try ProcessIdentity.actAsItself() } catch { throw CommandFailure(.failed, what: logPath(folder.path), why: error.description) }
        guard try isRecorded(folder) else { throw failure }
        return try daemon.ask(verb, timeout: timeout)
    }

    /// Whether the running tracker has its log there.
    func isRecorded(_ folder: LogFolder) throws(CommandFailure) -> Bool {
        guard case .shown(let running, _) = try daemonLog() else { return false }
        return LogLocation.isSame(running, folder.path)
    }

    /// The log of a running tracker that records nothing, when it is the one that is meant.
    func unrecordedLog() throws(CommandFailure) -> String? {
        guard let log else {
            guard case .shown(let running, isOff: true) = try daemonLog() else { return nil }
            return logPath(running)
        }
        // One that does not answer keeps nobody from a log that is named.
        guard case .shown(let running, isOff: true)? = try? daemonLog() else { return nil }  // See above.
        // It may never have been made.
        let whole = log.hasPrefix("/") ? log : "\(Syscalls.resolvingLinks("."))/\(log)"
        return whole == running || LogLocation.isSame(running, log) ? logPath(running) : nil
    }

    /// Whether two paths lead to the same folder, neither of them over a link of a stranger's.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        do throws(SystemError) { return try FolderWay(to: first).identity == FolderWay(to: second).identity } catch {
            // It may be out of this user's reach; the tracker checks who asks.
            return !ProcessIdentity.isRoot && Syscalls.resolvingLinks(first) == Syscalls.resolvingLinks(second)
        }
    }

    private func existing(_ path: String, isOff: Bool = false) throws(CommandFailure) -> LogFolder {
        let names: [String]
        do throws(SystemError) {
            names = try Syscalls.names(inFolder: path)
        } catch {
            if error.isMissing, isOff {
                throw CommandFailure(
                    .inputMissing, what: "log", why: "is off ([log] types = []), and nothing was recorded before",
                    next: "name another log with --log DIR")
            }
            if error.isMissing {
                throw CommandFailure(.inputMissing, what: path, why: "there is no such log", next: "name it with --log DIR")
            }
            if !error.meansNoPermission {
                throw CommandFailure(.inputMissing, what: path, why: "is not a log: \(error.reason)", next: "name it with --log DIR")
            }
            throw CommandFailure(RecordingError.cannotRead(path: path, cause: error))
        }
        try checkIsLog(path, names)
        return LogFolder(path: path)
    }

    /// Any other folder would look like an empty log.
    private func checkIsLog(_ path: String, _ names: [String]) throws(CommandFailure) {
        if names.contains(where: ["journal", "SHA256SUMS", ".lock"].contains) { return }
        let isInLog = names.contains { $0 == ".sequence" || $0.hasSuffix(".journal") }
        throw CommandFailure(
            .inputMissing, what: path, why: isInLog ? "is the journal folder of a log" : "is not a log",
            next: isInLog ? "name the folder above it with --log DIR" : "name it with --log DIR")
    }

    /// As root, becomes the owner of the log: links and other traps that the owner placed there lead no further than the owner may go.
    private static func enter(_ path: String, isWritten: Bool) throws(SystemError) -> LogFolder {
        guard ProcessIdentity.isRoot else { return LogFolder(path: path) }
        let way = try FolderWay(to: path)
        if way.isRoots {
            // Somebody else could put a link to another log of root's in its place.
            guard way.isExchangeable else { return LogFolder(path: path) }
            try way.enter()
            return LogFolder(path: ".")
        }
        let folder = LogFolder(path: path)
        guard folder.isOneOwners else {
            // A log that root's own tracker keeps in another user's folder is only for root; each of its files is checked too.
            if !isWritten { return folder }
            throw SystemError.isMisplaced(
                path,
                "the log is root's, its folder another user's, who could lead root elsewhere; give it to root: chown root: \(shellWord(path))"
            )
        }
        try ProcessIdentity.actAsOwner(of: way, path)
        if Syscalls.isFolder(path) { return folder }
        // On the way there are folders that the owner may not enter, as on a card that another user has mounted.
        try ProcessIdentity.actAsItself()
        try way.enter()
        try ProcessIdentity.actAsOwner(of: way, path)
        return LogFolder(path: ".")
    }
}

extension CommandFailure {
    /// A failure to read or change a log.
    init(_ error: RecordingError) {
        switch error {
        case .alreadyInUse(let folder, let holder):
            self.init(heldBy: holder, logPath(folder), next: "it finishes its own tracks when it stops")
        case .cannotPrepare(_, let cause) where cause.isOddFile:
            self.init(.cannotCreate, line: "\(cause.path.map(logPath) ?? "the log"): \(cause.reason)")
        case .cannotPrepare(let path, let cause):
            self.init(cause, cause.isMissing ? .inputMissing : .cannotCreate, what: logPath(path), why: "cannot be used")
        case .cannotAppend(let path, let cause), .cannotSynchronize(let path, let cause), .cannotFinish(let path, let cause),
            .cannotAcknowledge(let path, let cause), .cannotErase(let path, let cause):
            if cause.isDiskFull {
                self.init(
                    .cannotCreate, what: logPath(path), why: "cannot be written: \(cause.reason)", next: "make room, and try again")
            } else {
                self.init(cause, cause.isMissing ? .inputMissing : .inputOutput, what: logPath(path), why: "cannot be written")
            }
        case .cannotRead(let path, let cause):
            // In a folder of another owner that group has no right either.
            let isOfService = path == DefaultPaths.service.logDirectory || path.hasPrefix(DefaultPaths.service.logDirectory + "/")
            let joining = ", or join the group that may: \(CommandFailure.joinCommand(group: "waypost")), then log in again"
            let next = isOfService ? "use sudo\(joining)" : "use sudo"
            self.init(cause, cause.isMissing ? .inputMissing : .inputOutput, what: logPath(path), why: "cannot be read", next: next)
        case .unsupportedVersion(let path, let version):
            self.init(
                .badData, what: logPath(path),
                why: "has journal format \(version), but this waypost reads only format \(JournalFormatError.readableVersion)",
                next: "read it with the waypost that wrote it, or move it out of the log")
        case .cannotDelete(let path, let cause): self.init(cause, .inputOutput, what: logPath(path), why: "cannot be deleted")
        case .invalidPuller(let name):
            self.init(
                .usage, what: "--puller \(name)", why: "is not a valid name",
                next: "use up to \(Pullers.maximumNameByteCount) letters, digits, '.', '_' and '-'")
        case .unknownCursor(let cursor, let last):
            self.init(
                .badData, what: "cursor \(cursor)", why: "is after the end of the log, which is at \(last)",
                next: "use the last one that was fetched")
        case .tooManyPullers(let limit):
            self.init(
                .failed, what: "pullers", why: "there are \(limit) already", next: "forget one: waypost log ack --forget --puller NAME")
        case .damagedPullers(let path):
            self.init(
                .badData, what: logPath(path), why: "is damaged, so nothing counts as fetched", next: "remove it, and acknowledge again")
        case .closed: self.init(.failed, what: "log", why: "is closed")
        }
    }

    /// A tracker records in a log.
    ///
    /// - Parameters:
    ///   - holder: its process, if that is known.
    ///   - folder: the folder of the log.
    ///   - next: what to do.
    init(heldBy holder: Int32?, _ folder: String, next: String) {
        let who = holder.map { "process \($0)" } ?? "another process"
        self.init(.cannotCreate, what: folder, why: "\(who) records there", next: next)
    }

    /// Tells of the journals that could not be read, after all that could: a script must know that it is not everything.
    static func end(with failures: [RecordingError]) throws(CommandFailure) {
        for failure in failures.dropLast() { SystemProcess.printError(CommandFailure(failure).line) }
        if let failure = failures.last { throw CommandFailure(failure) }
    }

    /// - Parameter next: what to do without the right; a user who may read a log is not always one who may change it.
    private init(_ cause: SystemError, _ status: ExitStatus, what: String, why: String, next: String = "use sudo") {
        if cause.meansNoPermission {
            self.init(.notAuthorised, what: what, why: "\(why): \(cause.reason)", next: next)
        } else {
            self.init(status, what: what, why: "\(why): \(cause.reason)")
        }
    }
}
