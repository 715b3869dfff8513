import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

/// The files of `waypost setup`: the earlier ones, the new ones for the answers, and writing them.
struct SetupFiles {
    /// The configuration to which they belong.
    let configurationFile: String
    /// The service's user, who reads them; nil where a user runs the tracker by hand.
    let service: UserAccount?
    private let paths: DefaultPaths
    /// Whether a configuration was named that does not exist yet.
    private let isNew: Bool

    /// The configuration without the answers.
    let others: LoadedConfiguration
    /// The answers of the previous run; nil when there are none.
    let former: LoadedConfiguration?
    /// Why the answers of the previous run cannot be read; nil when they can, or when there are none.
    let damage: Damage?

    /// The files of secrets that earlier runs have made.
    private let made: [String]

    /// A file of answers with mistakes.
    struct Damage {
        /// Its content.
        let bytes: [UInt8]
        /// The mistakes.
        let errors: ConfigurationErrors
    }

    /// The file of the answers.
    var path: String { SetupFiles.path(beside: configurationFile) }
    private var folder: String { Configuration.dropInFolder(of: configurationFile) }

    private static func path(beside file: String) -> String { "\(Configuration.dropInFolder(of: file))/\(SetupAnswers.fileName)" }

    /// The copy of a damaged answer file when a new one is written; not read, because its name does not end in `.toml`.
    var keptPath: String { path + ".damaged" }

    /// Reads the existing files.
    ///
    /// - Parameters:
    ///   - named: the absolute path of the configuration that was named; nil = the service's, which need not exist.
    ///   - own: the path of the user's own configuration, which need not exist either; any other is perhaps mistyped.
    /// - Errors: the mistakes of other files, and a file of the answers that cannot be read at all. One that was read and has mistakes is
    ///   ``damage``.
    init(
        named: String?, paths: DefaultPaths, service: UserAccount?, own: String = DefaultPaths.own.configurationFile
    ) throws(ConfigurationErrors) {
        configurationFile = named ?? paths.configurationFile
        var (named, paths) = (named, paths)
        isNew = named == own && Syscalls.kind(own) == .missing
        if isNew { (named, paths.configurationFile) = (nil, configurationFile) }
        (self.paths, self.service) = (paths, service)
        let path = SetupFiles.path(beside: configurationFile)
        others = try Configuration.load(path: named, paths: paths, with: ConfigurationFile(name: path, bytes: []))
        var (former, damage, made): (LoadedConfiguration?, Damage?, [String]) = (nil, nil, [])
        if let file = try Configuration.file(path) {
            made = SetupAnswers.made(in: file.bytes)
            do throws(ConfigurationErrors) { former = try Configuration.read([file], paths: paths) } catch {
                damage = Damage(bytes: file.bytes, errors: error)
            }
        }
        (self.former, self.damage, self.made) = (former, damage, made)
    }

    /// The content to write: the text, and the secrets by their paths.
    struct Draft {
        var text: String
        var secrets: [(path: String, secret: String)]
        /// What it replaces in other files, and what other files replace in it.
        var remarks: [String]
    }

    /// The files for these answers, checked as by the tracker; nothing is written.
    func draft(_ answered: SetupDialogue<SetupTerminal>.Answered, command: String) throws(ConfigurationErrors) -> Draft {
        var answers = answered.answers
        var secrets: [(path: String, secret: String)] = []
        for index in answers.destinations.indices {
            guard let secret = answered.secrets[answers.destinations[index].name] else { continue }
            let isToken = answers.destinations[index].user.isEmpty
            let name = (answers.destinations[index].name, isToken ? "token" : "password")
            let path = path(ofSecret: secret, name, besides: secrets.map(\.path))
            if isToken { answers.destinations[index].tokenFile = path } else { answers.destinations[index].passwordFile = path }
            secrets.append((path, secret))
        }
        let text = answers.text(command: command, made: Set(made + secrets.map { $0.path }).sorted())
        let file = ConfigurationFile(name: path, bytes: Array(text.utf8))
        let own = try Configuration.read([file], paths: paths)
        // Without the configuration file, which need not exist, conf.d is read too.
        let named = others.files.contains(configurationFile) ? configurationFile : nil
        let whole = try Configuration.load(path: named, paths: paths, with: file)
        let zones = HiddenFences(whole.configuration.privacy.zones)
        let hidden = whole.configuration.geofences.file.map { zones.remarks(onFile: $0) } ?? []
        return Draft(
            text: String(decoding: file.bytes, as: UTF8.self), secrets: secrets,
            remarks: (former.map(SetupAnswers.losses) ?? []) + SetupAnswers.remarks(own, others: others, whole: whole) + hidden
                + SetupAnswers.leftBehind(former, answers.destinations, whole: whole))
    }

