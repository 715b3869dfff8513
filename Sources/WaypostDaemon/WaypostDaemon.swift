import Logging
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// The program `waypostd`: the tracker, as systemd or `waypost run` starts it.
@main
enum WaypostDaemon {
    static func main() {
        Syscalls.holdStandardDescriptors()
        Signals.ignoreBrokenPipe()
        // Before any thread starts, so that all of them leave these signals to the one that waits for them.
        Signals.blockStopRequests()
        try? TaskPool.install()  // Without it tasks run all the same, on threads that wake once a second.
        let stop = StopRequest()
        // Detached: `main` belongs to the main actor, whose thread is about to wait for signals.
        Task.detached { SystemProcess.exit(await run(until: stop)) }
        stop.listenForSignals()
    }

    /// Does what the arguments say; the program's exit code.
    private static func run(until stop: StopRequest) async -> ExitStatus {
        do {
            guard SystemProcess.hasArguments else {
                throw DaemonFailure(.failed, "/proc: is not mounted, and the arguments are read from there; mount -t proc proc /proc")
            }
            try await tracker(DaemonOptions(arguments: SystemProcess.arguments)).run(until: stop)
        } catch DaemonOptions.Instead.printHelp {
            return show(DaemonOptions.help)
        } catch DaemonOptions.Instead.printVersion {
            return show("waypostd \(WaypostVersion.text)")
        } catch let failure as DaemonFailure {
            for line in failure.lines { SystemProcess.printError("waypost: \(line)") }
            return failure.status
        } catch {
            SystemProcess.printError("waypost: \(error)")
            return .failed
        }
        return .ok
    }

    /// Prints a text for people; the program's exit code.
    private static func show(_ text: String) -> ExitStatus {
        do throws(SystemError) { try Syscalls.writeAll(Syscalls.standardOutput, Array((text + "\n").utf8)) } catch {
            // A reader that stopped has had enough, as with `| head`.
            if error.isBrokenPipe { return .ok }
            SystemProcess.printError("waypost: standard output: cannot be written: \(error.reason)")
            return .inputOutput
        }
        return .ok
    }

    private static func tracker(_ options: DaemonOptions) throws(DaemonFailure) -> Tracker {
        let identity = ProcessIdentity.current()
        let isJournal = identity.environment["JOURNAL_STREAM"] != nil
        LoggingSystem.bootstrap { _ in StandardErrorLogHandler(isJournal: isJournal) }
        let paths = DefaultPaths(
            environment: identity.environment, userID: identity.userID, userName: identity.userName,
            stateDirectory: try options.state.map(absolute))
        let logger = Logger(label: "waypostd")
        var configuration: Configuration
        let replacements: [String]
        do {
            let loaded = try Configuration.load(path: options.configuration, paths: paths)
            replacements = loaded.replacements.map(\.description)
            for replacement in replacements { logger.warning("\(replacement)") }
            configuration = loaded.configuration
        } catch {
            throw DaemonFailure(error.explained(to: ReadingUser.ofThisProcess))
        }
        if !options.sources.isEmpty { configuration.sources = options.sources.map { Configuration.Source(url: $0) } }
        // Told to programs with other working folders.
        configuration.log.directory = try absolute(options.log ?? configuration.log.directory)
        configuration.control.socket = try absolute(options.socket ?? configuration.control.socket)
        try keepApart(paths.stateDirectory, configuration.log.directory, areOptions: options.state != nil || options.log != nil)
        try keepRootOut(of: [paths.stateDirectory, configuration.log.directory], identity)
        let notifier = ServiceNotifier(environment: identity.environment)
        return Tracker(
            configuration: configuration, replacements: replacements, stateFolder: paths.stateDirectory, stays: options.stays,
            policy: PolicyFile(configuration, paths: paths),
            secrets: SecretFiles(credentialsFolder: identity.environment["CREDENTIALS_DIRECTORY"]),
            surroundings: .init(
                isService: notifier != nil || identity.userName == DefaultPaths.serviceUser,
                configurationFile: try absolute(options.configuration ?? paths.configurationFile),
                userName: identity.userName ?? "user \(identity.userID)", isInDialout: SystemAccounts.hasOwnGroup(named: "dialout")),
            notifier: notifier, logger: logger)
    }

    /// Refuses one folder for the state and the log: each has a lock, and journals are not for the files of the other.
    private static func keepApart(_ state: String, _ log: String, areOptions: Bool) throws(DaemonFailure) {
        let parts = [state, log].map { Syscalls.resolvingLinks($0).split(separator: "/").filter { $0 != "." } }
        guard parts[0] == parts[1] else { return }
        throw DaemonFailure(
            areOptions ? .usage : .badConfiguration,
            "\(log): is the folder of the state and of the log, and each needs its own; name another with --log DIR or --state DIR")
    }

    /// Refuses to track as root in folders of the service's user: the service could not write the files that root makes there, and would stop.
    private static func keepRootOut(of folders: [String], _ identity: ProcessIdentity) throws(DaemonFailure) {
        guard identity.userID == 0, let service = UserAccount(named: DefaultPaths.serviceUser) else { return }
        guard let folder = folders.first(where: { FileIdentity.owner(of: $0) == service.userID }) else { return }
        let user = DefaultPaths.serviceUser
        let isRunning = DeviceHolder.otherTrackers.contains { FileIdentity.owner(of: "/proc/\($0)") == service.userID }
        let advice = isRunning ? "the service runs already (waypost status)" : "start the service (sudo systemctl start waypostd)"
        throw DaemonFailure(
            .notAuthorised,
            """
            \(folder): belongs to the service's user \(user), who could not write the files that root makes there; \(advice), or name \
            other folders: --state DIR --log DIR --socket PATH
            """)
    }

    private static func absolute(_ path: String) throws(DaemonFailure) -> String {
        do { return try Syscalls.absolutePath(path) } catch { throw DaemonFailure(.inputMissing, error.description) }
    }
}
