import Waypost

/// A section of the configuration, `[name]` or `[[name]]`, with its keys.
struct ConfigurationSection: Sendable {
    let name: String
    /// Whether it is written `[[name]]` and may occur several times.
    let isList: Bool
    /// A few lines for the reference.
    let documentation: String
    /// Its keys without their types.
    let keys: [ConfigurationKeyDescription]
    /// Reads the section's value into the configuration and reports its mistakes.
    let read: @Sendable (TOMLMember, inout Configuration, inout MistakeCollector) -> Void
    /// Per occurrence of the section in a configuration, its values as TOML, in the order of ``keys``.
    let written: @Sendable (Configuration) -> [[String]]

    /// `[name]` or `[[name]]`, in its written form.
    var header: String { isList ? "[[\(name)]]" : "[\(name)]" }

    /// A section that occurs once.
    static func table<Section>(
        _ name: String, _ property: any WritableKeyPath<Configuration, Section> & Sendable, _ documentation: String,
        _ keys: [ConfigurationKey<Section>]
    ) -> ConfigurationSection {
        ConfigurationSection(
            name: name, isList: false, documentation: documentation, keys: keys.map(\.description),
            read: { entry, configuration, mistakes in
                guard case .table(let entries) = entry.node.value else {
                    return mistakes.add(.wrongSectionForm(section: "[\(name)]"), at: entry.place)
                }
                _ = readKeys(keys, from: entries, header: "[\(name)]", into: &configuration[keyPath: property], &mistakes)
            },
            written: { configuration in [keys.map { $0.written(configuration[keyPath: property]) }] })
    }

    /// A section that may occur several times.
    ///
    /// Where a key names each of them (``ConfigurationKey/isUnique``), a file adds to those before it, and replaces those with the same names;
    /// without names, a file that has any replaces all earlier ones.
    /// - Parameter fault: the problem with keys that are valid by themselves but not together: the key to change, and why.
    static func list<Section: Sendable>(
        _ name: String, _ property: any WritableKeyPath<Configuration, [Section]> & Sendable, initial: Section, _ documentation: String,
        _ keys: [ConfigurationKey<Section>], fault: @escaping @Sendable (Section) -> (key: String, reason: String)? = { _ in nil }
    ) -> ConfigurationSection {
        let header = "[[\(name)]]"
        return ConfigurationSection(
            name: name, isList: true, documentation: documentation, keys: keys.map(\.description),
            read: { entry, configuration, mistakes in
                guard case .array(let elements) = entry.node.value, !elements.isEmpty else {
                    return mistakes.add(.wrongSectionForm(section: header), at: entry.place)
                }
                let name = keys.first(where: \.isUnique)
                if name == nil || !mistakes.isSaidBefore(header) { configuration[keyPath: property] = [] }
                if name == nil {
                    mistakes.noteReplacement(of: header, advice: "write all that are meant into one file")
                }
                var named: Set<String> = []
                for element in elements {
                    guard case .table(let entries) = element.value else {
                        mistakes.add(.wrongSectionForm(section: header), at: element.place)
                        continue
                    }
                    let sections = configuration[keyPath: property]
                    let value = name.map { writtenValue(of: $0, in: entries, initial) }
                    let same = name.flatMap { key in sections.firstIndex { key.written($0) == value } }
                    let number = same ?? sections.count
                    if let value, same != nil, !named.contains(value) {
                        let name = "\(header) \(value)"
                        mistakes.noteReplacement(of: "\(header) \(number) ", named: name, advice: MistakeCollector.bothMeant)
                    }
                    var section = initial
                    let unread = readKeys(keys, from: entries, header: header, number: number, into: &section, &mistakes)
                    for key in keys where key.isRequired && !entries.contains(where: { $0.key == key.name }) {
                        mistakes.add(
                            .missingKey(section: header, key: key.name, example: key.example ?? key.written(initial)), at: element.place)
                    }
                    // A value that could not be read does not count as a second default.
                    if let key = name, let value, !unread.contains(key.name), !named.insert(value).inserted {
                        let reason = "is \(value) in two sections; each needs its own"
                        let place = entries.first { $0.key == key.name }?.node.place
                        mistakes.add(.invalidValue(section: header, key: key.name, reason: reason), at: place ?? element.place)
                    }
                    if let (key, reason) = fault(section) {
                        let place = entries.first { $0.key == key }?.node.place
                        mistakes.add(.invalidValue(section: header, key: key, reason: reason), at: place ?? element.place)
                    }
                    if same == nil {
                        configuration[keyPath: property].append(section)
                    } else {
                        configuration[keyPath: property][number] = section
                    }
                }
            },
            written: { configuration in configuration[keyPath: property].map { section in keys.map { $0.written(section) } } })
    }
}

/// The value of a key of a section, as TOML; the initial one where it is missing, or cannot be read.
private func writtenValue<Section>(of key: ConfigurationKey<Section>, in entries: [TOMLMember], _ initial: Section) -> String {
    var section = initial
    if let node = entries.first(where: { $0.key == key.name })?.node { try? key.read(node, &section) }  // Reading all keys reports it.
    return key.written(section)
}

/// Reads keys into a section, and returns the names of those whose values cannot be read.
///
/// - Parameter number: the section's number in a list.
private func readKeys<Section>(
    _ keys: [ConfigurationKey<Section>], from entries: [TOMLMember], header: String, number: Int? = nil, into section: inout Section,
    _ mistakes: inout MistakeCollector
) -> Set<String> {
    var unread: Set<String> = []
    for entry in entries {
        guard let key = keys.first(where: { $0.name == entry.key }) else {
            mistakes.addUnknownKey(entry, in: header, known: keys.map(\.name))
            continue
        }
        do {
            let earlierNames = key.elementNames?(section) ?? []
            try key.read(entry.node, &section)
            mistakes.noteOrigin(key.name, in: header, number: number, at: entry.place)
            if let names = key.elementNames, case .array(let elements) = entry.node.value {
                let own = zip(names(section).suffix(elements.count), elements).map { ($0, $1.place) }
                mistakes.noteElements(own, of: "\(header) \(key.name)", at: entry.place, after: earlierNames)
            }
        } catch {
            let kind: ConfigurationError.Kind =
                switch error {
                case .wrongType(let expected):
                    .wrongType(section: header, key: key.name, expected: expected, found: entry.node.kindForPeople)
                case .invalid(let reason): .invalidValue(section: header, key: key.name, reason: reason)
                }
            mistakes.add(kind, at: entry.node.place)
            unread.insert(key.name)
        }
    }
    return unread
}
