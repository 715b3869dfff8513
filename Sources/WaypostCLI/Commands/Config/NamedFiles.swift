import Waypost
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// The files that a configuration names: whether they exist and can be read by the tracker, and whether secrets are secret.
struct NamedFiles {
    private let loaded: LoadedConfiguration
    private let reader: ReadingUser?
    private let tree: SystemTree

    /// - Parameters:
    ///   - reader: the user who runs the tracker; nil for the user of this command.
    ///   - tree: the system of the files.
    init(_ loaded: LoadedConfiguration, reader: ReadingUser? = nil, in tree: SystemTree = SystemTree(root: "")) {
        (self.loaded, self.reader, self.tree) = (loaded, reader, tree)
    }

    /// The problem with one of them.
    struct Problem: Sendable {
        /// Where it is named; nil when no file names it.
        var origin: ConfigurationOrigin?
        /// The key that names it, with its section.
        var key: String
        /// The reason.
        var reason: String
        /// The commands that fix it; empty when the configuration has to be changed.
        var commands: [String] = []
        /// Whether the commands make a copy, which the configuration then has to name.
        var isCopied = false
        /// Whether the tracker ends because of it.
        var isFatal: Bool { key == NamedFiles.sourceKey }
        /// The problem and its fix in words, where these are not just the reason and the commands.
        var words: String?
    }

    /// The problems, one line each: `waypost.toml:12:1: [[destination]] token_file: /etc/x: there is no such file`.
    var mistakes: [String] {
        problems.map { problem in
            let place = problem.origin.map { "\($0.file):\($0.place.line):\($0.place.column): " } ?? ""
            let next = problem.commands.isEmpty ? "" : "; \(problem.commands.joined(separator: " && "))"
            return "\(place)\(problem.key): \(problem.words ?? problem.reason + next)"
        }
    }

    /// The key that names the file of a source.
    private static let sourceKey = "[[source]] url"

    /// The problems.
    var problems: [Problem] {
        loaded.entries.compactMap { entry in
            var problem = self.problem(with: entry)
            problem?.origin = entry.origin
            return problem
        } + [policyProblem].compactMap { $0 }
    }

    /// The tracker reads the policy as its own user: what root can read says nothing.
    private var policyProblem: Problem? {
        let path = loaded.configuration.control.policy
        guard reader != nil, kind(path) != .missing else { return nil }
        return problem(path, isSecret: false, "[control] policy")
    }

    /// What is not a mistake: a recording of a source that can be read in part only, one line each.
    ///
    /// - Cost: each recording is read, at most 32 MiB of it.
    var remarks: [String] {
        loaded.entries.compactMap { entry in
            guard "\(entry.section) \(entry.key)" == NamedFiles.sourceKey, problem(with: entry) == nil, let origin = entry.origin,
                let kind = source(of: entry), let path = kind.file, self.kind(path) == .regular, unreadable(path) == nil
            else { return nil }
            let remark = Patience.during("reading \(path)") {
                try? kind.remark(onFileAt: place(path))  // A disk that fails meanwhile is no finding about the recording.
            }
            return remark.map {
                "\(origin.file):\(origin.place.line):\(origin.place.column): \(NamedFiles.sourceKey): \(withoutRoot($0))"
            }
        }
    }

    /// The source of a URL that was read as one before.
    private func source(of entry: EffectiveKey) -> (any SourceKind)? {
        NamedFiles.text(entry.value).flatMap { try? SourceURL($0) }?.kind  // See above.
    }

    private func problem(with entry: EffectiveKey) -> Problem? {
        let key = "\(entry.section) \(entry.key)"
        switch key {
        case "[power] hook":
            // The shell looks up a bare command where the service runs.
            guard let program = NamedFiles.text(entry.value)?.split(separator: " ").first.map(String.init), program.first == "/" else {
                return nil
            }
            return kind(program) == .missing ? Problem(key: key, reason: "\(program): there is no such program") : nil
        case "[time] chrony_sock":
            guard let path = NamedFiles.text(entry.value), !path.isEmpty, path.first != "/" else { return nil }
            return Problem(key: key, reason: "\(path): must be a path from the root on, such as /run/chrony.waypost.sock")
        case NamedFiles.sourceKey:
            guard let kind = source(of: entry), let path = kind.file else { return nil }
            return problem(path, isSecret: false, key) ?? sourceProblem(kind, path)
        default:
            guard entry.file != nil, let path = NamedFiles.text(entry.value), !path.isEmpty else { return nil }
            return problem(path, isSecret: entry.file == .secret, key)
        }
    }

