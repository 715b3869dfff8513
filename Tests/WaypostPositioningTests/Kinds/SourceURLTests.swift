import Testing
import Waypost
import WaypostPositioning

@Suite struct SourceURLTests {
    @Test(arguments: [
        ("gpsd:", GPSDKind(), "gpsd://localhost:2947"), ("gpsd://", .init(), "gpsd://localhost:2947"),
        ("gpsd:///", .init(), "gpsd://localhost:2947"), ("GPSD://localhost", .init(), "gpsd://localhost:2947"),
        ("gpsd://10.0.0.7:3000", .init(host: "10.0.0.7", port: 3000), "gpsd://10.0.0.7:3000"),
        ("gpsd://:3000", .init(port: 3000), "gpsd://localhost:3000"),
        ("gpsd://my_box.local:", .init(host: "my_box.local"), "gpsd://my_box.local:2947"),
        ("gpsd://[::1]", .init(host: "::1"), "gpsd://[::1]:2947"),
        ("gpsd://[fe80::1%eth0]:1", .init(host: "fe80::1%eth0", port: 1), "gpsd://[fe80::1%eth0]:1"),
        ("gpsd:///dev/ttyACM0", .init(device: "/dev/ttyACM0"), "gpsd://localhost:2947/dev/ttyACM0"),
        ("gpsd://h:65535/dev/a%3Fb", .init(host: "h", port: 65_535, device: "/dev/a?b"), "gpsd://h:65535/dev/a%3Fb"),
    ])
    func readsAndWritesGPSD(text: String, gpsd: GPSDKind, written: String) throws {
        let url = try SourceURL(text)
        #expect(url == SourceURL(gpsd))
        #expect(url.description == written)
        #expect(try SourceURL(written) == url)
    }

    @Test(arguments: [
        ("nmea:drive.nmea", NMEAKind("drive.nmea"), "nmea:drive.nmea"), ("nmea:-", .init("-"), "nmea:-"),
        ("nmea:./-", .init("./-"), "nmea:./-"), ("nmea:%2D", .init("./-"), "nmea:./-"),
        ("nmea:/a b/c.log?speed=0", .init("/a b/c.log", speed: 0), "nmea:/a b/c.log?speed=0"),
        ("nmea:x?speed=2.5", .init("x", speed: 2.5), "nmea:x?speed=2.5"),
        ("nmea:-?speed=1e1", .init("-", speed: 10), "nmea:-?speed=10"),
        ("nmea:x?speed=-0", .init("x", speed: 0), "nmea:x?speed=0"),
        ("nmea:what?.log", .init("what?.log"), "nmea:what%3F.log"),
        ("nmea:what?", .init("what?"), "nmea:what%3F"), ("nmea:a?b?speed=3", .init("a?b", speed: 3), "nmea:a%3Fb?speed=3"),
        ("nmea:a%3Fspeed=3", .init("a?speed=3"), "nmea:a%3Fspeed=3"), ("nmea:100%.log", .init("100%.log"), "nmea:100%25.log"),
        ("nmea:100%2541", .init("100%41"), "nmea:100%2541"),
        ("nmea:M%C3%BCll:1&2=3#4", .init("M\u{FC}ll:1&2=3#4"), "nmea:M\u{FC}ll:1&2=3#4"),
        ("nmea:a\nb", .init("a\nb"), "nmea:a%0Ab"),
    ])
    func readsAndWritesNMEA(text: String, nmea: NMEAKind, written: String) throws {
        let url = try SourceURL(text)
        #expect(url == SourceURL(nmea))
        #expect(url.description == written)
        #expect(try SourceURL(written) == url)
    }

