import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostSystem

/// `waypost config`: works on the configuration without the tracker.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check, show and explain the configuration.", discussion: "Example: waypost config check",
        subcommands: [Check.self, Show.self, Explain.self, Schema.self])

    /// `waypost config check [FILE]`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Report every mistake in a configuration, with its line.",
            discussion: """
                Reads the file and conf.d/*.toml beside it, as the tracker does. Checks that the files they name exist and can be read, that \
                recordings can be played, and that nobody else can read secrets; for the service's configuration, that the service's user can read them, whoever runs this. Warns of what a \
                later file replaces as a whole, of keys that the kind of a section does not use, of secrets that are sent unencrypted, of numbers whose \
                unit may not be the one that is meant, of a log folder without its whole path, of addresses that the network reaches, of fences that a \
                privacy zone may hide, and of recordings that can be read in part only (at most 32 MiB of each are read). Says what each door of [share] and [map] gives. Exit code 78 when there is a mistake, 66 when the \
                file does not exist.

                Example: waypost config check /etc/waypost/waypost.toml
                """)

        @OptionGroup var input: ConfigurationInput

        func run() throws {
            let loaded = try input.load { _ = tell($0, after: $1) }
            if tell(loaded) { throw ExitCode(ExitStatus.badConfiguration.rawValue) }
            let output = try OutputStream(path: "-")
            try output.write(line: "\(ConfigurationInput.names(loaded)): ok")
            let isHidden = PolicyCheck.isHidden(loaded.configuration.control.policy)
            for door in isHidden ? [] : loaded.policyReport.doors { try output.write(line: "    \(door)") }
        }

        /// Tells what is wrong with the files that a configuration names, and the warnings.
        ///
        /// - Parameter mistakes: those that reading it has found.
        /// - Returns: whether a file is wrong.
        private func tell(_ loaded: LoadedConfiguration, after mistakes: [ConfigurationError] = []) -> Bool {
            let policy = loaded.policyReport
            let isHidden = PolicyCheck.isHidden(loaded.configuration.control.policy)
            let fileMistakes = input.fileMistakes(in: loaded) + [isHidden ? nil : policy.problem].compactMap { $0 }
            for mistake in fileMistakes { SystemProcess.printError("waypost: \(mistake)") }
            let unread = isHidden ? ["policy \(loaded.configuration.control.policy): this user may not read it; not checked"] : []
            let remarks =
                SettingRemarks(loaded).remarks + OpenSecrets(loaded).remarks + input.fileRemarks(on: loaded)
                + input.fenceRemarks(on: loaded) + unread
            for remark in loaded.replacements.map(\.description) + loaded.unusedKeys(after: mistakes) + remarks + policy.notices {
                SystemProcess.printError("waypost: warning: \(remark)")
            }
            return !fileMistakes.isEmpty
        }
    }

    /// `waypost config show [FILE]`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the effective configuration, and where each value comes from.",
            discussion: """
                The output is itself a valid configuration. Without --all, keys that no file sets are left out.

                Example: waypost config show --all
                """)

        @OptionGroup var input: ConfigurationInput

        @Flag(help: "Show built-in defaults, too.")
        var all = false

        @Flag(help: "Print one JSON object per key.")
        var json = false

        func run() throws {
            let loaded = try input.load()
            let output = try OutputStream(path: "-")
            var header = ""
            for entry in loaded.entries where all || entry.value != entry.defaultValue || entry.origin != nil {
                if json {
                    try output.write(value: entry.json)
                    continue
                }
                let place = "\(entry.section) \(entry.occurrence)"
                if place != header {
                    if !header.isEmpty { try output.write(line: "") }
                    try output.write(line: entry.section)
                    header = place
                }
                let places = entry.places(withColumn: false)
                let origin = places.isEmpty && entry.value == entry.defaultValue ? "default" : places
                try output.write(line: "\(entry.key) = \(entry.value)" + (origin.isEmpty ? "" : "  # \(origin)"))
            }
            if header.isEmpty, !json {
                try output.write(line: "# \(ConfigurationInput.names(loaded)): every value is the default; see --all")
            }
            try output.finish()
        }
    }

    /// `waypost config explain KEY`, `waypost config explain SECTION`.
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Explain a key, or every key of a section: meaning, default, and effective value.",
            discussion: """
                Users who may not read the configuration see the meaning and the default; exit code 77.

                Example: waypost config explain log.sync_interval

                Example: waypost config explain privacy
                """)

        @Argument(
            help: "The key: sync_interval, log.sync_interval or \"[log] sync_interval\"; or a section: log.", completion: .configurationKey,
            transform: NameValue.parse)
        var key: String

        @Option(
            help: ArgumentHelp("The configuration file; default: your own, else that of the service.", valueName: "path"),
            completion: .file(), transform: PathValue.parse)
        var config: String?

        func run() throws {
            let names = Configuration.keys(named: key)
            guard !names.isEmpty else {
                let near = Configuration.nearestKey(to: key).map { "did you mean \($0)?" } ?? "see waypost config show --all"
                throw CommandFailure(.usage, what: "config explain", why: "there is no key or section '\(oneLine(key))'", next: near)
            }
            // What a key means is no secret, only what it is set to.
            var entries = try Configuration.read([], paths: .own).entries
            var refusal: ExitCode?
            do { entries = try ConfigurationInput.load(config).entries } catch let code as ExitCode
                where code.rawValue == ExitStatus.notAuthorised.rawValue
            {
                refusal = code
            }
            let output = try OutputStream(path: "-")
            var isFirst = true
            if let section = Configuration.section(named: key) {
                isFirst = false
                try output.write(line: section.header)
                for line in section.documentation.split(separator: "\n") { try output.write(line: String(line)) }
            }
            for name in names {
                let occurrences = entries.filter { "\($0.section) \($0.key)" == name }
                guard let entry = occurrences.first else { continue }
                if !isFirst { try output.write(line: "") }
                isFirst = false
                try output.write(line: name)
                try output.write(line: entry.documentation)
                if let unit = entry.unit { try output.write(line: unitWords(unit)) }
                try output.write(line: "Default: \(entry.defaultValue)")
                for entry in occurrences where refusal == nil {
                    let places = entry.places(withColumn: true)
                    let whose = occurrences.count > 1 ? entries.title(of: entry).map { " for \($0)" } ?? "" : ""
                    try output.write(line: "In force\(whose): \(entry.value)" + (places.isEmpty ? "" : " (\(places))"))
                }
            }
            try output.finish()
            if let refusal { throw refusal }
        }
    }

    /// `waypost config schema`.
    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Print a JSON Schema of the configuration, for editors.",
            discussion: """
                An editor with a TOML language server uses it to complete and explain keys: make "#:schema /path/to/schema.json" the first line \
                of waypost.toml.

                Example: waypost config schema >waypost.schema.json
                """)

        func run() throws { try OutputStream(path: "-").write(value: Configuration.schema) }
    }
}

