import Testing
import Waypost

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("10", Duration.seconds(10)), ("0", .zero), ("10 min", .seconds(600)), ("90 s", .seconds(90)), ("500 ms", .milliseconds(500)),
        ("500ms", .milliseconds(500)), ("2 h", .seconds(7_200)), ("1 d", .seconds(86_400)), ("1.5 h", .seconds(5_400)),
        (" 2   s", .seconds(2)), ("0.25", .milliseconds(250)),
    ])
    func reads(text: String, duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
    }

    @Test(arguments: [
        ("", DurationText.Problem.notANumber("")), ("min", .notANumber("min")), ("-1 s", .notANumber("-1 s")), ("inf", .notANumber("inf")),
        ("1.2.3", .notANumber("1.2.3")), (".5 s", .notANumber(".5 s")), ("5. s", .notANumber("5. s")),
        ("\u{0663} s", .notANumber("\u{0663} s")),
        ("10 m", .unknownUnit("m")), ("10 S", .unknownUnit("S")), ("1e3", .unknownUnit("e3")), ("10 s ", .unknownUnit("s ")),
        ("99999999999", .outOfRange), ("999999999 d", .outOfRange), (String(repeating: "9", count: 400), .outOfRange),
    ])
    func refuses(text: String, problem: DurationText.Problem) {
        #expect(throws: problem) { try DurationText.parse(text) }
    }

    @Test(arguments: [
        (Duration.zero, "0 s"), (.seconds(10), "10 s"), (.seconds(90), "90 s"), (.seconds(120), "2 min"), (.seconds(86_400), "1 d"),
        (.milliseconds(1_500), "1500 ms"), (.microseconds(1_250), "1.25 ms"),
    ])
    func writesWhatReadsBack(duration: Duration, text: String) throws {
        #expect(DurationText.text(duration) == text)
        #expect(try DurationText.parse(text) == duration)
    }
}