    @Test(arguments: [
        ("nmea-tcp:", SourceURL(NMEATCPKind()), "nmea-tcp://localhost:10110"),
        ("nmea-tcp://boat.local:2000/", SourceURL(NMEATCPKind(host: "boat.local", port: 2_000)), "nmea-tcp://boat.local:2000"),
        ("NMEA-TCP://[fe80::1%eth0]", SourceURL(NMEATCPKind(host: "fe80::1%eth0")), "nmea-tcp://[fe80::1%eth0]:10110"),
        ("nmea-udp://", SourceURL(NMEAUDPKind(host: "127.0.0.1")), "nmea-udp://127.0.0.1:10110"),
        ("nmea-udp://:5000", SourceURL(NMEAUDPKind(host: "127.0.0.1", port: 5_000)), "nmea-udp://127.0.0.1:5000"),
        ("nmea-udp://0.0.0.0:1", SourceURL(NMEAUDPKind(host: "0.0.0.0", port: 1)), "nmea-udp://0.0.0.0:1"),
        ("nmea-udp://[::]", SourceURL(NMEAUDPKind(host: "::")), "nmea-udp://[::]:10110"),
    ])
    func readsAndWritesNetworkSources(text: String, url: SourceURL, written: String) throws {
        #expect(try SourceURL(text) == url)
        #expect(url.description == written)
        #expect(try SourceURL(written) == url)
    }

    @Test(arguments: [
        ("serial:auto", SerialKind(.automatic), "serial:auto"),
        ("serial:auto?baud=auto", .init(.automatic), "serial:auto"),
        ("serial:auto?baud=4800", .init(.automatic, baudRate: 4_800), "serial:auto?baud=4800"),
        ("serial:///dev/ttyUSB0", .init(.path("/dev/ttyUSB0")), "serial:///dev/ttyUSB0"),
        ("SERIAL:/dev/ttyS0", .init(.path("/dev/ttyS0")), "serial:///dev/ttyS0"),
        (
            "serial:///dev/serial/by-id/usb-a:b?baud=115200", .init(.path("/dev/serial/by-id/usb-a:b"), baudRate: 115_200),
            "serial:///dev/serial/by-id/usb-a:b?baud=115200"
        ),
    ])
    func readsAndWritesSerial(text: String, serial: SerialKind, written: String) throws {
        let url = try SourceURL(text)
        #expect(url == SourceURL(serial))
        #expect(url.description == written)
        #expect(try SourceURL(written) == url)
    }

    @Test(arguments: [
        ("gpx:drive.gpx", SourceURL(GPXKind(RecordedDrive("drive.gpx"))), "gpx:drive.gpx"),
        (
            "gpx:a b.gpx?style=interpolated&interval=0.5&speed=0&times=original",
            SourceURL(
                GPXKind(
                    RecordedDrive(
                        "a b.gpx", options: .init(style: .interpolated, interval: .milliseconds(500), speed: 0, rebasesTimes: false)))),
            "gpx:a b.gpx?style=interpolated&interval=0.5&speed=0&times=original"
        ),
        ("gpx:a?times=rebased&style=actual", SourceURL(GPXKind(RecordedDrive("a"))), "gpx:a"),
        ("nmea:a?times=rebased", SourceURL(NMEAKind(RecordedDrive("a"))), "nmea:a?style=actual"),
        (
            "nmea:a?style=fixed&speed=2", SourceURL(NMEAKind(RecordedDrive("a", options: .init(style: .fixed, speed: 2)))),
            "nmea:a?style=fixed&speed=2"
        ),
        ("route:a?b.gpx", SourceURL(RouteKind("a?b.gpx")), "route:a%3Fb.gpx"),
        (
            "route:a?speed=7.5&interval=2", SourceURL(RouteKind("a", speedMetresPerSecond: 7.5, intervalSeconds: 2)),
            "route:a?speed=7.5&interval=2"
        ),
        ("sim:freeway", SourceURL(SimulationKind(.freeway)), "sim:freeway"), ("SIM:none", SourceURL(SimulationKind(.none)), "sim:none"),
    ])
    func readsAndWritesReplaysAndDrives(text: String, url: SourceURL, written: String) throws {
        #expect(try SourceURL(text) == url)
        #expect(url.description == written)
        #expect(try SourceURL(written) == url)
    }