/// The configuration that a command reads.
struct ConfigurationInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The configuration file; default: your own, else that of the service.", valueName: "file"),
        completion: .file(), transform: PathValue.parse)
    private var path: String?

    @Option(
        help: ArgumentHelp("The configuration file, as for the other commands.", valueName: "path"), completion: .file(),
        transform: PathValue.parse)
    private var config: String?

    /// The file that was named; nil for the default.
    var file: String? { path ?? config }

    func validate() throws {
        if path != nil, config != nil { throw ValidationError("name the configuration file once") }
    }

    /// Loads the configuration; its mistakes are printed, one per line, and end the command.
    ///
    /// - Parameter look: checks what could be read in spite of mistakes, which it is given, too.
    func load(despiteMistakes look: (LoadedConfiguration, [ConfigurationError]) -> Void = { _, _ in }) throws -> LoadedConfiguration {
        try ConfigurationInput.load(file, despiteMistakes: look)
    }

    static func load(
        _ file: String?, despiteMistakes look: (LoadedConfiguration, [ConfigurationError]) -> Void = { _, _ in }
    ) throws -> LoadedConfiguration {
        do throws(ConfigurationErrors) {
            return try Configuration.load(path: file, paths: file == nil ? .inUse : .own)
        } catch {
            for mistake in error.errors { SystemProcess.printError(mistake.line) }
            if let readable = error.readable { look(readable, error.errors) }
            let status: ExitStatus = error.isNotFound ? .inputMissing : error.isNotPermitted ? .notAuthorised : .badConfiguration
            throw ExitCode(status.rawValue)
        }
    }

    /// The problems with the files of a configuration and those that it names, one line each; the service's are checked as its user.
    func fileMistakes(in loaded: LoadedConfiguration) -> [String] {
        let path = file ?? DefaultPaths.inUse.configurationFile
        let reader = ReadingUser.ofTracker(reading: path)
        return (reader.map { loaded.filesHidden(from: $0) } ?? []).map(\.description) + NamedFiles(loaded, reader: reader).mistakes
    }

    /// What is remarkable of the files that it names though it is no mistake, one line each.
    func fileRemarks(on loaded: LoadedConfiguration) -> [String] {
        NamedFiles(loaded, reader: ReadingUser.ofTracker(reading: file ?? DefaultPaths.inUse.configurationFile)).remarks
    }

    /// The fences of its files that its privacy zones may hide, one line each.
    func fenceRemarks(on loaded: LoadedConfiguration) -> [String] {
        let configuration = loaded.configuration
        guard let file = configuration.geofences.file else { return [] }
        return HiddenFences(configuration.privacy.zones).remarks(onFile: file)
    }

    /// The files that were read, for messages.
    static func names(_ loaded: LoadedConfiguration) -> String {
        loaded.files.isEmpty ? "no file, built-in defaults" : loaded.files.joined(separator: ", ")
    }
}

extension [EffectiveKey] {
    /// What tells the section of a key from the others of that name, as TOML: its name, or a source's URL.
    fileprivate func title(of key: EffectiveKey) -> String? {
        let others = filter { $0.section == key.section && $0.occurrence == key.occurrence }
        return ["name", "url"].lazy.compactMap { name in others.first { $0.key == name }?.value }.first
    }
}

extension EffectiveKey {
    /// Where the value was set: `a.toml:2, b.toml:4`; empty for the built-in default.
    fileprivate func places(withColumn: Bool) -> String {
        var places: [String] = []
        for origin in origins {
            let place = "\(origin.file):\(origin.place.line)" + (withColumn ? ":\(origin.place.column)" : "")
            if places.last != place { places.append(place) }
        }
        return places.joined(separator: ", ")
    }

    /// The entry for programs.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "section": .string(section), "key": .string(key), "value": .string(value), "default": .string(defaultValue),
            "documentation": .string(documentation),
        ]
        if let unit { members["unit"] = .string(unit) }
        if let origin {
            members["file"] = .string(origin.file)
            members["line"] = .integer(Int64(origin.place.line))
        }
        return .object(members)
    }
}
