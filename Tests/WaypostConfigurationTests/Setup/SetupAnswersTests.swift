import Testing
import Waypost
import WaypostDispatch
import WaypostSystem

@testable import WaypostConfiguration

/// The answers of `waypost setup`: as people write them, as a file, and read again.
@Suite struct SetupAnswersTests {
    private static let path = "/etc/waypost/conf.d/50-setup.toml"

    private func read(_ text: String, name: String = SetupAnswersTests.path) throws -> LoadedConfiguration {
        try Configuration.read([ConfigurationFile(name: name, bytes: Array(text.utf8))], paths: .service)
    }

    private func answers() throws -> SetupAnswers {
        var answers = SetupAnswers()
        answers.sources = try SetupAnswerText.sources("/dev/ttyAMA0") + SetupAnswerText.sources("gpsd")
        answers.destinations = try SetupAnswerText.destinations([
            "mqtt://ana@broker.local", "traccar:http://t.example:5055/", "mqtts://b.example",
        ])
        answers.destinations[0].passwordFile = "/etc/waypost/mqtt.password"
        answers.units = .nautical
        answers.zones = try SetupAnswerText.zones("-33.8568, 151.2153, 1.5 km")
        answers.fences = "/srv/fences \"new\".geojson"
        return answers
    }

    @Test func readsItsOwnFileAgain() throws {
        for answers in [try answers(), SetupAnswers()] {
            let text = answers.text(command: "sudo waypost setup")
            let again = SetupAnswers(try read(text), others: try read(""))
            #expect(again == answers, "\(text)")
            #expect(again.text(command: "sudo waypost setup") == text)
        }
    }

