import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The facts for the checks: a system's files, and what several checks need to know of them, worked out once.
struct SystemFacts: Sendable {
    /// The files.
    let tree: SystemTree
    /// The facts that no file contains.
    let measurements: Measurements
    /// The tracker's configuration; nil when it has mistakes.
    let configuration: LoadedConfiguration?
    /// The file that configures the tracker, whether it is there or not; those of `conf.d` are beside it.
    let configurationFile: String
    /// The user who runs the tracker with it; nil when that is this command's user.
    let trackerUser: ReadingUser?
    /// The mistakes of the configuration.
    let mistakes: [ConfigurationError]
    /// The problems with the files that the configuration names.
    let fileProblems: [NamedFiles.Problem]
    /// Why the tracker last ended by itself; nil when it did not, or when this user may not know.
    let lastFailure: Evidence?
    /// The processes; nil without `/proc`.
    let programs: [RunningProgram]?
    /// The serial lines; nil without `/sys`.
    let lines: [SerialDevice]?
    /// gpsd's set-up.
    let gpsd: GPSDSetup
    /// The configured ports of receivers.
    var ports: [ReceiverPort]
    /// The board.
    let board: Board?
    /// The devices behind the names of its serial lines.
    let boardLines: BoardLines

    init(tree: SystemTree, measurements: Measurements, paths: DefaultPaths = .service) {
        self.tree = tree
        self.measurements = measurements
        var inTree = paths
        configurationFile = paths.configurationFile
        inTree.configurationFile = tree.root + paths.configurationFile
        trackerUser = ReadingUser.ofTracker(reading: paths.configurationFile, in: tree)
        do throws(ConfigurationErrors) {
            let loaded = try Configuration.load(path: nil, paths: inTree)
            configuration = loaded
            mistakes = trackerUser.map { loaded.filesHidden(from: $0, in: tree) } ?? []
        } catch {
            configuration = nil
            mistakes = error.errors
        }
        let reader = trackerUser
        fileProblems = configuration.map { NamedFiles($0, reader: reader, in: tree).problems } ?? []
        lastFailure = LastFailure(stateFolder: paths.stateDirectory).evidence(in: tree)
        programs = RunningProgram.all(in: tree)
        lines = tree.exists("/sys/class/tty") ? SerialDeviceCatalogue(root: tree.root).devices() : nil
        board = Board(tree)
        boardLines = BoardLines(tree: tree, board: board)
        gpsd = GPSDSetup(tree, programs: programs)
        ports = ReceiverPort.all(configuration: configuration, gpsd: gpsd, tree: tree)
    }

    /// This system, as it is now.
    ///
    /// - Parameters:
    ///   - status: the tracker's answer; nil when it does not run.
    ///   - silence: why there is none, if it was asked.
    static func ofThisSystem(status: StatusReport?, silence: TrackerSilence? = nil) -> SystemFacts {
        let tree = SystemTree(root: "")
        let identity = ProcessIdentity.current()
        var measurements = Measurements(status: status, user: identity.userName, tree: tree)
        measurements.silence = status == nil ? silence : nil
        return SystemFacts(tree: tree, measurements: measurements, paths: paths(status: status, own: .own, in: tree))
    }

    /// The paths of the tracker that a user asks about: the one that answers; else the user's own where there is a configuration, or the service.
    static func paths(status: StatusReport?, own: DefaultPaths, in tree: SystemTree) -> DefaultPaths {
        var paths = tree.exists(own.configurationFile) ? own : .service
        if let file = status?.configurationFile {
            paths.configurationFile = file
        } else if let status, RunningProgram.unit(of: status.processID, in: tree) == unitName {
            // It does not tell this user more.
            paths = .service
        }
        return paths
    }

    /// Whether a file sets the sources; otherwise they are gpsd, then any known receiver.
    var namesSources: Bool { configuration?.origins.keys.contains { $0.hasPrefix("[[source]]") } == true }

    /// Why there is no usable configuration.
    var whyNoConfiguration: String {
        mistakes.allSatisfy { $0.kind == .notPermitted }
            ? "this user may not read the configuration; as root: sudo waypost doctor"
            : "the configuration has mistakes"
    }

    /// The sources.
    var sources: [SourceURL] { configuration?.configuration.sources.map(\.url) ?? [] }

    /// Whether the tracker reads from a gpsd on this machine.
    var readsFromLocalGPSD: Bool {
        sources.contains { ($0.kind as? GPSDKind)?.isLocal == true }
    }

    /// Whether the tracker opens serial lines itself.
    var readsSerialLines: Bool { sources.contains { $0.kind is SerialKind } }

