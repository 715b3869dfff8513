import Testing
import Waypost

@testable import WaypostConfiguration

/// The configuration in force, key by key, and its schema.
@Suite struct ConfigurationReferenceTests {
    @Test func tellsValueDefaultAndOrigin() throws {
        let loaded = try readConfiguration("[log]\nsync_interval = \"5 s\"\nmax_bytes = 0\n")
        let changed = loaded.entries.filter { $0.origin != nil }
        #expect(changed.map(\.key) == ["sync_interval", "max_bytes"])
        #expect(changed.map(\.value) == ["\"5 s\"", "0"])
        #expect(changed.map(\.defaultValue) == ["\"10 s\"", "0"])
        #expect(changed.map { $0.origin?.place.line } == [2, 3])
    }

    /// What is shown can be read, and means the same.
    @Test(arguments: [
        "", "[[source]]\nurl = \"sim:walk\"\n[[source]]\nurl = \"serial:auto\"\nbaud = 9600\nnever_write = true\n",
        "[[source]]\nurl = \"serial:auto?baud=9600\"\n",
        "[[destination]]\nname = \"a\"\nurl = \"https://a.example/\"\nheaders = [\"X: \\\"y\\\"\"]\ncutoff = \"04:00 UTC\"\n[privacy]\nzones = [\"home: 1, 2, 250 m\"]\n",
    ]) func showsWhatCanBeReadAgain(text: String) throws {
        let loaded = try readConfiguration(text)
        var shown = ""
        var header = ""
        for entry in loaded.entries {
            let place = "\(entry.section) \(entry.occurrence)"
            if place != header { shown += "\(entry.section)\n" }
            header = place
            shown += "\(entry.key) = \(entry.value)\n"
        }
        #expect(try readConfiguration(shown).configuration == loaded.configuration)
    }

    @Test func findsKeysByTheirNames() {
        #expect(Configuration.keys(named: "sync_interval") == ["[log] sync_interval"])
        #expect(Configuration.keys(named: "log.sync_interval") == ["[log] sync_interval"])
        #expect(Configuration.keys(named: "[log] sync_interval") == ["[log] sync_interval"])
        #expect(Configuration.keys(named: "max_age") == ["[log] max_age", "[dispatch] max_age"])
        #expect(Configuration.keys(named: "sync_intervall") == [])
        #expect(Configuration.nearestKey(to: "log.sync_intervall") == "sync_interval")
    }

    /// Every key is in the schema, and its default is of a type that the schema allows.
    @Test func describesEveryKeyToEditors() throws {
        for section in Configuration.sections {
            let part = try #require(Configuration.schema["properties"]?[section.name])
            let table = section.isList ? try #require(part["items"]) : part
            #expect(part["type"]?.string == (section.isList ? "array" : "object"))
            for key in section.keys {
                let schema = try #require(table["properties"]?[key.name], "\(section.header) \(key.name)")
                #expect(schema["description"]?.string?.hasPrefix(key.documentation) == true)
                guard let value = schema["default"] else {
                    #expect(key.isRequired, "\(section.header) \(key.name)")
                    continue
                }
                let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string ?? ""]
                let found =
                    switch value {
                    case .bool: ["boolean"]
                    case .integer: ["integer", "number"]
                    case .number: ["number"]
                    case .string: ["string"]
                    case .array: ["array"]
                    case .null, .object: [] as [String]
                    }
                #expect(!Set(types).isDisjoint(with: found), "\(section.header) \(key.name): \(value)")
            }
        }
    }
}
