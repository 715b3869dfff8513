import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost register`: have a program started by what happens.
struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Have a program started when something happens, though it does not run.",
        usage: """
            waypost register <name> --on <events> (--exec <path> | --unit <unit>) [--test] [--socket <path>]
            waypost register <name> --test [--socket <path>]
            waypost register --list [--json] [--socket <path>] [--units <units>]
            """,
        discussion: """
            The program runs as you, with WAYPOST_LAUNCH=location in its environment, and gets the events on standard input, a line of JSON each, \
            the newest last. With exit code 0 it acknowledges them, and they are never told again. It may run for 60 seconds. One that fails is \
            started again after 5 s, 15 s, 1, 5, 15 and 60 min, and has then failed until the next event. A unit (--unit) acknowledges its events \
            itself: waypost attach, waypost ack. One of a user other than root needs that user's systemd: loginctl enable-linger.

            It is started by your own waypost agent (systemctl --user enable --now waypost-agent, and loginctl enable-linger), or else by the \
            system's waypost-wake.path, which the package installs. You must be authorised with scope always. The program must be named by its whole \
            path, and neither it nor a folder above it may be writable by everybody, or belong to anybody but you and root. What is started is noted \
            in the folder wake beside your configuration; with XDG_CONFIG_HOME set only an agent with the same setting finds it, not the system's.

            --test wakes it with a synthetic event, and shows exit code and output. --list shows all registrations.

            Example: waypost register photo --on significant,enter --exec /home/pi/bin/take-photo --test
            """)

    @Argument(help: "The name of the registration: letters, digits, -, _ and .", transform: NameValue.parse)
    var name: String?

    @Option(
        name: .customLong("on"),
        help: ArgumentHelp("What wakes it, separated by commas: significant, enter, exit, dwell, pass.", valueName: "events"),
        transform: RegisterCommand.kinds)
    var kinds: [WakeKind] = []

    @Option(help: ArgumentHelp("The program, by its whole path.", valueName: "path"), completion: .file(), transform: PathValue.parse)
    var exec: String?

    @Option(help: ArgumentHelp("A unit of systemd to start instead.", valueName: "unit"), transform: NameValue.parse)
    var unit: String?

    @Flag(help: "Wake it with a synthetic event now.")
    var test = false

    @Flag(help: "Show the registrations: the last run, its exit code, the next try.")
    var list = false

    @Flag(help: "With --list, print JSON.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func validate() throws {
        if list {
            guard name == nil, kinds.isEmpty, exec == nil, unit == nil, !test else { throw ValidationError("--list stands alone") }
            return
        }
        guard let name else { throw ValidationError("say which: NAME, or --list") }
        try RegisterCommand.checkName(name)
        if exec != nil, unit != nil { throw ValidationError("either --exec or --unit") }
        let isChange = exec != nil || unit != nil
        if isChange == kinds.isEmpty { throw ValidationError("--on and --exec or --unit go together") }
        if !isChange, !test { throw ValidationError("say what starts it: --on EVENTS and --exec PATH or --unit UNIT") }
    }

    /// Refuses what cannot be the name of a registration, in the words of the command line.
    static func checkName(_ name: String) throws {
        guard AccessPolicy.isKey(name) else {
            throw ValidationError("NAME must have \(AccessPolicy.keyWords); waypost register --list shows the names")
        }
    }

    func run() throws {
        if list { return try showList() }
        guard let name else { return }
        let output = try OutputStream(path: "-")
        if let program = exec.map({ WakeProgram(.program($0)) }) ?? unit.map({ WakeProgram(.unit($0)) }) {
            if let obstacle = program.obstacle {
                throw CommandFailure(.badData, what: printable(program.words), why: obstacle)
            }
            var request = RegisterRequest()
            (request.registration, request.kinds, request.program) = (name, kinds, program.words)
            request.isUnit = unit != nil
            var client = try daemon.connect()
            let answer = try register(request, program, with: &client)
            try output.write(line: "\(name): registered for \(kinds.map(\.rawValue).joined(separator: ", "))")
            if !answer.hasAgent {
                // It is no error: whoever starts the programs comes when something happens.
                let starter =
                    client.isOfService && RegisterCommand.hasStarter
                    ? "the system starts it when something happens (waypost-wake.path)"
                    : "it is started as soon as an agent runs beside this tracker: waypost agent"
                try output.write(line: "\(name): \(starter)")
            }
            for note in WakeUnit.notes(on: program) { try output.write(line: "\(name): \(note)") }
        }
        if test { try rehearse(name, output) }
    }

    /// Whether this system starts the registered programs of the service's users: systemd runs, with the unit of the package.
    private static var hasStarter: Bool {
        Syscalls.exists("/run/systemd/system") && SystemFacts.unitFolders.contains { Syscalls.exists($0 + "/waypost-wake.path") }
    }

    /// Registers a program whose file is there first; a tracker that refuses leaves the file as it was.
    private func register(
        _ request: RegisterRequest, _ program: WakeProgram, with client: inout ControlClient
    ) throws(CommandFailure) -> RegistrationChanged {
        let folder = WakeProgram.folder(.own, socket: daemon.path)
        let before = try? WakeProgram.load(request.registration, in: folder)  // One that cannot be read cannot be started either.
        do throws(SystemError) { try program.save(request.registration, in: folder) } catch {
            throw CommandFailure(.cannotCreate, what: folder, why: error.description)
        }
        do throws(CommandFailure) { return try client.askPatiently(request) } catch let refusal {
            do throws(SystemError) { try WakeProgram.restore(before, as: request.registration, in: folder) } catch {
                SystemProcess.printError("waypost: register: \(folder): \(error.description)")
            }
            throw refusal
        }
    }

    /// Wakes the program, and waits until it has run.
    private func rehearse(_ name: String, _ output: borrowing OutputStream) throws {
        var client = try daemon.connect()
        guard let id = try client.askPatiently(RehearseRequest(registration: name)).id else { return }
        let own = ProcessIdentity.current().userName
        var state = RegistrationEntry.State.due
        var runsBefore: String?
        let deadline = MonotonicClock.milliseconds + 100_000
        while MonotonicClock.milliseconds < deadline {
            let all = try client.askPatiently(ListRegistrationsRequest()).registrations
            guard let entry = all.first(where: { $0.name == name && $0.user == own ?? $0.user }) else { break }
            state = entry.state
            if state == .attached {
                throw CommandFailure(
                    .failed, what: "register", why: "the program is attached, and gets the event there: it is not started",
                    next: "end it, or waypost attach \(name)")
            }
            let running = state == .due ? all.first { $0.user == entry.user && $0.name != name && $0.state == .running }?.name : nil
            if let running, running != runsBefore {
                SystemProcess.printError(
                    "waypost: register: waits until \(printable(running)) has ended: the programs of a user are started one after the other"
                )
            }
            runsBefore = running
            if entry.lastEventIDs.contains(id) {
                try output.write(line: "\(name): \(entry.lastEnd)")
                for line in (entry.lastWords ?? "").split(separator: "\n") { try output.write(line: "    \(printable(String(line)))") }
                if entry.lastExitCode == 0 { return }
                let why = entry.wasStarted ? "the program failed" : "the program could not be started"
                // One whose file cannot be read has said so above.
                let program = try? WakeProgram.load(name, in: WakeProgram.folder(.own, socket: daemon.path))  // See above.
                let next = program.map { WakeUnit.notes(on: $0).joined(separator: "; ") } ?? ""
                throw CommandFailure(.failed, what: "register", why: why, next: next.isEmpty ? nil : next)
            }
            MonotonicClock.wait(milliseconds: 200)
        }
        switch state {
        case .running: throw CommandFailure(.timedOut, what: "register", why: "the program still runs", next: "waypost register --list")
        case .idle: try output.write(line: "\(name): the event was acknowledged")
        default:
            if let runsBefore {
                throw CommandFailure(
                    .timedOut, what: "register", why: "waits until \(printable(runsBefore)) has ended; the event is kept",
                    next: "waypost register --list")
            }
            throw CommandFailure(
                .timedOut, what: "register", why: "nobody has started the program",
                next: client.isOfService && RegisterCommand.hasStarter
                    ? "systemctl status waypost-wake.path, or start an agent: waypost agent" : "start an agent: waypost agent")
        }
    }

    private func showList() throws {
        let output = try OutputStream(path: "-")
        if json { return try output.write(value: daemon.value(answering: ListRegistrationsRequest())) }
        let answer = try daemon.ask(ListRegistrationsRequest())
        let format = screen.format(by: daemon)
        for entry in answer.registrations { for line in RegisterCommand.lines(entry, format) { try output.write(line: line) } }
        if answer.registrations.isEmpty { SystemProcess.printError("waypost: register: there are no registrations") }
    }

    /// A registration for people.
    static func lines(_ entry: RegistrationEntry, _ format: ScreenFormat) -> [String] {
        var first = "\(printable(entry.user))  \(printable(entry.name))  \(entry.kinds.map(\.rawValue).joined(separator: ","))"
        first += "  \(printable(entry.program)): \(entry.state)"
        if entry.eventCount > 0 { first += ", \(counted(entry.eventCount, "event")) waiting" }
        if entry.droppedCount > 0 { first += ", \(entry.droppedCount) dropped" }
        if let next = entry.nextSeconds { first += ", next try in \(spanText(seconds: next))" }
        let obstacle = entry.obstacle.map { ["    is not started: \(printable($0))"] } ?? []
        guard let id = entry.lastEventIDs.last else { return [first] + obstacle }
        var last = "    last run"
        if let time = entry.lastTime { last += " \(format.moment(time))" }
        last += ", event \(printable(id)): \(entry.lastEnd)"
        if let words = entry.lastWords?.split(separator: "\n").last { last += ": \(oneLine(String(words), limit: 200))" }
        return [first, last] + obstacle
    }

    private static func kinds(_ text: String) throws -> [WakeKind] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let kinds = words.compactMap(WakeKind.init(rawValue:))
        guard kinds.count == words.count else {
            throw ValidationError("--on must be one or more of \(WakeKind.allCases.map(\.rawValue).joined(separator: ","))")
        }
        return kinds
    }
}

extension RegistrationEntry {
    /// How the last run ended, for people.
    fileprivate var lastEnd: String {
        lastExitCode.map { "exit code \($0)" } ?? (wasStarted ? "did not end by itself" : "could not be started")
    }
}

/// `waypost unregister`: not any more.
struct UnregisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Remove a registration, with the events that wait for it.",
        discussion: """
            A program that runs now goes on to its end.

            Example: waypost unregister photo
            """)

    @Argument(help: "The name of the registration.", completion: .registration, transform: NameValue.parse)
    var name: String

    @OptionGroup var daemon: DaemonConnection

    func validate() throws { try RegisterCommand.checkName(name) }

    func run() throws {
        let answer = try daemon.ask(UnregisterRequest(registration: name))
        let folder = WakeProgram.folder(.own, socket: daemon.path)
        do throws(SystemError) { try WakeProgram.remove(name, in: folder) } catch {
            throw CommandFailure(.inputOutput, what: folder, why: error.description)
        }
        let output = try OutputStream(path: "-")
        try output.write(line: "\(name): not registered any more")
        if answer.isRunning { try output.write(line: "\(name): its program runs now, and goes on to its end") }
    }
}