    /// Whether, as far as is known, a receiver may be on a USB line.
    var mayHaveUSBReceiver: Bool { lines?.contains { $0.vendorID != nil } == true }

    /// Whether nothing is logged.
    var isLogOff: Bool { configuration?.configuration.log.isOff == true }

    /// The message about files whose owners a copy has not kept.
    static let ownersAreLost =
        "which user may read and write the files: an ordinary user unpacked this copy and owns them; unpack it with sudo"

    /// The message about a log that is not checked because it is off.
    static let logIsOff = "the log is off ([log] types = [])"

    /// The folder of the tracks: the running tracker's, which may differ from the configuration's.
    var logFolder: String {
        measurements.status?.log?.directory ?? configuration?.configuration.log.directory
            ?? DefaultPaths.service.logDirectory
    }

    /// The folders in which systemd looks for units.
    static let unitFolders = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]

    /// The unit of the tracker; nil when it is not installed as a service.
    var unitPath: String? { SystemFacts.unitPath(in: tree) }

    /// The link to nothing with which an administrator has masked the service; nil when it is not masked.
    var serviceMask: Evidence? {
        SystemFacts.unitFolders.map { "\($0)/\(SystemFacts.unitName)" }.first { tree.linkTarget($0) == "/dev/null" }
            .map { Evidence(file: $0, text: "masked: nothing can start it") }
    }

    /// The unit of the tracker in a system; nil when it is not installed as a service.
    static func unitPath(in tree: SystemTree) -> String? {
        unitFolders.map { $0 + "/waypostd.service" }.first { tree.lines(of: $0) != nil }
    }

    /// The lines of the tracker's unit and of its drop-ins.
    static func unitLines(in tree: SystemTree) -> [Evidence] {
        let dropIns = unitFolders.map { $0 + "/waypostd.service.d" }.flatMap { folder in
            (tree.names(in: folder) ?? []).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
        }
        return ([unitPath(in: tree)].compactMap { $0 } + dropIns).flatMap { tree.lines(of: $0) ?? [] }
    }

    /// The processes that have a device open.
    func holders(of device: String) -> [(program: RunningProgram, evidence: Evidence)] {
        (programs ?? []).compactMap { program in
            (program.lines + program.terminals).first { $0.device == device }.map { (program, $0.evidence) }
        }
    }

    /// The name of the tracker's unit.
    static let unitName = "waypostd.service"

    /// The process of the tracker that reads ``configurationFile``.
    ///
    /// It is the one that answers; else the service's for the service's file, and one of this user for another. Nil when only others run, as one
    /// that somebody else tries by hand.
    var tracker: RunningProgram? {
        let all = (programs ?? []).filter { $0.name == "waypostd" }
        if let answering = all.first(where: { $0.processID == measurements.status?.processID }) { return answering }
        let isServices = configurationFile == DefaultPaths.service.configurationFile
        if isServices, let service = all.first(where: { $0.unit == SystemFacts.unitName }) { return service }
        // Without a service, root may be meant to look at what anybody runs by hand.
        return all.first { $0.unit != SystemFacts.unitName && (unitPath == nil && measurements.user == nil || !isOfOthers($0)) }
    }

    /// Whether a process belongs to another person than this user; false when that is not known, as in a saved system.
    private func isOfOthers(_ program: RunningProgram) -> Bool {
        guard tree.root.isEmpty || measurements.user != nil,
            let number = RunningProgram.field("Uid", of: program.processID, in: tree)?.prefix(while: \.isNumber), let owner = Int(number),
            owner >= SystemFacts.firstPersonID
        else { return false }
        return userName(number) != measurements.user?.name
    }

    /// The name of the user of a process; nil when it is not known.
    func user(of program: RunningProgram) -> String? {
        (RunningProgram.field("Uid", of: program.processID, in: tree)?.prefix(while: \.isNumber)).flatMap(userName)
    }

    private func userName(_ number: Substring) -> String? {
        tree.lines(of: "/etc/passwd")?.map { $0.text.split(separator: ":", omittingEmptySubsequences: false) }
            .first { $0.count > 2 && $0[2] == number }?.first.map(String.init)
    }

    /// Users from this number on are people.
    private static let firstPersonID = 1_000

    /// The lines that a program has open.
    func lines(openedBy name: String) -> [String] { (programs ?? []).filter { $0.name == name }.flatMap(\.lines).map(\.device) }

    /// Whether the tracker is the service of this system, rather than started by a user with their own configuration.
    var isService: Bool {
        let isServices = configurationFile == DefaultPaths.service.configurationFile
        guard let tracker else { return isServices }
        return tracker.unit == SystemFacts.unitName || isServices && !tracker.hasKnownUnit
    }

    /// The command that restarts the service.
    static let serviceRestart = "sudo systemctl restart \(unitName)"

    /// The commands that make the tracker read its configuration again.
    var restartCommands: [String] {
        if isService { return [SystemFacts.serviceRestart] }
        guard let program = tracker else { return ["# then start waypost run again"] }
        return restartCommands(of: program)
    }

    /// The beginning of a command that acts on a process.
    func sudo(for program: RunningProgram) -> String { measurements.user != nil && isOfOthers(program) ? "sudo " : "" }

    /// The commands that start a tracker again, of the service or of somebody's own.
    func restartCommands(of program: RunningProgram) -> [String] {
        if program.unit == SystemFacts.unitName { return [SystemFacts.serviceRestart] }
        return ["\(sudo(for: program))kill \(program.processID)", "# then start waypost run again, as before"]
    }

    /// The commands that change a file of the configuration by hand, and make the tracker read it again.
    func editingCommands(_ file: String) -> [String] {
        [(sudo(for: file).isEmpty ? "editor " : "sudoedit ") + shellWord(file)] + restartCommands
    }

    /// The prefix of a command that changes a file of the configuration.
    func sudo(for file: String) -> String { file.hasPrefix("/etc/") || measurements.user == nil ? "sudo " : "" }

    /// The commands that add settings to the configuration in use; they take effect at the next start.
    ///
    /// - Parameters:
    ///   - settings: the lines, as a format of `printf`.
    ///   - argument: the value that the format inserts.
    func commands(adding settings: String, _ argument: String? = nil, as name: String) -> [String] {
        let folder = Configuration.dropInFolder(of: configurationFile)
        let sudo = sudo(for: folder)
        let tee = "\(sudo)tee \(shellWord("\(folder)/\(name).toml"))"
        let make = tree.exists(folder) ? [] : ["\(sudo)mkdir -p \(shellWord(folder))"]
        return make + ["printf '\(settings)'\(argument.map { " " + $0 } ?? "") | \(tee)"]
    }

    /// A place in the configuration as evidence, without the tree's root.
    func evidence(of key: String, text: String) -> Evidence? {
        guard let origin = configuration?.origins[key] else { return nil }
        return Evidence(file: String(origin.file.dropFirst(tree.root.count)), line: origin.place.line, text: text)
    }

    /// The line of a configuration file that contains the text.
    func configurationLine(containing text: String) -> Evidence? {
        for file in configuration?.files ?? [] {
            let path = String(file.dropFirst(tree.root.count))
            if let line = tree.lines(of: path)?.first(where: { !$0.text.hasPrefix("#") && $0.text.contains(text) }) { return line }
        }
        return nil
    }
}