    /// Where a secret is kept: not in a file that the present configuration names, unless it is the same secret.
    ///
    /// So the address in force and its secret belong together at every moment, also when the writing is cut short.
    private func path(ofSecret secret: String, _ name: (stem: String, ending: String), besides others: [String]) -> String {
        let configurations = [self.others.configuration, former?.configuration].compactMap(\.self)
        let destinations = configurations.flatMap(\.destinations)
        let named = destinations.compactMap(\.passwordFile) + destinations.compactMap(\.tokenFile)
        let folder = configurationFile.prefix(through: configurationFile.lastIndex(of: "/") ?? configurationFile.startIndex)
        let candidates = (1...named.count + others.count + 1).map { number in
            "\(folder)\(name.stem)\(number == 1 ? "" : ".\(number)").\(name.ending)"
        }.filter { !others.contains($0) }
        // A file that cannot be read has another secret.
        let isSame = { (path: String) in (try? Syscalls.contents(of: path)) == Array((secret + "\n").utf8) }  // See above.
        let path = candidates.first { named.contains($0) && isSame($0) } ?? candidates.first { !named.contains($0) }
        guard let path else { preconditionFailure("there are more candidates than names that are taken") }
        return path
    }

    /// Acquires the lock of the configuration's folder, or of the nearest one above it that exists.
    ///
    /// Two setups at once would mix their answers.
    static func lock(for configurationFile: String) throws(CommandFailure) -> FileLock {
        var folder = folder(above: configurationFile)
        while folder != "/", !Syscalls.isFolder(folder) { folder = SetupFiles.folder(above: folder) }
        let attempt: FileLock.Attempt
        do throws(SystemError) { attempt = try FileLock.acquire(folder: folder) } catch {
            throw CommandFailure(
                error.isNotPermitted ? .notAuthorised : .cannotCreate, what: folder, why: "cannot be used: \(error.reason)")
        }
        switch consume attempt {
        case .taken(let lock): return lock
        case .held:
            throw CommandFailure(
                .cannotCreate, what: folder, why: "another waypost setup writes there", next: "try again when it has ended")
        }
    }

    /// The folder of a file or folder, from an absolute path.
    static func folder(above path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Makes the folders of the answers.
    func createFolders() throws(SystemError) { if !Syscalls.isFolder(folder) { try Syscalls.createFolders(folder) } }

    /// Writes the files, each whole or not at all, the secrets first.
    func write(_ draft: Draft) throws(SystemError) {
        try createFolders()
        // The tracker insists on the file that its --config names.
        if isNew {
            try AtomicFile.write(Array(SetupFiles.beginning.utf8), to: configurationFile, mode: 0o640, owner: service?.readerOfRoot)
        }
        if let damage { try AtomicFile.write(damage.bytes, to: keptPath, mode: 0o640, owner: service?.readerOfRoot) }
        for (path, secret) in draft.secrets {
            try AtomicFile.write(Array((secret + "\n").utf8), to: path, mode: 0o600, owner: service)
        }
        try AtomicFile.write(Array(draft.text.utf8), to: path, mode: 0o640, owner: service?.readerOfRoot)
    }

    private static let beginning = "# The configuration of waypost; see man waypost.toml. The answers of waypost setup are in conf.d.\n"

    /// The problems that `config check` reports about the files that the configuration names, now that all are there.
    var problems: [String] {
        do throws(ConfigurationErrors) {
            let named = others.files.contains(configurationFile) ? configurationFile : nil
            let reader = ReadingUser.ofTracker(reading: configurationFile)
            return NamedFiles(try Configuration.load(path: named, paths: paths), reader: reader).mistakes
        } catch {
            return error.errors.map(\.description)
        }
    }
}
