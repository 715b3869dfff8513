import Waypost
import WaypostSystem

/// One mistake in a configuration: where it is and what to do about it.
package struct ConfigurationError: Error, Equatable, Sendable {
    /// The kind of a mistake.
    package enum Kind: Equatable, Sendable {
        /// There is no such file.
        case notFound
        /// This user may not read the file or folder.
        case notPermitted
        /// The user who runs the tracker may not read the file or folder.
        case hidden(ReadObstacle)
        /// The file or folder cannot be read; the system's message.
        case unreadable(reason: String)
        /// The text is not valid TOML; the parser's message.
        case syntax(String)
        /// A section that does not exist, and the one that was probably meant (with its brackets).
        case unknownSection(String, suggestion: String?, known: [String])
        /// A key that does not exist in its section, the one that was probably meant, and all there are.
        case unknownKey(section: String, key: String, suggestion: String?, known: [String])
        /// A key of another section, or of a section but written outside any (`section` is nil).
        case misplacedKey(section: String?, key: String, belongsIn: String)
        /// The section must be written as given here.
        case wrongSectionForm(section: String)
        /// The section must have this key, for example with this value.
        case missingKey(section: String, key: String, example: String)
        /// The value has the wrong type.
        case wrongType(section: String, key: String, expected: String, found: String)
        /// The value has the right type but does not make sense.
        case invalidValue(section: String, key: String, reason: String)
    }

    /// The file (or folder) as it was named or found.
    package var file: String
    /// The place in the file; nil when the mistake is the file itself.
    package var place: TextPlace?
    /// The problem.
    package var kind: Kind

    /// A mistake.
    package init(file: String, place: TextPlace?, kind: Kind) {
        self.file = file
        self.place = place
        self.kind = kind
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// One line: `FILE:LINE:COLUMN: PROBLEM; WHAT TO DO`.
    package var description: String {
        let name = oneLine(file, limit: 4_096)
        return place.map { "\(name):\($0.line):\($0.column): \(kind)" } ?? "\(name): \(kind)"
    }
}

extension ConfigurationError.Kind: CustomStringConvertible {
    /// The problem and what to do, in one line without the place.
    package var description: String {
        switch self {
        case .notFound:
            return "no such file"
        case .notPermitted:
            return "this user may not read it; use sudo, or be in its group"
        case .hidden(let obstacle):
            return obstacle.words
        case .unreadable(let reason):
            return "cannot be read: \(oneLine(reason))"
        case .syntax(let message):
            // toml++ begins most of its messages like this.
            let prefix = "Error while parsing "
            let words = message.hasPrefix(prefix) ? " in " + message.dropFirst(prefix.count) : ": " + message
            return "invalid TOML" + oneLine(words, limit: 400)
        case .unknownSection(let section, let suggestion, let known):
            let hint = suggestion.map { "did you mean \($0)?" } ?? "known: \(known.joined(separator: ", "))"
            return "there is no section \(quoted(section)); \(hint)"
        case .unknownKey(let section, let key, let suggestion, let known):
            let hint = suggestion.map { "did you mean \(quoted($0))?" } ?? "known: \(known.joined(separator: ", "))"
            return "\(section) has no key \(quoted(key)); \(hint)"
        case .misplacedKey(let section, let key, let belongsIn):
            return
                "\(section.map { "\($0) has no key \(quoted(key))" } ?? "\(quoted(key)) is outside any section"); it belongs in \(belongsIn)"
        case .wrongSectionForm(let section):
            let times = section.hasPrefix("[[") ? "it may come several times" : "there is one"
            return "this must be written \(section) with its keys below (\(times))"
        case .missingKey(let section, let key, let example):
            return "\(section) needs a key \(quoted(key)), for example \(key) = \(example)"
        case .wrongType(let section, let key, let expected, let found):
            return "\(section) \(key) must be \(expected), not \(found)"
        case .invalidValue(let section, let key, let reason):
            return "\(section) \(key): \(reason)"
        }
    }
}

/// All mistakes of a configuration, in the order of the files and lines; never empty.
package struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
    /// The mistakes.
    package var errors: [ConfigurationError]
    /// What could be read nevertheless, with defaults for the rest: for further checks, not for use.
    package var readable: LoadedConfiguration?

    /// Whether the named file does not exist, or cannot be read as a folder cannot, whatever else is wrong.
    package var isNotFound: Bool {
        errors.contains { error in
            if case .unreadable = error.kind { return !error.file.hasSuffix("/conf.d") && error.file != "conf.d" }
            return error.kind == .notFound
        }
    }

    /// Whether a file may not be read by this user.
    package var isNotPermitted: Bool { errors.contains { $0.kind == .notPermitted } }

    /// The same, with the commands that let a user read the files.
    package func explained(to user: ReadingUser?) -> ConfigurationErrors {
        var explained = self
        explained.errors = errors.map { error in
            guard error.kind == .notPermitted, let obstacle = user?.obstacle(to: error.file) else { return error }
            return ConfigurationError(file: error.file, place: error.place, kind: .hidden(obstacle))
        }
        return explained
    }

    /// One line per mistake.
    package var description: String { errors.map(\.description).joined(separator: "\n") }
}

extension ConfigurationError.Kind {
    /// The sections of which something may be left unread; nil for all of them.
    var sections: Set<String>? {
        switch self {
        case .notFound, .notPermitted, .hidden, .unreadable, .syntax: nil
        case .unknownSection(_, let suggestion, _): Set([suggestion].compactMap { $0 })
        case .misplacedKey(let section, _, let belongsIn): Set([section, belongsIn].compactMap { $0 })
        case .unknownKey(let section, _, _, _), .wrongSectionForm(let section), .missingKey(let section, _, _),
            .wrongType(let section, _, _, _), .invalidValue(let section, _, _):
            [section]
        }
    }

    /// The section whose kind may be another than the one that was read, as its key was not; nil when the mistake is elsewhere.
    var sectionOfUnreadKind: String? {
        let deciding = ["kind", "url"]
        switch self {
        case .wrongType(let section, let key, _, _), .invalidValue(let section, let key, _), .missingKey(let section, let key, _):
            return deciding.contains(key) ? section : nil
        case .unknownKey(let section, _, let suggestion?, _): return deciding.contains(suggestion) ? section : nil
        case .wrongSectionForm(let section): return section
        default: return nil
        }
    }
}
