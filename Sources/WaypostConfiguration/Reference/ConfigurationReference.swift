import Waypost
import WaypostSystem

/// A key in the configuration in use: its meaning, its value, and where the value comes from.
package struct EffectiveKey: Equatable, Sendable {
    /// The section in its written form: `[log]`, `[[source]]`.
    package var section: String
    /// Which of several sections of that name it is, from 0.
    package var occurrence: Int
    /// The key's name.
    package var key: String
    /// The value in use, as TOML.
    package var value: String
    /// The built-in default, as TOML.
    package var defaultValue: String
    /// What the key means: one sentence.
    package var documentation: String
    /// The unit and range of the value; nil when the documentation says enough.
    package var unit: String?
    /// The use of the file that the value names; nil when it names no file that must exist.
    package var file: NamedFileUse?
    /// Where the value was set, in the order of the files: one place, or each that a list accumulates from; empty for the built-in default.
    package var origins: [ConfigurationOrigin]

    /// Where the value was set last; nil for the built-in default.
    package var origin: ConfigurationOrigin? { origins.last }
}

extension LoadedConfiguration {
    /// Every key of every section, in the order of the reference.
    package var entries: [EffectiveKey] {
        let defaults = Configuration(paths: paths)
        return Configuration.sections.flatMap { section in
            let defaultOccurrences = section.written(defaults)
            let occurrences = section.written(configuration)
            return occurrences.enumerated().flatMap { occurrence, values in
                // There is a default list of sources; a section beyond it has the first one's defaults.
                let defaultValues = occurrence < defaultOccurrences.count ? defaultOccurrences[occurrence] : defaultOccurrences[0]
                return section.keys.indices.map { index in
                    let key = section.keys[index]
                    let origins =
                        section.isList
                        ? [listOrigins["\(section.header) \(occurrence) \(key.name)"]].compactMap { $0 }
                        : self.origins(of: "\(section.header) \(key.name)")
                    return EffectiveKey(
                        section: section.header, occurrence: occurrence, key: key.name, value: values[index],
                        defaultValue: defaultValues[index], documentation: key.documentation,
                        unit: key.unit, file: key.file, origins: origins)
                }
            }
        }
    }

    /// Where a key of a section that occurs once was set; for a list that accumulates, where each element was.
    private func origins(of key: String) -> [ConfigurationOrigin] {
        let elements = listOrigins.filter { $0.key.hasPrefix(LoadedConfiguration.elementKey(key, "").dropLast()) }.map(\.value)
        let places = elements.sorted {
            (files.firstIndex(of: $0.file) ?? 0, $0.place) < (files.firstIndex(of: $1.file) ?? 0, $1.place)
        }
        return places.isEmpty ? [origins[key]].compactMap { $0 } : places
    }
}

extension Configuration {
    /// The names of all keys with their sections: `log.sync_interval`.
    package static var keyNames: [String] { sections.flatMap { section in section.keys.map { "\(section.name).\($0.name)" } } }

    /// The names of all sections: `log`.
    package static var sectionNames: [String] { sections.map(\.name) }

    /// The section that a user may mean by a name (`log`, `[log]`): its header and purpose; nil when there is none of that name.
    package static func section(named name: String) -> (header: String, documentation: String)? {
        let parts = parts(of: name)
        return sections.first { parts == [$0.name] }.map { ($0.header, $0.documentation) }
    }

    /// The keys that a user may mean by a name.
    ///
    /// The name may be `sync_interval`, `log.sync_interval` or `[log] sync_interval`, and the result is `[log] sync_interval`; the name of a section
    /// stands for all of its keys.
    package static func keys(named name: String) -> [String] {
        let parts = parts(of: name)
        return sections.flatMap { section in
            let isMeant = parts == [section.name]
            let keys = section.keys.map(\.name).filter { isMeant || parts == [$0] || parts == [section.name, $0] }
            return keys.map { "\(section.header) \($0)" }
        }
    }

    /// The name of a key or section that is similar to an unknown one; nil when none is.
    package static func nearestKey(to unknown: String) -> String? {
        nearestName(to: parts(of: unknown).last ?? unknown, among: sections.flatMap { $0.keys.map(\.name) } + sectionNames)
    }

    private static func parts(of name: String) -> [String] { name.split { "[]. ".contains($0) }.map(String.init) }

    /// A JSON Schema (draft 2020-12) of the configuration, for editors that complete and check TOML.
    package static var schema: JSONValue {
        let defaults = Configuration(paths: .service)
        var properties: [String: JSONValue] = [:]
        for section in sections {
            let values = section.written(defaults)[0]
            var keys: [String: JSONValue] = [:]
            for (index, key) in section.keys.enumerated() {
                let description = key.unit.map { "\(key.documentation) \(unitWords($0))" } ?? key.documentation
                // The TOML form of a value is JSON as well; a required key has no default.
                let value = key.isRequired ? nil : try? JSONParser().parse(values[index])  // See above.
                keys[key.name] = key.schema.value(description: description, defaultValue: value)
            }
            var table: [String: JSONValue] = [
                "type": .string("object"), "properties": .object(keys), "additionalProperties": .bool(false),
                "description": .string(section.documentation),
            ]
            let required = section.keys.filter(\.isRequired).map { JSONValue.string($0.name) }
            if !required.isEmpty { table["required"] = .array(required) }
            properties[section.name] =
                section.isList ? .object(["type": .string("array"), "items": .object(table)]) : .object(table)
        }
        return .object([
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "title": .string("waypost.toml"), "type": .string("object"),
            "properties": .object(properties), "additionalProperties": .bool(false),
        ])
    }
}

/// What a key takes, for people: its unit, or its values where these are words.
package func unitWords(_ unit: String) -> String { "\(unit.first == "\"" ? "Values" : "Unit"): \(unit)." }
