import Testing
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

@testable import WaypostCLI

/// The questions of `waypost setup`, asked of somebody whose answers are known.
@Suite struct SetupDialogueTests {
    /// Somebody who types these lines; empty is Enter.
    private final class Person: SetupScreen {
        private var lines: ArraySlice<String>
        private(set) var shown: [String] = []

        init(_ lines: [String]) {
            self.lines = lines[...]
        }

        func say(_ line: String) { shown.append(line) }

        func ask(_ prompt: String) -> String? {
            shown.append(prompt)
            return lines.popFirst()
        }

        func askSecret(_ prompt: String) -> String? {
            shown.append("secret: \(prompt)")
            return lines.popFirst()
        }

        var isDone: Bool { lines.isEmpty }
    }

    private func run(
        _ person: Person, given: SetupOptions = SetupOptions(), former: SetupAnswers = SetupAnswers()
    ) throws -> (answers: SetupAnswers, secrets: [String: String]) {
        let dialogue = SetupDialogue(
            screen: person, findings: SetupFindings(), given: given, device: "van-7",
            lookAtPorts: { sources throws(SetupProblem) in
                if SetupAnswerText.text(sources).hasSuffix("passwd") { throw SetupProblem("that is a file") }
                return SetupAnswerText.text(sources).hasSuffix("ttyGone") ? ["there is no such port"] : []
            },
            tryServer: {
                // The server of the tests has one password.
                let isRefused = $0.url.contains("strict") && ($0.user, $1) != ("ana", "right")
                return SetupTrial(words: "\($0.url): tried as \($1 ?? "nobody")", isRefused: isRefused)
            },
            countFences: { path throws(SetupProblem) in
                if path.hasSuffix(".geojson") { return 2 }
                throw SetupProblem("\(path) holds no usable fence")
            })
        let answered = try dialogue.run(former)
        return (answered.answers, answered.secrets)
    }

    @Test func takesTheUsualWithFiveKeys() throws {
        let person = Person(["", "", "", "", ""])
        let (answers, secrets) = try run(person)
        #expect(SetupAnswerText.text(answers.sources) == "auto")
        #expect(answers.destinations.isEmpty && answers.zones.isEmpty && answers.fences == nil && answers.units == .metric)
        #expect(secrets.isEmpty && person.isDone)
    }

    @Test func asksForWhatABrokerNeedsAndTriesIt() throws {
        let person = Person(["gpsd", "mqtt://broker", "ana", "geheim", "i", "52.5,10.2", "/srv/yard.geojson"])
        let (answers, secrets) = try run(person)
        #expect(answers.destinations.map(\.user) == ["ana"])
        #expect(secrets == ["mqtt": "geheim"])
        #expect(person.shown.contains("   mqtt://broker: tried as geheim"))
        #expect(person.shown.contains("secret:    Password, not shown [none]: "))
        #expect(answers.units == .imperial && answers.zones.map(\.radiusMetres) == [250] && answers.fences == "/srv/yard.geojson")
        #expect(person.shown.contains("   2 fences"))
    }