    private func problem(_ path: String, isSecret: Bool, _ key: String) -> Problem? {
        // A systemd credential is there only while the service runs.
        if isSecret, path.hasPrefix("credential:") { return nil }
        if let reader, kind(path) != .missing, let folder = ServiceSandbox.privateFolder(of: path, in: tree) {
            let obstacle = ReadObstacle(user: reader, path: path, folder: folder, isSecret: isSecret)
            let reason = "\(path): the service has a \(folder) of its own, without this file"
            return Problem(
                key: key, reason: reason, commands: [obstacle.command], isCopied: true,
                words: "\(reason): \(obstacle.command), and name the copy")
        }
        if let obstacle = reader?.obstacle(to: path, isSecret: isSecret, in: tree) {
            return Problem(
                key: key, reason: "\(path): \(obstacle.reason)", commands: [obstacle.command], isCopied: obstacle.isCopied,
                words: "\(path): \(obstacle.words)")
        }
        guard kind(path) != .missing else {
            let hidden = path.lastIndex(of: "/").map { kind(String(path[...$0])) != .folder } ?? false
            let reason = "\(path): there is no such file" + (hidden ? ", or this user may not see it" : "")
            return Problem(key: key, reason: reason, commands: isSecret && !hidden ? secretCommands(path) : [])
        }
        // A recording may come through a FIFO; all others are read to their ends.
        if key != NamedFiles.sourceKey, kind(path) == .other { return Problem(key: key, reason: "\(path): is not an ordinary file") }
        // Fences and roads may be in a folder.
        let isOneFile = isSecret || key.hasPrefix("[[destination]]")
        if isOneFile, kind(path) == .folder { return Problem(key: key, reason: "\(path): is a folder, not a file") }
        // Only the service's user knows more about what that user may read.
        if reader == nil, let reason = unreadable(path) { return Problem(key: key, reason: reason) }
        if key == "[matching] roads", let reason = roadProblem(path) {
            let file = kind(path) == .folder ? "\(path)/home.roads" : path
            return Problem(key: key, reason: reason, commands: ["\(sudo)waypost roads build EXTRACT.osm.pbf \(shellWord(file))"])
        }
        return isSecret ? secretProblem(path, key) : nil
    }

    /// Why this command's user cannot read a file or folder; nil when it can be read.
    private func unreadable(_ path: String) -> String? {
        do throws(SystemError) {
            switch kind(path) {
            // Fences may be in a folder.
            case .folder: _ = try Syscalls.names(inFolder: place(path))
            case .regular: Syscalls.close(try Syscalls.openForReading(place(path)))
            case .other, .missing: break
            }
            return nil
        } catch {
            return error.isPermissionDenied ? "\(path): this user may not read it" : error.description
        }
    }

    /// How a command begins that changes a file of the service's user.
    private var sudo: String { reader == nil ? "" : "sudo " }

    /// Why a road file, or one of a folder, cannot be used.
    private func roadProblem(_ path: String) -> String? {
        do throws(RoadFileFailure) {
            try RoadMatcher.check(path: place(path))
            return nil
        } catch {
            return withoutRoot("\(error)")
        }
    }

    /// Why a source could not begin with its file; nil when it could, or when only the tracker's user may try.
    private func sourceProblem(_ kind: any SourceKind, _ path: String) -> Problem? {
        guard self.kind(path) != .other, reader == nil || unreadable(path) == nil else { return nil }
        do throws(PositionSourceError) {
            try kind.tryFile(at: place(path))
            return nil
        } catch {
            return Problem(key: NamedFiles.sourceKey, reason: withoutRoot("\(error)"))
        }
    }

    /// A message about a file of a saved tree, with the names of its system.
    private func withoutRoot(_ message: String) -> String {
        tree.root.isEmpty ? message : message.replacing(tree.root, with: "")
    }

    private func secretProblem(_ path: String, _ key: String) -> Problem? {
        if tree.keepsOwners, Syscalls.isOpenToOthers(place(path)) {
            return Problem(
                key: key, reason: "\(path): other users may read or change it", commands: ["\(sudo)chmod 600 \(shellWord(path))"])
        }
        // A user who may not read it can at least see how long it is.
        let bytes = (try? Syscalls.contents(of: place(path))) ?? nil  // See above.
        let count = bytes?.count ?? Int(clamping: Syscalls.byteCount(of: place(path)) ?? 1)
        guard let fault = SecretFiles.fault(in: bytes, byteCount: count, isToken: key.hasSuffix("token_file")) else { return nil }
        return Problem(key: key, reason: "\(path): \(fault)", commands: [editor + shellWord(path)])
    }

    /// The commands that make the file of a secret.
    private func secretCommands(_ path: String) -> [String] {
        let owner = reader.map { "-o \($0.name) " } ?? ""
        return ["\(sudo)install -m 600 \(owner)/dev/null \(shellWord(path))", editor + shellWord(path)]
    }

    /// How a command begins that opens such a file.
    private var editor: String { reader == nil ? "editor " : "sudoedit " }

    private func place(_ path: String) -> String { tree.root.isEmpty ? path : tree.root + tree.resolved(path) }
    private func kind(_ path: String) -> Syscalls.PathKind { Syscalls.kind(place(path)) }

    /// The text in a TOML value; its escapes are those of JSON.
    private static func text(_ value: String) -> String? {
        (try? JSONParser().parse(Array(value.utf8)))?.string  // Another kind of value names no file.
    }
}
