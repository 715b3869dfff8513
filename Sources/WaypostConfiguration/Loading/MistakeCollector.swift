import Waypost

/// Collects what reading a file finds besides the values: its mistakes, and the place of each key.
struct MistakeCollector {
    let file: String
    private(set) var mistakes: [ConfigurationError] = []
    private(set) var origins: [String: ConfigurationOrigin] = [:]
    /// The same for each section of a list, with its number: `[[source]] 1 url`.
    private(set) var listOrigins: [String: ConfigurationOrigin] = [:]
    /// The parts that this file defines anew: values from earlier files no longer apply to them.
    private var replacements: [Replacement] = []
    /// The parts that a user may think it replaces, although it does not.
    private var remarks: [ConfigurationReplacement] = []
    /// The advice about two of the same name.
    static let bothMeant = "if both are meant, give each a name of its own"

    private struct Replacement {
        /// The beginning of its keys: a header, or a header and a number.
        var prefix: String
        /// Its name for people.
        var name: String
        /// What to do if it is not intended.
        var advice: String
    }

    /// The keys that earlier files set.
    private let earlier: [String: ConfigurationOrigin]

    init(file: String, after earlier: [String: ConfigurationOrigin]) {
        (self.file, self.earlier) = (file, earlier)
    }

    /// Whether an earlier file has such a section, so that the current ones are not the built-in ones.
    func isSaidBefore(_ header: String) -> Bool { earlier.contains { $0.key.hasPrefix(header) } }

    mutating func add(_ kind: ConfigurationError.Kind, at place: TextPlace) {
        mistakes.append(ConfigurationError(file: file, place: place, kind: kind))
    }

    /// - Parameter number: the section's number in a list, from 0; nil for a section that occurs once.
    mutating func noteOrigin(_ key: String, in header: String, number: Int?, at place: TextPlace) {
        let origin = ConfigurationOrigin(file: file, place: place)
        origins["\(header) \(key)"] = origin
        if let number { listOrigins["\(header) \(number) \(key)"] = origin }
    }

    /// Notes that this file defines a list, or one section of it, anew.
    ///
    /// - Parameter prefix: the beginning of its keys: `[[source]]`, `[[destination]] 1 `.
    mutating func noteReplacement(of prefix: String, named name: String? = nil, advice: String) {
        replacements.append(Replacement(prefix: prefix, name: name ?? prefix, advice: advice))
    }

    /// Notes the elements of a list that adds to those of earlier files.
    ///
    /// - Parameters:
    ///   - elements: their names and places.
    ///   - key: the list's name with its section: `[privacy] zones`.
    ///   - earlierNames: the names of those of earlier files.
    mutating func noteElements(
        _ elements: [(name: String, place: TextPlace)], of key: String, at place: TextPlace, after earlierNames: [String]
    ) {
        for (name, place) in elements {
            let element = LoadedConfiguration.elementKey(key, name)
            listOrigins[element] = ConfigurationOrigin(file: file, place: place)
            if earlierNames.contains(name) { noteReplacement(of: element, advice: MistakeCollector.bothMeant) }
        }
        if elements.isEmpty, !earlierNames.isEmpty {
            let names = earlierNames.map { quoted($0) }.joined(separator: ", ")
            remarks.append(
                ConfigurationReplacement(
                    origin: ConfigurationOrigin(file: file, place: place),
                    what: "\(key) = [] removes none of those of other files: \(names)", advice: "delete them where they are written"))
        }
    }

    /// Adds the keys of this file to those that were set before it.
    func addOrigins(to loaded: inout LoadedConfiguration) {
        loaded.replacements += replacements.compactMap { replacement in
            func first(_ origins: [String: ConfigurationOrigin]) -> ConfigurationOrigin? {
                origins.filter { $0.key.hasPrefix(replacement.prefix) }.map(\.value).min { $0.place < $1.place }
            }
            guard let now = first(listOrigins), let before = first(loaded.listOrigins) else { return nil }
            let which = replacement.name.hasSuffix("\"") ? "that" : "those"
            return ConfigurationReplacement(
                origin: now, what: "\(replacement.name) replaces \(which) of \(before.file):\(before.place.line)",
                advice: replacement.advice)
        }
        loaded.replacements += remarks
        func merge(_ later: [String: ConfigurationOrigin], into earlier: inout [String: ConfigurationOrigin]) {
            earlier = earlier.filter { key, _ in !replacements.contains { key.hasPrefix($0.prefix) } }.merging(later) { _, later in later }
        }
        merge(origins, into: &loaded.origins)
        merge(listOrigins, into: &loaded.listOrigins)
    }

    /// Reports a key that its section does not have: it belongs elsewhere, is misspelt, or is unknown.
    mutating func addUnknownKey(_ entry: TOMLMember, in header: String, known: [String]) {
        if let suggestion = nearestName(to: entry.key, among: known) {
            add(.unknownKey(section: header, key: entry.key, suggestion: suggestion, known: known), at: entry.place)
        } else if let owner = MistakeCollector.section(with: entry.key) {
            add(.misplacedKey(section: header, key: entry.key, belongsIn: owner.header), at: entry.place)
        } else {
            add(.unknownKey(section: header, key: entry.key, suggestion: nil, known: known), at: entry.place)
        }
    }

    /// Reports something at the top level of a file that is not a section.
    mutating func addUnknownSection(_ entry: TOMLMember) {
        let sections = Configuration.sections
        if case .table = entry.node.value {
        } else if let owner = MistakeCollector.section(with: entry.key) {
            return add(.misplacedKey(section: nil, key: entry.key, belongsIn: owner.header), at: entry.place)
        }
        let nearest = nearestName(to: entry.key, among: sections.map(\.name))
        let suggestion = sections.first { $0.name == nearest }?.header
        add(.unknownSection(entry.key, suggestion: suggestion, known: sections.map(\.header)), at: entry.place)
    }

    private static func section(with key: String) -> ConfigurationSection? {
        Configuration.sections.first { $0.keys.contains { $0.name == key } }
    }
}
