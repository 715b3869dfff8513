import Waypost
import WaypostSystem

/// A configuration and where it comes from.
public struct LoadedConfiguration: Equatable, Sendable {
    /// The effective configuration: the built-in defaults, changed by each file in turn.
    public var configuration: Configuration
    /// Where each key that a file sets was set last, by its name with its section: `[log] sync_interval`.
    ///
    /// A key that is not there has its built-in default. For a section that may come several times, the last one counts.
    public var origins: [String: ConfigurationOrigin]
    /// The same for each section that may come several times, with its number from 0: `[[source]] 1 url`; and for each element of a list
    /// that adds up over the files: `[privacy] zones "home"`.
    var listOrigins: [String: ConfigurationOrigin] = [:]
    /// What a file replaces of those before it as a whole.
    ///
    /// These are not mistakes, and are often meant; but nobody wants to lose a privacy zone or a destination without being told.
    public var replacements: [ConfigurationReplacement] = []
    /// The files that were read, in order.
    public var files: [String]
    /// The default paths that it was read with.
    public var paths: DefaultPaths

    /// Those of the files, and of their folders `conf.d`, that a user may not read: the tracker does not start without them.
    ///
    /// - Parameters:
    ///   - user: who is to read them.
    ///   - tree: the system that was read; the names of the files begin with its root.
    public func filesHidden(from user: ReadingUser, in tree: SystemTree = SystemTree(root: "")) -> [ConfigurationError] {
        var hidden: [ConfigurationError] = []
        let dropIns = Set(files.map { Configuration.dropInFolder(of: $0) }).filter(Syscalls.isFolder)
        for file in dropIns.sorted() + files {
            let path = String(file.dropFirst(tree.root.count))
            guard let obstacle = user.obstacle(to: path, in: tree) else { continue }
            // What is in a folder is said with the folder.
            let isSaid = hidden.contains { if case .hidden(let known) = $0.kind { known.folder == obstacle.folder } else { false } }
            if obstacle.folder != nil, isSaid { continue }
            hidden.append(ConfigurationError(file: file, place: nil, kind: .hidden(obstacle)))
        }
        return hidden
    }

    /// What ``listOrigins`` has of an element of a list.
    static func elementKey(_ key: String, _ name: String) -> String { "\(key) \(tomlString(name))" }

    /// What does not fit together in sections that are well by themselves.
    var mistakesBetweenSections: [ConfigurationError] { mistakesOfLogSwitch + mistakesOfReceiptTopics }
}

/// What a file replaces of those before it as a whole, or does not although somebody may think so.
public struct ConfigurationReplacement: Equatable, Sendable, CustomStringConvertible {
    /// Where it is replaced.
    public var origin: ConfigurationOrigin
    /// What is replaced, for people: `[[source]] replaces those of a.toml:4`.
    public var what: String
    /// What to do if that is not meant.
    public var advice: String

    /// One line: `b.toml:1:1: [[source]] replaces those of a.toml:4; write all that are meant into one file`.
    public var description: String { "\(origin.file):\(origin.place.line):\(origin.place.column): \(what); \(advice)" }
}

/// Where a key was set.
public struct ConfigurationOrigin: Equatable, Sendable {
    /// The file.
    public var file: String
    /// The place of the key in the file.
    public var place: TextPlace
}