    @Test(arguments: [
        ("exec:gpspipe -r", "gpspipe -r", "exec:gpspipe -r"),
        ("EXEC:  gpspipe -r | tee log ", "gpspipe -r | tee log", "exec:gpspipe -r | tee log"),
        ("exec:date +%20s?a=b", "date +%20s?a=b", "exec:date +%20s?a=b"), ("exec:exec:x", "exec:x", "exec:exec:x"),
    ])
    func leavesCommandsToTheShell(text: String, command: String, written: String) throws {
        let url = try SourceURL(text)
        #expect(url == SourceURL(ExecKind(command)))
        #expect(url.description == written)
        #expect(try SourceURL(written) == url)
    }

    @Test(arguments: ["", "9601", "fast", "+9600", "09600", "-1", "1e4"])
    func refusesSpeedsThatNoReceiverHas(baud: String) {
        let expected = SourceURLError.badOption(
            "baud", value: baud, expected: "auto or one of 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600")
        #expect(throws: expected) { try SourceURL("serial:auto?baud=" + baud) }
    }

    @Test(arguments: [
        ("", SourceURLError.empty), ("localhost:2947:x", .unknownScheme("localhost")), ("drive.nmea", .noScheme("drive.nmea")),
        (" gpsd:", .noScheme(" gpsd:")), ("/dev/ttyUSB0", .noScheme("/dev/ttyUSB0")), ("ftp://x", .unknownScheme("ftp")),
        ("serial:", noPort("")), ("serial://", noPort("//")), ("serial:ttyUSB0", noPort("ttyUSB0")),
        ("serial://ttyUSB0", noPort("//ttyUSB0")), ("serial:/dev/a%00", .notAPath("/dev/a%00")),
        ("serial:/dev/a?baud=9600&baud=auto", .repeatedOption("baud")), ("serial:auto?speed=1", .unknownOption("speed", known: ["baud"])),
        ("gpx:", noFile("gpx", "drive.gpx")), ("gpx:-", noFile("gpx", "drive.gpx")), ("route:?speed=1", noFile("route", "drive.gpx")),
        ("gpx:a?spede=1", .unknownOption("spede", known: ["style", "interval", "speed", "times"])),
        ("gpx:a?style=fast", .badOption("style", value: "fast", expected: "actual, interpolated or fixed")),
        ("gpx:a?times=now", .badOption("times", value: "now", expected: "rebased or original")),
        ("gpx:a?interval=0.05", .badOption("interval", value: "0.05", expected: "a number of seconds from 0.1 to 86400")),
        ("nmea:a?style=fixed&style=fixed", .repeatedOption("style")),
        ("route:a?speed=0", .badOption("speed", value: "0", expected: "a number of metres per second from 0.01 to 10000")),
        ("sim:", noDrive("")), ("sim:run", noDrive("run")),
        ("exec:", noCommand), ("exec: \t ", noCommand), ("exec:a\nb", badCommand),
        ("exec:a\u{7F}", badCommand),
        ("gpsd:localhost", .needsSlashes(scheme: "gpsd", "localhost")),
        ("gpsd://h:0", .badPort("0")), ("gpsd://h:65536", .badPort("65536")), ("gpsd://h:+1", .badPort("+1")),
        ("gpsd://h:99999999999999999999", .badPort("99999999999999999999")), ("gpsd://::1", .badHost("::1")),
        ("gpsd://[::1", .badHost("[::1")),
        ("gpsd://[::1]2947", .badHost("[::1]2947")), ("gpsd://[host]", .badHost("[host]")), ("gpsd://a b", .badHost("a b")),
        ("gpsd://me@host", .badHost("me@host")), ("gpsd://h?x=1", .hasNoOptions(scheme: "gpsd", "?x=1", hint: deviceHint)),
        ("gpsd://h/d?x", .hasNoOptions(scheme: "gpsd", "?x", hint: deviceHint)),
        ("nmea:", noFile("nmea", "drive.nmea, or - for the standard input")),
        ("nmea:?speed=1", noFile("nmea", "drive.nmea, or - for the standard input")), ("nmea:a%00", .notAPath("a%00")),
        ("nmea:x?spede=1", .unknownOption("spede", known: ["speed"])),
        ("nmea:x?speed=1&speed=2", .repeatedOption("speed")), ("nmea-tcp:h:1", .needsSlashes(scheme: "nmea-tcp", "h:1")),
        ("nmea-tcp://h:1/x", .hasNoPath(scheme: "nmea-tcp", "/x")), ("nmea-udp://h:1?x=1", .hasNoOptions(scheme: "nmea-udp", "?x=1")),
        ("nmea-udp://h:0", .badPort("0")), ("nmea-udp://::", .badHost("::")),
        ("nmea:?style=fixed", noFile("nmea", "drive.nmea")),
    ])
    func refuses(text: String, problem: SourceURLError) {
        #expect(throws: problem) { try SourceURL(text) }
        #expect(!problem.description.contains("\n"))
    }