    /// What somebody has added to the file is named before it is lost.
    @Test func namesWhatItWouldLose() throws {
        let text = try answers().text(command: "sudo waypost setup")
        #expect(SetupAnswers.losses(try read(text)).isEmpty)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).count + 1
        let losses = SetupAnswers.losses(try read(text + "[log]\nmax_age = \"30 d\"\n"))
        #expect(
            losses.count == 1 && losses[0].hasPrefix("[log] max_age in \(Self.path):\(line) is no answer of setup, and is lost "),
            "\(losses)")
    }

    /// Purging the package removes these secrets and no others.
    @Test func remembersWhichSecretsSetupMade() throws {
        let made = ["/etc/waypost/home.token", "/etc/waypost/mqtt.password"]
        let text = try answers().text(command: "sudo waypost setup", made: made)
        #expect(SetupAnswers.made(in: Array(text.utf8)) == made)
        #expect(SetupAnswers(try read(text), others: try read("")) == (try answers()))
        #expect(SetupAnswers.made(in: Array(try answers().text(command: "sudo waypost setup").utf8)).isEmpty)
    }

    @Test func commentsEveryAnswer() throws {
        let text = try answers().text(command: "sudo waypost setup")
        for number in 1...5 { #expect(text.contains("\n# \(number). ")) }
        #expect(text.contains("[[destination]]\nname = \"mqtt\"\nkind = \"mqtt\"\nurl = \"mqtt://broker.local\"\nuser = \"ana\"\n"))
        #expect(text.contains("zones = [\"home: -33.8568, 151.2153, "))
        #expect(!SetupAnswers().text(command: "").contains("[privacy]"))
    }

    /// What is offered as the default can be typed as it is shown.
    @Test func showsAUserWhereItIsWritten() throws {
        for text in ["mqtt://ana@broker", "owntracks:mqtts://ana@b.example:8883", "https://ana@a.example/in?x=@"] {
            let destinations = try SetupAnswerText.destinations([text])
            #expect(SetupAnswerText.text(destinations) == text && destinations[0].user == "ana")
        }
    }

    /// What waits is kept under the name: the same server keeps its own, and another one gets a name that none had.
    @Test func keepsTheNameOfAServer() throws {
        let former = try SetupAnswerText.destinations(["mqtt://a", "mqtt://b"])
        #expect(former.map(\.name) == ["mqtt", "mqtt-2"])
        let later = try SetupAnswerText.destinations(["mqtt://c", "mqtt://b"], former: former)
        #expect(later.map(\.name) == ["mqtt-3", "mqtt-2"])
        #expect(SetupAnswerText.text(later) == "mqtt://c mqtt://b")
        #expect(try SetupAnswerText.destinations(["mqtt://d"], former: [later[0]]).map(\.name) == ["mqtt-4"])
        #expect(try SetupAnswerText.destinations(["none"], former: former).isEmpty)
    }

    /// A slip in the port or the path is corrected without leaving behind what waits.
    @Test(arguments: [
        ("http://10.0.0.1:28081/in", "https://10.0.0.1:28080/in", ["http"]), ("http://[fd00::1]:80/a", "http://[fd00::1]/b", ["http"]),
        ("mqtt://broker:1884", "mqtts://broker", ["mqtt"]), ("http://a.example/in", "http://b.example/in", ["http-2"]),
        ("http://a.example/in", "traccar:http://a.example/in", ["traccar"]),
        ("http://a/1 http://a/2", "http://a/2 http://a/3", ["http-2", "http"]),
    ]) func keepsTheNameOfACorrectedAddress(before: String, after: String, names: [String]) throws {
        let words = { (text: String) in text.split(separator: " ").map(String.init) }
        let former = try SetupAnswerText.destinations(words(before))
        #expect(try SetupAnswerText.destinations(words(after), former: former).map(\.name) == names)
    }

    @Test(arguments: ["auto", "gpsd://localhost:2947", "serial:///dev/ttyUSB0", "nmea-tcp://boat:10110", "none"])
    func namesReceiversAsTheyAreRead(text: String) throws {
        #expect(try SetupAnswerText.text(SetupAnswerText.sources(text)) == text)
    }

    @Test(arguments: [
        ("ftp://x", "is not a server address; write https://HOST/PATH"), ("mqtt://ana:geheim@x", "a password has no place in a URL"),
        ("tealium:https://x/", "needs an account"), ("traccar:mqtt://x", "is a broker's"), ("mqtt:https://x/", "must begin with mqtt://"),
        ("https://", "must be https://HOST/PATH"), ("mqtt://x/path", "without a path"), ("traccar:", "no server"),
    ]) func refusesServers(text: String, why: String) {
        let problem = #expect(throws: SetupProblem.self) { try SetupAnswerText.destinations([text]) }
        #expect(problem?.description.contains(why) == true, "\(problem?.description ?? "")")
        #expect(problem?.description.contains("geheim") == false)
    }

    @Test(arguments: ["52.5", "a,b", "91,0", "1,2,40m", "1,2,200km", "1,2,3,4", ""]) func refusesHomes(text: String) {
        #expect(throws: SetupProblem.self) { try SetupAnswerText.zones(text) }
    }

    @Test func takesBeginningsOfUnits() throws {
        #expect(try SetupAnswerText.units("imp") == .imperial)
        #expect(try SetupAnswerText.units("N") == .nautical)
        #expect(throws: SetupProblem("'miles' is not a system of units; write metric, imperial or nautical")) {
            try SetupAnswerText.units("miles")
        }
    }

    /// There is a server named home by default, for which nothing can wait.
    @Test func speaksOnlyOfServersThatAreGone() throws {
        let (without, named) = (try read("[display]\nunits = \"metric\"\n"), try read("[[destination]]\nurl = \"https://mine.example/\"\n"))
        #expect(SetupAnswers.leftBehind(without, [], whole: without).isEmpty)
        let gone = SetupAnswers.leftBehind(named, [], whole: without)
        #expect(gone == ["home: what may wait for https://mine.example/ stays in the queue; waypost dispatch discard home deletes it"])
        // Another file has it.
        #expect(SetupAnswers.leftBehind(named, [], whole: named).isEmpty)
    }

    @Test func saysWhatReplacesWhat() throws {
        let text =
            "[[destination]]\nurl = \"https://mine.example/\"\n[display]\nunits = \"imperial\"\n[privacy]\nzones = [\"home: 52, 13, 250 m\"]\n"
        let own = ConfigurationFile(name: Self.path, bytes: Array(text.utf8))
        func remarks(_ name: String, _ text: String) throws -> [String] {
            let other = ConfigurationFile(name: name, bytes: Array(text.utf8))
            let files = [other, own].sorted { $0.name < $1.name }
            return SetupAnswers.remarks(
                try read(String(decoding: own.bytes, as: UTF8.self)), others: try Configuration.read([other], paths: .service),
                whole: try Configuration.read(files, paths: .service))
        }
        let earlier = "/etc/waypost/conf.d/20-traccar.toml"
        let later = "/etc/waypost/conf.d/90-mine.toml"
        let destination = "[[destination]]\nurl = \"https://other.example/\"\n"
        #expect(
            try remarks(earlier, destination) == [
                "[[destination]] 'home' is taken from \(Self.path), no longer from \(earlier):2; to keep both, change the name in \(earlier)"
            ])
        #expect(
            try remarks(later, destination) == [
                "[[destination]] 'home' is taken from \(later):2, not from \(Self.path); to keep both, change the name in \(later)"
            ])
        #expect(
            try remarks(later, "[privacy]\nzones = [\"home: 1, 2, 100 m\"]\n") == [
                "[privacy] zone 'home' is taken from \(later):2, not from \(Self.path); to keep both, change the name in \(later)"
            ])
        // A file without destinations replaces none.
        let without = try read("[display]\nunits = \"imperial\"\n")
        let other = ConfigurationFile(name: earlier, bytes: Array(destination.utf8))
        #expect(
            SetupAnswers.remarks(
                without, others: try Configuration.read([other], paths: .service),
                whole: try Configuration.read(
                    [other, ConfigurationFile(name: Self.path, bytes: Array("[display]\nunits = \"imperial\"\n".utf8))], paths: .service)
            ).isEmpty)
        #expect(try remarks(later, "[privacy]\nzones = [\"work: 1, 2, 100 m\"]\n").isEmpty, "both are in force")
        #expect(try remarks(later, "[[destination]]\nname = \"lab\"\nurl = \"https://other.example/\"\n").isEmpty, "both are in force")
        #expect(
            try remarks(later, "[display]\nunits = \"metric\"\n") == [
                "[display] units is taken from \(later):2, not from \(Self.path); to change that, remove it there"
            ])
        #expect(try remarks(later, "[display]\nunits = \"imperial\"\n[log]\nmax_bytes = 5\n").isEmpty)
    }
}
