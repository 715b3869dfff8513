/// What the reading of one file finds besides the values: its mistakes, and which key stands where.
struct MistakeCollector {
    let file: String
    private(set) var mistakes: [ConfigurationError] = []
    private(set) var origins: [String: ConfigurationOrigin] = [:]

    init(file: String) {
        self.file = file
    }

    mutating func add(_ kind: ConfigurationError.Kind, at place: TextPlace) {
        mistakes.append(ConfigurationError(file: file, place: place, kind: kind))
    }

    mutating func noteOrigin(_ key: String, at place: TextPlace) {
        origins[key] = ConfigurationOrigin(file: file, place: place)
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
