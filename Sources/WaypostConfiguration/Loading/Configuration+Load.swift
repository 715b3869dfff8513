import Waypost
import WaypostDispatch
import WaypostSystem

/// The bytes of a configuration file, with its name for messages.
package struct ConfigurationFile: Equatable, Sendable {
    /// The name for messages: the path, or `<stdin>`.
    package var name: String
    /// The content.
    package var bytes: [UInt8]

    /// A file.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

extension Configuration {
    /// The size up to which a file counts as a configuration: 1 MiB.
    package static let maximumFileBytes = 1 << 20

    /// Reads a configuration file and the files `conf.d/*.toml` beside it, and reports every mistake in any of them.
    ///
    /// The files of `conf.d` follow in the order of their names; a later value replaces an earlier one, a `[[destination]]` the one with
    /// the same name, and a file that has any `[[source]]` the whole list.
    /// - Parameters:
    ///   - path: The file; nil means the user's own or the system's (`DefaultPaths.configurationFile`), which need not exist. The
    ///     user's own also counts as missing where it cannot be accessed: `HOME` belongs to another user after `setpriv` or `su`.
    ///   - paths: The user's default paths.
    ///   - dropIn: A file of `conf.d` with content to use instead of its own; without a byte it counts as missing.
    package static func load(
        path: String?, paths: DefaultPaths, with dropIn: ConfigurationFile? = nil
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var files: [ConfigurationFile] = []
        var errors: [ConfigurationError] = []
        for candidate in candidates(path: path ?? paths.configurationFile, adding: dropIn?.name, &errors) {
            if let dropIn, candidate == dropIn.name {
                if !dropIn.bytes.isEmpty { files.append(dropIn) }
                continue
            }
            do {
                files.append(ConfigurationFile(name: candidate, bytes: try read(candidate)))
            } catch {
                if path == nil, candidate == paths.configurationFile, error.kind == .notFound || paths.isConfigurationFileHidden {
                    continue
                }
                errors.append(error)
            }
        }
        var readable: LoadedConfiguration?
        do {
            let loaded = try read(files, paths: paths)
            if errors.isEmpty { return loaded }
            readable = loaded
        } catch {
            errors += error.errors
            readable = error.readable
        }
        throw ConfigurationErrors(errors: errors, readable: readable)
    }

    /// Reads the texts of configuration files, each changing the values of those before it, and reports every mistake in any of them.
    ///
    /// - Cost: linear in the texts; a mistake costs a comparison with each known key.
    package static func read(_ files: [ConfigurationFile], paths: DefaultPaths) throws(ConfigurationErrors) -> LoadedConfiguration {
        var configuration = Configuration(paths: paths)
        var loaded = LoadedConfiguration(configuration: configuration, origins: [:], files: files.map(\.name), paths: paths)
        var errors: [ConfigurationError] = []
        for file in files {
            var mistakes = MistakeCollector(file: file.name, after: loaded.origins)
            do {
                for entry in try parseTOML(file.bytes) {
                    if let section = sections.first(where: { $0.name == entry.key }) {
                        section.read(entry, &configuration, &mistakes)
                    } else {
                        mistakes.addUnknownSection(entry)
                    }
                }
            } catch {
                mistakes.add(.syntax(error.message), at: error.place)
            }
            mistakes.addOrigins(to: &loaded)
            errors += mistakes.mistakes.sorted { ($0.place ?? .start) < ($1.place ?? .start) }
        }
        if configuration.tracking.compatibility == .tealium, loaded.origins["[tracking] accuracy"] == nil {
            configuration.tracking.accuracy = TealiumMode().desiredAccuracy
        }
        loaded.configuration = configuration
        errors = inOrder(errors + loaded.mistakesBetweenSections(after: errors), of: files)
        guard errors.isEmpty else { throw ConfigurationErrors(errors: errors, readable: loaded) }
        return loaded
    }

    /// Mistakes in the order of their files and places.
    private static func inOrder(_ errors: [ConfigurationError], of files: [ConfigurationFile]) -> [ConfigurationError] {
        let ranks = Dictionary(files.enumerated().map { ($1.name, $0) }) { first, _ in first }
        return errors.enumerated().sorted { first, second in
            let (one, other) = (ranks[first.element.file] ?? 0, ranks[second.element.file] ?? 0)
            if one != other { return one < other }
            let (place, next) = (first.element.place ?? .start, second.element.place ?? .start)
            return place == next ? first.offset < second.offset : place < next
        }.map(\.element)
    }

    /// A single file without parsing; nil when there is none.
    package static func file(_ path: String) throws(ConfigurationErrors) -> ConfigurationFile? {
        do throws(ConfigurationError) { return ConfigurationFile(name: path, bytes: try read(path)) } catch {
            if error.kind == .notFound { return nil }
            throw ConfigurationErrors(errors: [error])
        }
    }

    /// The folder of the additional files for a configuration file: `conf.d` beside it.
    package static func dropInFolder(of path: String) -> String { (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "conf.d" }

    /// The file and those of `conf.d` beside it, in order.
    private static func candidates(path: String, adding dropIn: String?, _ errors: inout [ConfigurationError]) -> [String] {
        let dropIns = dropInFolder(of: path)
        guard Syscalls.isFolder(dropIns) else {
            if Syscalls.exists(dropIns) {
                let reason = "is not a folder; make it one for files of your own, or take it away"
                errors.append(ConfigurationError(file: dropIns, place: nil, kind: .unreadable(reason: reason)))
            }
            return [path] + [dropIn].compactMap { $0 }
        }
        do {
            let names = try Syscalls.names(inFolder: dropIns).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map {
                "\(dropIns)/\($0)"
            }
            return [path] + Set(names + [dropIn].compactMap { $0 }).sorted()
        } catch {
            errors.append(ConfigurationError(file: dropIns, place: nil, kind: .init(error)))
            return [path]
        }
    }

    private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        // What people write for no configuration.
        if path == "/dev/null" { return [] }
        do {
            if let bytes = try Syscalls.contents(of: path, limit: maximumFileBytes) { return bytes }
        } catch {
            throw ConfigurationError(file: path, place: nil, kind: .init(error))
        }
        throw ConfigurationError(file: path, place: nil, kind: .notFound)
    }
}

extension TextPlace {
    fileprivate static let start = TextPlace(line: 1, column: 1)
}

extension ConfigurationError.Kind {
    fileprivate init(_ error: SystemError) {
        self = error.isNotPermitted ? .notPermitted : .unreadable(reason: error.reason)
    }
}

extension DefaultPaths {
    /// Whether the user's own configuration file is where the user cannot see whether it exists.
    ///
    /// Never true for the system's file: that would skip the settings of the device's administrator.
    fileprivate var isConfigurationFileHidden: Bool {
        configurationFile != DefaultPaths.service.configurationFile && !Syscalls.exists(configurationFile)
    }
}
