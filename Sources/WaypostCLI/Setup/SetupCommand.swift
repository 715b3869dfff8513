import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

/// `waypost setup`: sets the tracker up with five questions.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Ask five questions, write the configuration, and restart the tracker.",
        discussion: """
            Asks for the receiver, where to send, the units, the home to keep private, and the fences. Checks the answers and writes them to \
            conf.d/\(SetupAnswers.fileName) beside the configuration; the next run offers them as defaults and replaces only that file. Passwords and \
            tokens are not shown, and go into files that only the tracker may read. Answers given as options are not asked for; --yes asks \
            nothing, and uses earlier answers, or what was found, for the rest. Answers of an earlier run that cannot be read are never overwritten.

            Example: sudo waypost setup

            Example: sudo waypost setup --receiver auto --send mqtt://ana@broker.local --password-file /root/broker.password --yes
            """)

    @Option(
        help: ArgumentHelp("The receiver: \(SetupAnswerText.receiverForms). With several, the first is preferred.", valueName: "receiver"),
        completion: .receiver)
    var receiver: [String] = []

    @Option(
        help: ArgumentHelp("A server to send to: \(SetupAnswerText.sendForms). May be given several times.", valueName: "server"),
        completion: .server)
    var send: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A file whose first line is the password of USER in --send; it is copied to a file that only the tracker may read. With several such \
            servers, give it once for each, in the order of --send; none = no file.
            """,
            valueName: "file"),
        completion: .file(), transform: PathValue.parse)
    var passwordFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The same for the tokens of web servers in --send without USER.",
            valueName: "file"),
        completion: .file(), transform: PathValue.parse)
    var tokenFile: [String] = []

    @Option(
        help: ArgumentHelp("The units on the screen: \(SetupAnswerText.unitForms).", valueName: "units"),
        completion: .list(UnitSystem.allCases.map(\.rawValue)), transform: NameValue.parse)
    var units: String?

    @Option(
        help: ArgumentHelp("The place around which nothing is recorded or sent: \(SetupAnswerText.homeForms).", valueName: "place"),
        transform: NameValue.parse)
    var home: String?

    @Option(help: ArgumentHelp("The fence file.", valueName: "file"), completion: .file(), transform: PathValue.parse)
    var fences: String?

    @Flag(name: [.long, .short], help: "Ask nothing.")
    var yes = false

    @Option(
        help: ArgumentHelp("The configuration to set up; default: that of the service.", valueName: "path"), completion: .file(),
        transform: PathValue.parse)
    var config: String?

    func run() throws {
        let options = try options()
        _ = try secrets(for: options.destinations ?? [])
        let config = try wholePath()
        let identity = ProcessIdentity.current()
        guard config != nil || identity.userID == 0 else {
            throw CommandFailure(.notAuthorised, what: "setup", why: "only root may set the service up", next: "sudo waypost setup")
        }
        let isAsking = !yes && !options.isComplete && Syscalls.isTerminal(Syscalls.standardInput) && Terminal.isErrorInteractive
        guard isAsking || yes || !options.isEmpty else {
            throw CommandFailure(
                .usage, what: "setup", why: "there is no terminal to ask on",
                next: "give the answers as options: --receiver, --send, --units, --home, --fences; or --yes")
        }
        try setUp(config, options, isAsking: isAsking, holding: try SetupFiles.lock(for: config ?? DefaultPaths.service.configurationFile))
    }

    /// Asks, and writes the answers.
    ///
    /// - Parameter lock: keeps others from it until all is done.
    private func setUp(_ config: String?, _ given: SetupOptions, isAsking: Bool, holding lock: borrowing FileLock) throws {
        var options = given
        let files = try files(config)
        try settle(files, isAsking: isAsking)
        let facts = Patience.during("checking this system") { SystemFacts.ofThisSystem(status: nil) }
        let identity = ProcessIdentity.current()
        let findings = SetupFindings(facts, others: files.others, userName: identity.environment["SUDO_USER"] ?? identity.userName)
        let former = SetupAnswers(files.former, others: files.others)
        if options.destinations != nil { options.destinations = try destinations(former.destinations) }
        let secrets = try secrets(for: options.destinations ?? [])
        if var destinations = options.destinations {
            for index in destinations.indices where secrets[destinations[index].name] == .some(nil) {
                (destinations[index].passwordFile, destinations[index].tokenFile) = (nil, nil)
            }
            options.destinations = destinations
        }
        let givenSecrets = secrets.compactMapValues(\.self)
        let port = SetupPort(facts: facts)
        let named = files.others.configuration.dispatch.device
        let device = named.isEmpty ? SystemProcess.hostName : named
        let dialogue = SetupDialogue(
            screen: SetupTerminal(), findings: findings, given: options, device: device,
            lookAtPorts: { sources throws(SetupProblem) in
                try port.refuse(sources)
                return port.problems(sources)
            },
            tryServer: { SetupTrial($0, secret: $1) }, countFences: { path throws(SetupProblem) in try countFences(path) })
        var answered: SetupDialogue<SetupTerminal>.Answered
        if isAsking {
            answered = try dialogue.run(former)
            answered.secrets.merge(givenSecrets) { $1 }
        } else {
            answered = (options.over(former), givenSecrets)
            if former.sources.isEmpty, options.sources == nil, !findings.sources.isEmpty {
                answered.answers.sources = SetupFindings().sources
            }
        }
        if let given = options.sources {
            do throws(SetupProblem) { try port.refuse(given) } catch { throw ValidationError("\(error)") }
            for problem in port.problems(given) { SystemProcess.printError("waypost: \(problem)") }
        }
        if let given = options.destinations {
            for destination in given {
                let hasSecret = givenSecrets[destination.name] != nil || destination.tokenFile != nil || destination.passwordFile != nil
                if hasSecret, let words = OpenSecrets.words(for: destination) {
                    SystemProcess.printError("waypost: \(destination.url): \(words)")
                }
                SystemProcess.printError("waypost: \(SetupTrial(destination, secret: givenSecrets[destination.name]).words)")
                if let words = SetupAnswerText.registration(at: destination, device: device) {
                    SystemProcess.printError("waypost: \(destination.name): \(words)")
                }
            }
        }
        if let zones = options.zones, !former.zones.isEmpty, zones != former.zones {
            let (old, new) = (SetupAnswerText.text(former.zones), SetupAnswerText.text(zones))
            SystemProcess.printError("waypost: home: \(new) takes the place of \(old)")
        }
        let draft = try draft(answered, files, config)
        for remark in draft.remarks { SystemProcess.printError("waypost: \(remark)") }
        let isService = config == nil || config == DefaultPaths.service.configurationFile
        if isAsking { try confirm(draft, "Write \(files.path)\(isService ? " and restart the tracker" : "")? [yes]: ") }
        try write(draft, files, holding: lock)
        try restart(facts, isService ? nil : config)
    }

    // MARK: - The answers

    private func options() throws -> SetupOptions {
        var options = SetupOptions()
        if let fences, fences != SetupAnswerText.none, !Syscalls.exists(fences) {
            throw CommandFailure(reading: fences, .isMissing(fences))
        }
        do throws(SetupProblem) {
            if !receiver.isEmpty {
                var sources: [Configuration.Source] = []
                for name in receiver { sources += try SetupAnswerText.sources(name) }
                try checkRecordings(sources)
                options.sources = sources
            }
            if !send.isEmpty { options.destinations = try destinations() }
            if let units { options.units = try SetupAnswerText.units(units) }
            if let home { options.zones = try SetupAnswerText.zones(home) }
            if let fences {
                let path = fences == SetupAnswerText.none ? nil : try SetupOptions.fencePath(fences)
                if let path { _ = try countFences(path) }
                options.fences = .init(path: path)
            }
        } catch {
            throw ValidationError("\(error)")
        }
        return options
    }

    private func checkRecordings(_ sources: [Configuration.Source]) throws(SetupProblem) {
        try SetupOptions.checkRecordings(of: sources, forOwnerOf: config == nil ? DefaultPaths.service.stateDirectory : nil)
    }

    private func countFences(_ path: String) throws(SetupProblem) -> Int {
        let count = try SetupOptions.countFences(path)
        if config == nil { try SetupOptions.refuseUnreadable(path, byOwnerOf: DefaultPaths.service.stateDirectory) }
        return count
    }

    /// The servers of the command line, each with the name and the secret that it had before.
    private func destinations(_ former: [DestinationConfiguration] = []) throws(SetupProblem) -> [DestinationConfiguration] {
        var destinations = try SetupAnswerText.destinations(send, former: former)
        for index in destinations.indices {
            if destinations[index].kindType.userRole == .isInTopics, destinations[index].user.isEmpty {
                let kind = destinations[index].kindName
                throw SetupProblem("\(kind) needs a user: write \(kind):mqtts://USER@HOST or \(kind):https://USER@HOST/pub")
            }
            // A secret is for its host: another one does not get it.
            guard let same = former.first(where: { $0.name == destinations[index].name && $0.isOnHost(destinations[index]) }),
                same.user == destinations[index].user
            else { continue }
            (destinations[index].passwordFile, destinations[index].tokenFile) = (same.passwordFile, same.tokenFile)
        }
        return destinations
    }

    /// The secrets that the command line names, by their destinations' names; nil for one that is to have none.
    private func secrets(for destinations: [DestinationConfiguration]) throws -> [String: String?] {
        let withoutSecret = { (destination: DestinationConfiguration) in destination.kindType.userRole == .unknown }
        let users = destinations.filter { !$0.user.isEmpty && !withoutSecret($0) }
        let webServers = destinations.filter { $0.user.isEmpty && !$0.isBroker && !withoutSecret($0) }
        let passwords = try SetupCommand.secrets(of: users, passwordFile, "--password-file", "with USER@")
        return try SetupCommand.secrets(of: webServers, tokenFile, "--token-file", "without USER@").merging(passwords) { $1 }
    }

    /// One secret for each server, in their order.
    private static func secrets(
        of destinations: [DestinationConfiguration], _ paths: [String], _ option: String, _ which: String
    ) throws -> [String: String?] {
        if paths.isEmpty { return [:] }
        guard !destinations.isEmpty else {
            throw ValidationError("--password-file goes with USER@ in --send, --token-file with a web server without one")
        }
        guard paths.count == destinations.count else {
            let servers = destinations.count == 1 ? "one server" : "\(destinations.count) servers"
            throw ValidationError(
                "--send names \(servers) \(which), so \(option) is due as often, in the same order; none stands for no file")
        }
        var secrets: [String: String?] = [:]
        for (destination, path) in zip(destinations, paths) {
            secrets.updateValue(path == SetupAnswerText.none ? nil : try secret(in: path), forKey: destination.name)
        }
        return secrets
    }

    private static func secret(in path: String) throws -> String {
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try Syscalls.contents(of: path) } catch {
            throw CommandFailure(reading: path, error)
        }
        let secret = bytes.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self) }
        guard let secret, !secret.isEmpty else {
            throw CommandFailure(.inputMissing, what: path, why: bytes == nil ? "there is no such file" : "its first line is empty")
        }
        return secret
    }

    // MARK: - The files

    /// The absolute path of the configuration: the tracker has another working folder.
    private func wholePath() throws(CommandFailure) -> String? {
        do throws(SystemError) { return try config.map { path throws(SystemError) in try Syscalls.absolutePath(path) } } catch {
            throw CommandFailure(.inputMissing, what: config ?? "setup", why: error.reason)
        }
    }

    private func files(_ config: String?) throws -> SetupFiles {
        let service = config == nil || config == DefaultPaths.service.configurationFile ? UserAccount(named: DefaultPaths.serviceUser) : nil
        let files: SetupFiles
        do throws(ConfigurationErrors) { files = try SetupFiles(named: config, paths: .service, service: service) } catch {
            try SetupCommand.refuse(error)
        }
        return files
    }

    /// Decides about answers that cannot be read, so that they are not lost without a message.
    private func settle(_ files: SetupFiles, isAsking: Bool) throws {
        guard let damage = files.damage else { return }
        for mistake in damage.errors.errors { SystemProcess.printError("waypost: \(mistake)") }
        let screen = SetupTerminal()
        if isAsking {
            screen.say(
                "The answers in \(files.path) cannot be read. You can answer the questions again; the file is then kept as \(files.keptPath)."
            )
            if try screen.agrees("Answer the questions again? [no]: ") == true { return }
        }
        let sudo = files.service == nil ? "" : "sudo "
        throw CommandFailure(
            .badConfiguration, what: files.path, why: "the answers in it cannot be read, and nothing was written",
            next: "correct the file, or set it aside: \(sudo)mv \(shellWord(files.path)) \(shellWord(files.keptPath))")
    }

    private func draft(
        _ answered: SetupDialogue<SetupTerminal>.Answered, _ files: SetupFiles, _ config: String?
    ) throws -> SetupFiles.Draft {
        let option = config.map { " --config \(shellWord($0))" } ?? ""
        do throws(ConfigurationErrors) {
            return try files.draft(answered, command: config == nil ? "sudo waypost setup" : "waypost setup\(option)")
        } catch {
            try SetupCommand.refuse(error)
        }
    }

    /// Reports every mistake, and ends the command; nothing was written.
    private static func refuse(_ errors: ConfigurationErrors) throws -> Never {
        for mistake in errors.errors { SystemProcess.printError("waypost: \(mistake)") }
        let status: ExitStatus = errors.isNotFound ? .inputMissing : errors.isNotPermitted ? .notAuthorised : .badConfiguration
        throw ExitCode(status.rawValue)
    }

    private func confirm(_ draft: SetupFiles.Draft, _ question: String) throws(CommandFailure) {
        let screen = SetupTerminal()
        screen.say("")
        for line in draft.text.split(separator: "\n") where !line.hasPrefix("#") { screen.say("   \(line)") }
        screen.say("")
        if try screen.agrees(question, usual: true) == true { return }
        throw CommandFailure(.failed, what: "setup", why: "nothing was written")
    }

    private func write(_ draft: SetupFiles.Draft, _ files: SetupFiles, holding lock: borrowing FileLock) throws {
        do throws(SystemError) { try files.createFolders() } catch { throw failure(error, files) }
        if lock.isNamed(SetupFiles.folder(above: files.configurationFile)) {
            do throws(SystemError) { try files.write(draft) } catch { throw failure(error, files) }
        } else {
            // The folder is new, and another setup may have seen it already.
            let own = try SetupFiles.lock(for: files.configurationFile)
            do throws(SystemError) { try files.write(draft) } catch { throw failure(error, files) }
            _ = consume own
        }
        let output = try OutputStream(path: "-")
        for (path, _) in draft.secrets { try output.write(line: "wrote \(path)") }
        try output.write(line: "wrote \(files.path)")
        for problem in files.problems { SystemProcess.printError("waypost: \(problem)") }
        try output.finish()
    }

    private func failure(_ error: SystemError, _ files: SetupFiles) -> CommandFailure {
        let status: ExitStatus = error.isNotPermitted ? .notAuthorised : .cannotCreate
        return CommandFailure(status, what: files.path, why: "cannot be written: \(error.reason)")
    }

    private func restart(_ facts: SystemFacts, _ config: String?) throws {
        let isService = config == nil
        let output = try OutputStream(path: "-")
        // Where the package's user is, the service's folders belong to that user.
        let user = DefaultPaths.serviceUser
        let prefix = isService && UserAccount(named: user) != nil ? "sudo -u \(user) " : ""
        let start = prefix + "waypost run" + (config.map { " --config \(shellWord($0))" } ?? "")
        switch isService ? SetupService.restart(facts) : .absent {
        case .restarted: try output.write(line: "restarted waypostd.service")
        case .absent:
            let running = isService ? facts.tracker : nil
            let end = running.map { "the running tracker keeps its former answers; end it: kill \($0.processID), and then " } ?? ""
            try output.write(line: "\(end)start the tracker: \(start)")
        case .failed(let why):
            throw CommandFailure(
                .failed, what: "setup", why: "the configuration is written, but the service does not start: \(oneLine(why, limit: 300))",
                next: "see systemctl status waypostd")
        }
        try output.write(line: "see it work: \(isService ? "sudo " : "")waypost watch")
        // Nobody else may know the position yet.
        if isService, let name = ProcessIdentity.current().environment["SUDO_USER"], name != "root" {
            try output.write(line: "see it without sudo: sudo waypost grant \(shellWord(name)) full")
        }
        try output.finish()
    }
}
