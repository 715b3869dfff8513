import Waypost
import WaypostSystem

/// A configuration and where it comes from.
package struct LoadedConfiguration: Equatable, Sendable {
    /// The effective configuration: the built-in defaults, changed by each file in turn.
    package var configuration: Configuration
    /// Where each key was last set by a file, by its name with its section: `[log] sync_interval`.
    ///
    /// A key that is missing here has its built-in default. For a section that may occur several times, the last one counts.
    package var origins: [String: ConfigurationOrigin]
    /// The same for each section that may occur several times, with its number from 0: `[[source]] 1 url`; and for each element of a list
    /// that accumulates over the files: `[privacy] zones "home"`.
    var listOrigins: [String: ConfigurationOrigin] = [:]
    /// What a file replaces as a whole of the files before it.
    ///
    /// These are not mistakes, and are often intended; but a privacy zone or a destination must not get lost without a message.
    package var replacements: [ConfigurationReplacement] = []
    /// The files that were read, in order.
    package var files: [String]
    /// The default paths that it was read with.
    package var paths: DefaultPaths

    /// The files, also those in their folders `conf.d`, that a user may not read: the tracker does not start without them.
    ///
    /// - Parameters:
    ///   - user: the user who is to read them.
    ///   - tree: the system that was read; the names of the files begin with its root.
    package func filesHidden(from user: ReadingUser, in tree: SystemTree = SystemTree(root: "")) -> [ConfigurationError] {
        var hidden: [ConfigurationError] = []
        let dropIns = Set(files.map { Configuration.dropInFolder(of: $0) }).filter(Syscalls.isFolder)
        for file in dropIns.sorted() + files {
            let path = String(file.dropFirst(tree.root.count))
            guard let obstacle = user.obstacle(to: path, in: tree) else { continue }
            // One message about a folder covers the files in it.
            let isSaid = hidden.contains { if case .hidden(let known) = $0.kind { known.folder == obstacle.folder } else { false } }
            if obstacle.folder != nil, isSaid { continue }
            hidden.append(ConfigurationError(file: file, place: nil, kind: .hidden(obstacle)))
        }
        return hidden
    }

    /// The key of a list's element in ``listOrigins``.
    static func elementKey(_ key: String, _ name: String) -> String { "\(key) \(tomlString(name))" }

    /// Mistakes between keys and sections that are valid by themselves.
    ///
    /// Those of a section with another mistake are left out: what looks missing may be what that mistake left unread.
    func mistakesBetweenSections(after mistakes: [ConfigurationError]) -> [ConfigurationError] {
        func areRead(_ sections: Set<String>) -> Bool {
            mistakes.allSatisfy { mistake in mistake.kind.sections.map(sections.isDisjoint) ?? false }
        }
        return (areRead(["[log]", "[[destination]]"]) ? mistakesOfLogSwitch : [])
            + (areRead(["[dispatch]", "[[destination]]"]) ? mistakesOfReceiptTopics + mistakesOfClientIDs : [])
            + (areRead(["[map]"]) ? mistakesOfMapPage : [])
            + (areRead(["[share]", "[map]", "[control]", "[time]"]) ? mistakesOfDoors : [])
            + (areRead(["[share]", "[[source]]"]) ? mistakesOfOwnDoors : [])
    }
}

/// What a file replaces as a whole of the files before it, or does not although a user may think so.
package struct ConfigurationReplacement: Equatable, Sendable, CustomStringConvertible {
    /// Where it is replaced.
    package var origin: ConfigurationOrigin
    /// The replaced part, for people: `[[source]] replaces those of a.toml:4`.
    package var what: String
    /// What to do if that is not intended.
    package var advice: String

    /// One line: `b.toml:1:1: [[source]] replaces those of a.toml:4; write all that are meant into one file`.
    package var description: String { "\(origin.file):\(origin.place.line):\(origin.place.column): \(what); \(advice)" }
}

/// Where a key was set.
package struct ConfigurationOrigin: Equatable, Sendable {
    /// The file.
    package var file: String
    /// The place of the key in the file.
    package var place: TextPlace
}