    @Test(arguments: ["", "fast", "-1", "inf", "nan", "0x2", "1e999", "1 ", "1e-320", "0.0009", "1e7", "1e308"])
    func refusesSpeedsThatAreNone(speed: String) {
        let expected = SourceURLError.badOption("speed", value: speed, expected: "0 (at once) or a number from 0.001 to 1000000")
        for scheme in ["nmea:x", "gpx:x", "nmea:x?style=fixed&"] {
            let mark = scheme.contains("?") ? "" : "?"
            #expect(throws: expected) { try SourceURL(scheme + mark + "speed=" + speed) }
        }
    }

    @Test(arguments: ["1e308", "86401", "1e19", "9223372036854775808", "1e-320"])
    func refusesNumbersThatNoClockHas(number: String) {
        let interval = SourceURLError.badOption("interval", value: number, expected: "a number of seconds from 0.1 to 86400")
        #expect(throws: interval) { try SourceURL("gpx:x?interval=" + number) }
        #expect(throws: interval) { try SourceURL("route:x?interval=" + number) }
        let speed = SourceURLError.badOption("speed", value: number, expected: "a number of metres per second from 0.01 to 10000")
        #expect(throws: speed) { try SourceURL("route:x?speed=" + number) }
    }

    @Test(arguments: [
        (
            "gpds://x",
            "unknown kind of source 'gpds:'; did you mean gpsd:? "
                + "(this version supports csv:, exec:, gpsd:, gpx:, jsonl:, kml:, nmea:, nmea-tcp:, nmea-udp:, route:, serial: and sim:)"
        ),
        ("sim:run", "'sim:run' is not a built-in drive; there are sim:walk, sim:city, sim:freeway, sim:none"),
        ("gpx:", "gpx: needs a file, as in gpx:drive.gpx"),
        ("drive.nmea", "'drive.nmea' is not a source URL; write for example gpsd://localhost:2947 or nmea:FILE"),
        ("nmea:", "nmea: needs a file, as in nmea:drive.nmea, or - for the standard input"),
        ("gpsd://a\nb", "'a\\nb' is not a host; write a name, an IPv4 address, or an IPv6 address in brackets, as in [::1]"),
    ])
    func saysWhatToDo(text: String, message: String) throws {
        let error = try #require(throws: SourceURLError.self) { try SourceURL(text) }
        #expect(error.description == message)
    }

    /// Names of files are bytes; a byte that is no UTF-8 is written as any other that needs it.
    @Test func keepsBytesThatAreNoUTF8() throws {
        let url = try SourceURL("nmea:a%FF%25.nmea?speed=2")
        #expect(url.description == "nmea:a%FF%25.nmea?speed=2")
        #expect(try SourceURL(url.description) == url)
    }
}

// What kinds say in their own words.
private let deviceHint = "a '?' in a device's name is written %3F"
private let noCommand = SourceURLError.invalid(reason: "exec: needs a command that prints NMEA or JSON lines, as in exec:gpspipe -r")
private let badCommand = SourceURLError.invalid(
    reason: "the command of exec: must be on one line, without control characters; put a longer one into a script")

private func noFile(_ scheme: String, _ example: String) -> SourceURLError { .missingFile(scheme: scheme, example: example) }

private func noPort(_ text: String) -> SourceURLError {
    .invalid(reason: "'serial:\(text)' names no port; write serial:auto or a path: serial:///dev/ttyUSB0")
}

private func noDrive(_ name: String) -> SourceURLError {
    .invalid(reason: "'sim:\(name)' is not a built-in drive; there are sim:walk, sim:city, sim:freeway, sim:none")
}
