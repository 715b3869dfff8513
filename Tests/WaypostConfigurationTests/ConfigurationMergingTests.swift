import Testing
import Waypost
import WaypostConfiguration
import WaypostPositioning

@Suite struct ConfigurationMergingTests {
    private func file(_ name: String, _ text: String) -> ConfigurationFile {
        ConfigurationFile(name: name, bytes: Array(text.utf8))
    }

    @Test func letsTheLaterFileWinKeyByKey() throws {
        let loaded = try Configuration.read(
            [
                file("waypost.toml", "[log]\ndirectory = '/a'\nsync_interval = 1"), file("conf.d/10.toml", "[log]\nsync_interval = 2"),
                file("conf.d/20.toml", "[control]\nsocket = '/s'"),
            ], paths: .service)
        #expect(loaded.configuration.log.directory == "/a")
        #expect(loaded.configuration.log.syncInterval == .seconds(2))
        #expect(loaded.configuration.control.socket == "/s")
        #expect(loaded.origins["[log] sync_interval"]?.file == "conf.d/10.toml")
        #expect(loaded.origins["[log] directory"]?.file == "waypost.toml")
        #expect(loaded.files == ["waypost.toml", "conf.d/10.toml", "conf.d/20.toml"])
    }

    @Test func replacesTheWholeListOfSources() throws {
        let two = file("waypost.toml", "[[source]]\nurl = 'gpsd://a'\n[[source]]\nurl = 'gpsd://b'")
        let one = file("conf.d/1.toml", "[[source]]\nurl = 'nmea:-'")
        let none = file("conf.d/2.toml", "[log]\nsync_interval = 1")
        #expect(
            try Configuration.read([two, one, none], paths: .service).configuration.sources.map(\.url) == [SourceURL(NMEAKind("-"))])
        #expect(try Configuration.read([one, two, none], paths: .service).configuration.sources.count == 2)
    }

    @Test func namesTheFileOfEachMistake() throws {
        let error = try #require(throws: ConfigurationErrors.self) {
            try Configuration.read(
                [file("a.toml", "x = 1\n[log\n"), file("b.toml", "[log]\n\nlevel = 1"), file("c.toml", "")], paths: .service)
        }
        #expect(error.errors.map(\.file) == ["a.toml", "b.toml"])
        #expect(error.errors.map(\.place?.line) == [2, 3])
        #expect(!error.isNotFound)
    }

    @Test func knowsTheLineOfEachSectionOfAReplacedList() throws {
        let main = file("a.toml", "[[source]]\nurl = \"sim:walk\"\nnever_write = true\n\n[[source]]\nurl = \"sim:city\"\n")
        let urls = { (loaded: LoadedConfiguration) in
            loaded.entries.filter { $0.key == "url" && $0.section == "[[source]]" }.map {
                "\($0.origin?.file ?? "?"):\($0.origin?.place.line ?? 0)"
            }
        }
        #expect(urls(try Configuration.read([main], paths: .service)) == ["a.toml:2", "a.toml:6"])
        let replaced = try Configuration.read([main, file("b.toml", "\n\n[[source]]\nurl = \"sim:none\"\n")], paths: .service)
        #expect(urls(replaced) == ["b.toml:4"])
        #expect(replaced.entries.first { $0.key == "never_write" }?.origin == nil, "nobody set it for this source")
    }
}
