import Waypost

/// What the reading of one file finds besides the values: its mistakes, and the place of each key.
struct MistakeCollector {
    let file: String
    private(set) var mistakes: [ConfigurationError] = []
    private(set) var origins: [String: ConfigurationOrigin] = [:]
    /// The same of each section of a list, with its number: `[[source]] 1 url`.
    private(set) var listOrigins: [String: ConfigurationOrigin] = [:]
    /// The lists that this file gives anew, by their headers: what earlier files said of them holds no more.
    private(set) var replacedLists: [String] = []

    init(file: String) {
        self.file = file
    }

    mutating func add(_ kind: ConfigurationError.Kind, at place: TextPlace) {
        mistakes.append(ConfigurationError(file: file, place: place, kind: kind))
    }

    /// - Parameter number: which section of a list it is, from 0; nil for a section that there is once.
    mutating func noteOrigin(_ key: String, in header: String, number: Int?, at place: TextPlace) {
        let origin = ConfigurationOrigin(file: file, place: place)
        origins["\(header) \(key)"] = origin
        if let number { listOrigins["\(header) \(number) \(key)"] = origin }
    }

    mutating func noteReplacement(ofList header: String) { replacedLists.append(header) }

    /// Adds what this file sets to what was set before it.
    func addOrigins(to loaded: inout LoadedConfiguration) {
        func merge(_ later: [String: ConfigurationOrigin], into earlier: inout [String: ConfigurationOrigin]) {
            earlier = earlier.filter { key, _ in !replacedLists.contains { key.hasPrefix($0) } }.merging(later) { _, later in later }
        }
        merge(origins, into: &loaded.origins)
        merge(listOrigins, into: &loaded.listOrigins)
    }

    /// Reports a key that its section does not have: it belongs elsewhere, is misspelt, or is unknown.
    mutating func addUnknownKey(_ entry: TOMLEntry, in header: String, known: [String]) {
        if let suggestion = nearestName(to: entry.key, among: known) {
            add(.unknownKey(section: header, key: entry.key, suggestion: suggestion, known: known), at: entry.place)
        } else if let owner = MistakeCollector.section(with: entry.key) {
            add(.misplacedKey(section: header, key: entry.key, belongsIn: owner.header), at: entry.place)
        } else {
            add(.unknownKey(section: header, key: entry.key, suggestion: nil, known: known), at: entry.place)
        }
    }

    /// Reports something at the top of a file that is no section.
    mutating func addUnknownSection(_ entry: TOMLEntry) {
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
