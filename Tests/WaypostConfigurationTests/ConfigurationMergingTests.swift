import Testing
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

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

    /// A file for each server, as the guides say.
    @Test func addsTheDestinationsOfEachFile() throws {
        let setup = file("50-setup.toml", "[[destination]]\nname = \"mqtt\"\nurl = \"https://a/\"\ninterval = 5\n")
        let recorder = file("recorder.toml", "[[destination]]\nname = \"recorder\"\nurl = \"https://b/\"\n")
        let both = try Configuration.read([setup, recorder], paths: .service)
        #expect(both.configuration.destinations.map(\.name) == ["mqtt", "recorder"])
        #expect(both.replacements.isEmpty)
        let urls = both.entries.filter { $0.section == "[[destination]]" && $0.key == "url" }
        #expect(urls.map(\.origin?.file) == ["50-setup.toml", "recorder.toml"])

        let changed = file("z.toml", "\n[[destination]]\nname = \"mqtt\"\nurl = \"https://c/\"\n")
        let loaded = try Configuration.read([setup, recorder, changed], paths: .service)
        #expect(loaded.configuration.destinations.map(\.url) == ["https://c/", "https://b/"])
        #expect(loaded.configuration.destinations[0].interval != .seconds(5), "the whole entry is replaced")
        #expect(loaded.entries.first { $0.key == "interval" && $0.section == "[[destination]]" }?.origin == nil)
        #expect(
            loaded.replacements.map(\.description) == [
                "z.toml:3:1: [[destination]] \"mqtt\" replaces that of 50-setup.toml:2; if both are meant, give each a name of its own"
            ])
    }

    /// A zone that somebody drew hides its place whatever files come later.
    @Test func addsUpThePrivacyZonesOfEachFile() throws {
        let first = file("a.toml", "[privacy]\nzones = [\"home: 52, 13, 250 m\", \"51, 7, 100 m\"]\n")
        let later = file("b.toml", "[[privacy.zones]]\nname = \"work\"\nlatitude = 53\nlongitude = 13\nradius = 250\n")
        let unnamed = file("c.toml", "[privacy]\nzones = [\"1, 2, 100 m\", \"3, 4, 100 m\"]\ninside = \"coarse\"\n")
        let loaded = try Configuration.read([first, later, unnamed], paths: .service)
        #expect(loaded.configuration.privacy.zones.map(\.name) == ["home", "zone 2", "work", "zone 1", "zone 3"])
        #expect(loaded.replacements.isEmpty)
        let entry = try #require(loaded.entries.first { $0.key == "zones" })
        #expect(entry.origins.map { "\($0.file):\($0.place.line)" } == ["a.toml:2", "a.toml:2", "b.toml:1", "c.toml:2", "c.toml:2"])
    }

    @Test func saysWhichPrivacyZoneIsReplaced() throws {
        let first = file("a.toml", "[privacy]\nzones = [\"home: 52, 13, 250 m\", \"home2: 51, 7, 100 m\"]\n")
        let moved = file("b.toml", "\n[privacy]\nzones = [\"home: 50, 13, 300 m\"]\n")
        let loaded = try Configuration.read([first, moved], paths: .service)
        #expect(loaded.configuration.privacy.zones.map(\.name) == ["home2", "home"])
        #expect(loaded.configuration.privacy.zones.last?.radiusMetres == 300)
        #expect(
            loaded.replacements.map(\.description) == [
                "b.toml:3:10: [privacy] zones \"home\" replaces that of a.toml:2; if both are meant, give each a name of its own"
            ])
        let none = file("c.toml", "[privacy]\nzones = []\n")
        #expect(
            try Configuration.read([first, none], paths: .service).replacements.map(\.description) == [
                "c.toml:2:1: [privacy] zones = [] removes none of those of other files: 'home', 'home2'; delete them where they are written"
            ])
    }

    /// Two without a name have the same one.
    @Test func saysWhatAFileReplaces() throws {
        let home = file("a.toml", "[privacy]\nzones = [\"home: 52, 13, 250 m\"]\n[[destination]]\nurl = \"https://a/\"\n")
        let work = file("b.toml", "[[source]]\nurl = \"sim:walk\"\n[[destination]]\nurl = \"https://b/\"\n")
        let more = file("c.toml", "[[source]]\nurl = \"sim:city\"\n[privacy]\nzones = [\"work: 53, 13, 250 m\"]\n")
        #expect(
            try Configuration.read([home, work, more], paths: .service).replacements.map(\.description) == [
                "b.toml:4:1: [[destination]] \"home\" replaces that of a.toml:4; if both are meant, give each a name of its own",
                "c.toml:2:1: [[source]] replaces those of b.toml:2; write all that are meant into one file",
            ])
        #expect(throws: ConfigurationErrors.self, "in one file it is a mistake") {
            try Configuration.read(
                [file("d.toml", "[[destination]]\nurl = \"https://a/\"\n[[destination]]\nurl = \"https://b/\"\n")], paths: .service)
        }
    }
}
