import Testing
import Waypost
import WaypostPositioning
import WaypostSystem

@testable import WaypostConfiguration

/// Reads one text as `waypost.toml` with the service's default paths.
func readConfiguration(_ text: String) throws -> LoadedConfiguration {
    try Configuration.read([ConfigurationFile(name: "waypost.toml", bytes: Array(text.utf8))], paths: .service)
}

/// The mistakes in a text, one line each; none when it is fine.
func mistakes(in text: String) -> [String] {
    mistakes(in: Array(text.utf8))
}

/// The mistakes in a file's bytes, one line each; none when it is fine.
func mistakes(in bytes: [UInt8]) -> [String] {
    do {
        _ = try Configuration.read([ConfigurationFile(name: "waypost.toml", bytes: bytes)], paths: .service)
        return []
    } catch {
        return error.errors.map(\.description)
    }
}

@Suite struct ConfigurationReadingTests {
    private static let logKeys =
        Configuration.sections.first { $0.name == "log" }?.keys.map(\.name).joined(separator: ", ") ?? ""

    @Test func givesTheDefaultsForAnEmptyFile() throws {
        let loaded = try readConfiguration("")
        #expect(loaded.configuration == Configuration(paths: .service))
        #expect(
            loaded.configuration.sources.map(\.url) == [
                SourceURL(GPSDKind(host: "localhost", port: 2947)), SourceURL(SerialKind(.automatic)),
            ])
        #expect(loaded.configuration.log.directory == "/var/log/waypost")
        #expect(loaded.configuration.log.syncInterval == .seconds(10))
        #expect(loaded.configuration.control.socket == "/run/waypost/waypost.sock")
        #expect(loaded.origins.isEmpty)
    }

    @Test func knowsWhereTheGPSDsOfThisMachineListen() throws {
        #expect(try readConfiguration("").configuration.localGPSDPorts == [2_947])
        let urls = ["gpsd://localhost:3000", "gpsd://box:3001", "gpsd://[::1]:3002", "gpsd://127.0.0.1:3000", "serial:auto"]
        let text = urls.map { "[[source]]\nurl = \"\($0)\"\n" }.joined()
        #expect(try readConfiguration(text).configuration.localGPSDPorts == [2_947, 3_000, 3_002])
    }

    @Test func readsEveryKeyAndSaysWhereItStands() throws {
        let loaded = try readConfiguration(
            """
            [[source]]
            url = "gpsd://box:2948/dev/ttyACM0"
            [[source]]
            url = 'nmea:drive.nmea?speed=0'

            [log]
              directory = "/data/tracks"
              sync_interval = "2 min"
            [control]
            socket = "/tmp/w.sock"
            """)
        let configuration = loaded.configuration
        #expect(
            configuration.sources.map(\.url) == [
                SourceURL(GPSDKind(host: "box", port: 2948, device: "/dev/ttyACM0")), SourceURL(NMEAKind("drive.nmea", speed: 0)),
            ])
        #expect(configuration.log.directory == "/data/tracks")
        #expect(configuration.log.syncInterval == .seconds(120))
        #expect(configuration.control.socket == "/tmp/w.sock")
        #expect(loaded.origins["[log] sync_interval"]?.file == "waypost.toml")
        #expect(loaded.origins["[log] sync_interval"]?.place == .init(line: 8, column: 3))
        #expect(loaded.origins["[[source]] url"]?.place == .init(line: 4, column: 1))
        #expect(loaded.origins.count == 4)
    }

    @Test(arguments: [
        "[log]\r\nsync_interval = 5\r\n", "\u{FEFF}[log]\nsync_interval = 5", "log.sync_interval = 5", "log = {sync_interval = 5.0}",
        "# M\u{FC}ll \u{1F6F0}\n[log] # \u{E9}\n\"sync_interval\" = \"5s\"",
        "# Letters where toml++ asks whether they are spaces.\n[log]\nsync_interval = 5 # \u{E9}\n[[source]]\nurl = \"\"\"nmea:\\\n \u{E9}\u{AC00}\u{FE00}\"\"\"",
    ])
    func takesAnyWayToWriteTheSame(text: String) throws {
        #expect(try readConfiguration(text).configuration.log.syncInterval == .seconds(5))
    }

    @Test(arguments: ["\u{E9} = 1", "log = \u{E9}", "[log]\n\u{2DE0}", "[\u{FE00}]", "log = \"\"\"\\\u{E9}\"\"\""])
    func refusesLettersWhereNoneCanStand(text: String) {
        #expect(!mistakes(in: text).isEmpty)
    }

    @Test func reportsEveryMistakeWithItsPlace() {
        let text = """
            logg = 3
            sync_interval = 3
            [log]
            sync_intervall = 1
            Directory = "/x"
            socket = "/y"
            colour = "red"
            sync_interval = true
            directory = 1979-05-27
            [[control]]
            socket = 1
            [sources]
            """
        #expect(
            mistakes(in: text) == [
                "waypost.toml:1:1: there is no section 'logg'; did you mean [log]?",
                "waypost.toml:2:1: 'sync_interval' is outside any section; it belongs in [log]",
                "waypost.toml:4:1: [log] has no key 'sync_intervall'; did you mean 'sync_interval'?",
                "waypost.toml:5:1: [log] has no key 'Directory'; did you mean 'directory'?",
                "waypost.toml:6:1: [log] has no key 'socket'; it belongs in [control]",
                "waypost.toml:7:1: [log] has no key 'colour'; known: \(Self.logKeys)",
                "waypost.toml:8:17: [log] sync_interval must be a duration (seconds, or text with a unit such as \"10 min\"), "
                    + "not true or false",
                "waypost.toml:9:13: [log] directory must be a path in quotes, not a date",
                "waypost.toml:10:3: this must be written [control] with its keys below (there is one)",
                "waypost.toml:12:2: there is no section 'sources'; did you mean [[source]]?",
            ])
    }

    @Test(arguments: [
        ("[source]\nurl='gpsd:'", "1:2: this must be written [[source]] with its keys below (it may come several times)"),
        ("source = []", "1:1: this must be written [[source]] with its keys below (it may come several times)"),
        ("source = ['gpsd:']", "1:11: this must be written [[source]] with its keys below (it may come several times)"),
        ("log = 3", "1:1: this must be written [log] with its keys below (there is one)"),
        ("\n[[source]]", "2:1: [[source]] needs a key 'url', for example url = \"gpsd://localhost:2947\""),
        ("source.url = 1", "1:1: this must be written [[source]] with its keys below (it may come several times)"),
        ("[[source]]\nurl = 2947", "2:7: [[source]] url must be a source URL in quotes, not a whole number"),
        (
            "[[source]]\nurl = 'sim:run'",
            "2:7: [[source]] url: 'sim:run' is not a built-in drive; there are sim:walk, sim:city, sim:freeway, sim:none"
        ),
        ("[log]\nsync_interval = '10 parsecs'", "2:17: [log] sync_interval: has the unknown unit 'parsecs'; known: ms, s, min, h, d"),
        ("[log]\nsync_interval = -1", "2:17: [log] sync_interval: must be from 0 s to 1 h"),
        ("[log]\nsync_interval = nan", "2:17: [log] sync_interval: must be from 0 s to 1 h"),
        ("[log]\nsync_interval = 1e300", "2:17: [log] sync_interval: must be from 0 s to 1 h"),
        ("[log]\nsync_interval = '2 h'", "2:17: [log] sync_interval: must be from 0 s to 1 h"),
        ("[log]\ndirectory = ''", "2:13: [log] directory: must not be empty"),
        ("[log]\ndirectory = '~/t'", "2:13: [log] directory: cannot begin with '~', which only shells know; write the whole path"),
        ("[log]\ndirectory = \"a\\u0000b\"", "2:13: [log] directory: must not contain a NUL character"),
        ("[log]\n\"a\\nb\" = 1", "2:1: [log] has no key 'a\\nb'; known: \(logKeys)"),
        ("[[destination]]\nname = 'a'", "1:1: [[destination]] needs a key 'url', for example url = \"https://tracks.example.org/in\""),
        (
            "[[destination]]\nurl = 'http://x/'\ncutoff = '4 Uhr'",
            "3:10: [[destination]] cutoff: must be a time of day such as \"04:00 Asia/Tokyo\""
        ),
        (
            "[[destination]]\nurl = 'http://x/'\ncutoff = '04:00 ../passwd'",
            "3:10: [[destination]] cutoff: has '../passwd', which is not a time zone of this system (see timedatectl list-timezones; package tzdata)"
        ),
        (
            "[[destination]]\nurl = 'ftp://x/'",
            "2:7: [[destination]] url: must begin with https:// or http://, or with mqtt:// or mqtts:// for a broker"
        ),
        ("[[destination]]\nurl = 'http://me:secret@x/'", "2:7: [[destination]] url: must hold no password, which messages would show"),
        (
            "[[destination]]\nurl = 'http://x/'\nname = 'a b'",
            "3:8: [[destination]] name: must have 1 to 64 letters, digits, '.', '_' or '-'"
        ),
        (
            // One mistake for each, and none about a name that neither has.
            "[[destination]]\nurl = 'http://x/'\nname = 'home'\n[[destination]]\nurl = 'http://x/'\nname = 'a b'",
            "6:8: [[destination]] name: must have 1 to 64 letters, digits, '.', '_' or '-'"
        ),
        (
            "[[destination]]\nurl = 'http://x/'\n[[destination]]\nurl = 'http://y/'",
            "3:1: [[destination]] name: is \"home\" in two sections; each needs its own"
        ),
        (
            "[[destination]]\nurl = 'http://x/'\nkind = 'owntracks'",
            "1:1: [[destination]] user: is needed with kind \"owntracks\": it is part of its topics"
        ),
        (
            "[[destination]]\nurl = 'http://x/'\nkind = 'owntracks'\nuser = 'a/b'",
            "4:8: [[destination]] user: is part of topics and must not contain '/', '+' or '#'"
        ),
        ("[[destination]]\nurl = 'http://x/'\nkind = 'tealium'", "1:1: [[destination]] account: is needed with kind \"tealium\""),
        (
            "[[destination]]\nurl = 'http://x/'\nformat = 'form'",
            "3:10: [[destination]] format: must be \"native\" with kind \"http\""
        ),
        (
            "[[destination]]\nurl = 'http://x/'\nkind = 'traccar'\nformat = 'native'",
            "4:10: [[destination]] format: must be \"form\" or \"json\" with kind \"traccar\""
        ),
        (
            "[[destination]]\nurl = 'http://x/'\npassword_file = '/p'",
            "1:1: [[destination]] user: is needed with password_file"
        ),
        (
            "[[destination]]\nurl = 'http://x/'\nuser = 'u'\npassword_file = '/p'\ntoken_file = '/t'",
            "4:17: [[destination]] password_file: and token_file are both given; a server takes one of them"
        ),
        (
            "[[destination]]\nurl = 'mqtt://x/y'\nkind = 'mqtt'",
            "2:7: [[destination]] url: must be mqtt://HOST or mqtts://HOST, with :PORT if need be, without a path or a password"
        ),
        (
            "[[destination]]\nurl = 'http://x/'\nkind = 'mqtt'",
            "2:7: [[destination]] url: must begin with mqtt:// or mqtts:// with kind \"mqtt\""
        ),
        (
            "[[destination]]\nurl = 'mqtt://x'",
            "2:7: [[destination]] url: is a broker's: kind must be \"mqtt\" or \"owntracks\" or \"homeassistant\""
        ),
        (
            "[[destination]]\nurl = 'mqtt://x'\nkind = 'mqtt'\ntopic = 'a/#'",
            "4:9: [[destination]] topic: must not hold the wildcard #"
        ),
        (
            "[[destination]]\nurl = 'mqtt://x'\nkind = 'mqtt'\ntopic = 'a/{id}'",
            "4:9: [[destination]] topic: has {id}; there is {device}, {kind}, {lane}, {name}"
        ),
        (
            "[[destination]]\nurl = 'mqtt://x'\nkind = 'mqtt'\nreceipt_topic = '{kind}'",
            "4:17: [[destination]] receipt_topic: has {kind}; there is {device}"
        ),
        (
            "[[destination]]\nurl = 'mqtt://x'\nkind = 'mqtt'\ntoken_file = '/t'",
            "4:14: [[destination]] token_file: is for web servers; a broker takes user and password_file"
        ),
        (
            "[[destination]]\nurl = 'mqtts://x'\nkind = 'owntracks'\nuser = 'jane'\nreceipt = 'application'",
            "5:11: [[destination]] receipt: must be \"broker\" with kind \"owntracks\""
        ),
        (
            "[[destination]]\nurl = 'http://x/'\nheaders = ['X-Fleet']",
            "3:11: [[destination]] headers: has a line that is no \"Name: value\""
        ),
        (
            "[control]\nsocket = '/\(String(repeating: "x", count: 107))'",
            "2:10: [control] socket: is 108 bytes long; the system allows 107"
        ),
    ])
    func saysWhatIsWrongAndWhatToDo(text: String, message: String) {
        #expect(mistakes(in: text) == ["waypost.toml:" + message])
    }

    @Test(arguments: [
        ("[log", 1, 5), ("a = 1\na = 2", 2, 5), ("[log]\n[log]", 2, 1), ("a = 99999999999999999999", 1, 0),
        ("[log]\ndirectory = /x", 2, 13),
        ("a = 1\rb = 2", 1, 0), ("a = \"x\n", 1, 0), ("a.b = 1\na.b.c = 2", 2, 3), ("[=]", 1, 2),
    ])
    func placesWhatIsNotTOML(text: String, line: Int, column: Int) throws {
        let error = try #require(throws: ConfigurationErrors.self) { try readConfiguration(text) }
        let first = try #require(error.errors.first)
        #expect(error.errors.count == 1)
        #expect(first.place?.line == line)
        // Column 0: only the line matters.
        if column > 0 { #expect(first.place?.column == column, "\(first)") }
        guard case .syntax(let message) = first.kind else { throw first }
        #expect(!message.isEmpty)
    }

    @Test func saysInOneLineWhatIsNotTOML() {
        #expect(mistakes(in: "a = 1\na = 2") == ["waypost.toml:2:5: invalid TOML in key-value pair: cannot redefine existing integer 'a'"])
        #expect(mistakes(in: [0xFF]) == ["waypost.toml:1:1: invalid TOML: Encountered invalid utf-8 sequence"])
    }
}