    /// Nobody starts again for a slip in a password, and nobody is kept from going on.
    @Test func asksAgainWhatAServerRefuses() throws {
        let person = Person(["gpsd", "mqtt://strict", "anna", "wrong", "ana", "", "", "right", "", "", ""])
        let (answers, secrets) = try run(person)
        #expect(person.isDone && answers.destinations.map(\.user) == ["ana"] && secrets == ["mqtt": "right"])
        #expect(
            person.shown.filter { $0.hasPrefix("   mqtt://strict: tried") }.map { String($0.suffix(5)) } == ["wrong", "wrong", "right"])
        #expect(person.shown.count { $0 == "secret:    Password, not shown; Enter goes on with the one given: " } == 2)
        let stubborn = Person(["gpsd", "https://strict.example/in", "wrong", "", "", "", ""])
        #expect(try run(stubborn).secrets == ["http": "wrong"] && stubborn.isDone)
    }

    /// A web server has a token, or a user with a password; Traccar neither; OwnTracks always a user.
    @Test func asksEachKindForItsOwn() throws {
        let web = try run(Person(["", "https://a.example/in", "tok", "", "", ""]))
        #expect(web.secrets == ["http": "tok"] && web.answers.destinations[0].user == "")
        let basic = try run(Person(["", "https://ana@a.example/in", "pw", "", "", ""]))
        #expect(basic.secrets == ["http": "pw"] && basic.answers.destinations[0].user == "ana")
        let traccar = try run(Person(["", "traccar:http://t.example:5055/", "", "", ""]))
        #expect(traccar.secrets.isEmpty && traccar.answers.destinations[0].kindName == "traccar")
        let own = try run(Person(["", "owntracks:mqtt://b.example", "none", "", "", "", "", ""]))
        #expect(own.answers.destinations[0].user == "user" && own.secrets.isEmpty)
    }

    /// Of two questions for a token nobody knows otherwise whose it is.
    @Test func namesTheServerWhereThereAreSeveral() throws {
        let person = Person(["", "mqtt://b.example https://a.example/in http://c.example/in", "ana", "pw", "tok", "kot", "", "", ""])
        let (_, secrets) = try run(person)
        #expect(secrets == ["mqtt": "pw", "http": "tok", "http-2": "kot"] && person.isDone)
        for question in [
            "   User at mqtt://b.example [none]: ", "secret:    Password at mqtt://b.example, not shown [none]: ",
            "secret:    Token at https://a.example/in, not shown [none]: ", "secret:    Token at http://c.example/in, not shown [none]: ",
        ] { #expect(person.shown.contains(question), "\(question)") }
        #expect(
            person.shown.contains(
                "   mqtt://b.example: the password goes over the network unencrypted; write mqtts:// if the server has it"))
        #expect(
            person.shown.contains(
                "   http://c.example/in: the token goes over the network unencrypted; write https:// if the server has it"))
        #expect(!person.shown.contains { $0.contains("https://a.example/in: the token") })
    }

    @Test(arguments: [
        ("http://a.example/in", true), ("HTTP://192.168.1.5:8080", true), ("mqtt://broker.local", true), ("https://a.example/in", false),
        ("mqtts://a.example", false), ("http://localhost:8080/in", false), ("http://127.0.0.1/", false), ("mqtt://[::1]:1883", false),
    ]) func warnsOfASecretThatOthersCanRead(url: String, isOpen: Bool) {
        var destination = DestinationConfiguration()
        destination.url = url
        #expect((OpenSecrets.words(for: destination) != nil) == isOpen)
    }

    @Test func asksAgainAfterAWrongAnswer() throws {
        let person = Person(["bogus", "", "mqtt://x y://z", "", "miles", "", "here", "none", "/srv/notes.txt", "none"])
        let (answers, _) = try run(person)
        #expect(person.isDone)
        #expect(answers.destinations.isEmpty)
        #expect(person.shown.contains { $0.contains("'miles' is not a system of units; write metric, imperial or nautical") })
        #expect(person.shown.contains { $0.contains("/srv/notes.txt holds no usable fence") })
    }

    /// A port that will not work is taken only from somebody who says so.
    @Test func asksAgainForAPortThatWillNotWork() throws {
        let person = Person(["/dev/ttyGone", "", "serial:///etc/passwd", "/dev/ttyGone", "perhaps", "y", "", "", "", ""])
        let (answers, _) = try run(person)
        #expect(person.isDone && SetupAnswerText.text(answers.sources) == "serial:///dev/ttyGone")
        #expect(person.shown.count { $0 == "   there is no such port" } == 2)
        #expect(person.shown.contains("   that is a file") && person.shown.contains("   write yes or no"))
    }

    /// What is on a port now, with the commands that free it.
    @Test func knowsPortsThatWillNotWork() throws {
        let system = try FakeSystem()
        try system.write("console=ttyS0,115200 root=/dev/sda1\n", to: "/proc/cmdline")
        for port in ["/dev/ttyS0", "/dev/ttyACM0"] { try system.write("", to: port) }
        let tree = SystemTree(root: system.path)
        let port = SetupPort(facts: SystemFacts(tree: tree, measurements: Measurements(saved: tree)))
        func problems(_ receiver: String) throws -> [String] { try port.problems(SetupAnswerText.sources(receiver)) }
        let console = try problems("/dev/ttyS0")
        #expect(console.first?.hasPrefix("/dev/ttyS0: a login console is on /dev/ttyS0, the receiver's port") == true, "\(console)")
        #expect(console.contains("   sudo systemctl disable --now serial-getty@ttyS0.service"))
        #expect(
            try problems("/dev/ttyUSB9") == [
                "/dev/ttyUSB9: there is no such port now; plug the receiver in, or see which ports there are: waypost devices"
            ])
        #expect(try problems("/dev/ttyACM0").isEmpty && problems("auto").isEmpty)
    }

    @Test func keepsWhatWasAnsweredBefore() throws {
        var former = SetupAnswers()
        former.sources = try SetupAnswerText.sources("/dev/ttyAMA0")
        former.destinations = try SetupAnswerText.destinations(["mqtt://ana@broker"])
        former.destinations[0].passwordFile = "/etc/waypost/mqtt.password"
        former.units = .nautical
        former.zones = try SetupAnswerText.zones("1,2,300m")
        former.fences = "/srv/yard.geojson"
        let person = Person(["", "", "", "", ""])
        #expect(try run(person, former: former).answers == former)
        #expect(person.shown.contains("Send to [mqtt://ana@broker]: ") && person.shown.contains("Home [1.0,2.0,300 m]: "))
        // The same server again asks for its secret, and Enter keeps it.
        let again = try run(Person(["", "mqtt://ana@broker", "", "", "none", ""]), former: former)
        #expect(again.answers.destinations == former.destinations && again.answers.zones.isEmpty && again.secrets.isEmpty)
    }

    @Test func asksNothingThatIsGiven() throws {
        var given = SetupOptions()
        given.sources = try SetupAnswerText.sources("gpsd")
        given.destinations = []
        given.units = .imperial
        let person = Person(["", ""])
        let (answers, _) = try run(person, given: given)
        #expect(person.isDone && answers.units == .imperial)
        #expect(!person.shown.contains { $0.hasPrefix("Receiver") || $0.hasPrefix("Send") || $0.hasPrefix("Units") })
    }

    /// The end of the input at any question is the end of it all.
    @Test(arguments: 0..<7) func endsWithTheInput(count: Int) {
        let lines = ["", "mqtt://broker", "ana", "geheim", "", "", ""]
        let failure = #expect(throws: CommandFailure.self) { try run(Person(Array(lines.prefix(count)))) }
        #expect(failure?.line == "waypost: setup: the input ended, and nothing was written")
    }

    // MARK: - What is found

    private func findings(_ change: (FakeSystem) throws -> Void) throws -> SetupFindings {
        let system = try FakeSystem()
        try change(system)
        let tree = SystemTree(root: system.path)
        let others = try Configuration.read([], paths: .service)
        return SetupFindings(SystemFacts(tree: tree, measurements: Measurements(saved: tree)), others: others, userName: "ana")
    }

    @Test func findsWhatIsPluggedIn() throws {
        let found = try findings { _ in }
        #expect(found.receiverWords == "Found: u-blox 8 at /dev/ttyACM0.", "\(found.receiverWords)")
        #expect(SetupAnswerText.text(found.sources) == "auto" && found.userName == "ana")
        let nothing = try findings { try $0.remove("/sys/class/tty/ttyACM0") }
        #expect(nothing.receiverWords == "No known receiver is plugged in.")
    }

    @Test func leavesSourcesThatAnotherFileNames() throws {
        let system = try FakeSystem()
        let tree = SystemTree(root: system.path)
        let text = "[[source]]\nurl = \"nmea-tcp://boat\"\n"
        let others = try Configuration.read([ConfigurationFile(name: "waypost.toml", bytes: Array(text.utf8))], paths: .service)
        let facts = SystemFacts(tree: tree, measurements: Measurements(saved: tree))
        let found = SetupFindings(facts, others: others, userName: nil)
        #expect(found.sources.isEmpty)
        #expect(found.receiverWords == "waypost.toml:2 names nmea-tcp://boat:10110; none keeps it.")
    }

    /// Traccar takes nothing of a device that it does not know.
    @Test func saysWhichIdentifierTraccarHasToKnow() throws {
        let person = Person(["", "traccar:http://t.example:5055/", "", "", ""])
        _ = try run(person)
        let said = try #require(person.shown.first { $0.contains("identifier") })
        #expect(said.hasPrefix("   add a device with the identifier 'van-7' at the server") && said.contains("[dispatch]"), "\(said)")
        let web = Person(["", "https://h.example/in", "", "", "", ""])
        _ = try run(web)
        #expect(!web.shown.contains { $0.contains("identifier") })
    }

    @Test func endsLinesBetweenWords() {
        let line =
            "   add a device with the identifier \"van-7\" at the server; to use another one, set device under [dispatch] in a file of conf.d"
        let lines = SetupTerminal.lines(of: line, columns: 80)
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 80 && $0.hasPrefix("   ") })
        #expect(lines.joined(separator: " ").split(separator: " ") == line.split(separator: " "))
        #expect(SetupTerminal.lines(of: line, columns: nil) == [line])
    }
}