/// A line on which a receiver is configured.
struct ReceiverPort: Equatable, Sendable {
    /// The path as configured.
    var path: String
    /// The device, links resolved.
    var device: String
    /// The configured speed; nil detects it.
    var baudRate: Int?
    /// Whether a separate key sets it, and not the URL.
    var hasBaudKey = false
    /// Whether gpsd reads it rather than the tracker itself.
    var isOfGPSD: Bool
    /// The evidence.
    var evidence: Evidence

    /// The ports of the tracker's configuration, and those of gpsd's.
    static func all(configuration: LoadedConfiguration?, gpsd: GPSDSetup, tree: SystemTree) -> [ReceiverPort] {
        var ports: [ReceiverPort] = []
        for source in configuration?.configuration.sources ?? [] {
            guard let serial = source.url.kind as? SerialKind, case .path(let path) = serial.port else { continue }
            let line = (configuration?.files ?? []).lazy.compactMap { file in
                tree.lines(of: String(file.dropFirst(tree.root.count)))?.first { !$0.text.hasPrefix("#") && $0.text.contains(path) }
            }.first
            let evidence = line ?? Evidence(file: "waypost.toml", text: "url = \"\(source.url)\"")
            ports.append(
                ReceiverPort(
                    path: path, device: tree.resolved(path), baudRate: serial.baudRate, hasBaudKey: source.writtenURL != source.url,
                    isOfGPSD: false, evidence: evidence))
        }
        guard let devices = gpsd.devicesLine else { return ports }
        for path in gpsd.devices where path.hasPrefix("/dev/") {
            ports.append(
                ReceiverPort(path: path, device: tree.resolved(path), baudRate: gpsd.fixedBaudRate, isOfGPSD: true, evidence: devices))
        }
        return ports
    }
}
