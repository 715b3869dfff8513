import Testing
import Waypost

struct PrintableTextTests {
    @Test(arguments: [
        ("Plain ~ text", "Plain ~ text"), ("Zürich 東京 😀", "Zürich 東京 😀"), ("\u{1B}[2J", #"\u001b[2J"#),
        ("a\u{9B}2J\u{85}", #"a\u009b2J\u0085"#),
        ("a\nb\rc\td\u{7F}", #"a\nb\rc\td\u007f"#), ("\u{202E}\u{2066}\u{2028}\u{FEFF}", #"\u202e\u2066\u2028\ufeff"#),
        ("\r\n", #"\r\n"#), ("\u{E0041}", #"\udb40\udc41"#), ("", ""),
    ])
    func writesWhatSteersAsJSONDoes(text: String, written: String) throws {
        #expect(printable(text) == written)
        #expect(printable(written) == written)
        guard !text.contains("\"") else { return }
        #expect(try JSONParser().parse(Array("\"\(written)\"".utf8)) == .string(text))
    }

    @Test func keepsLinesAndTabsWhereTheyAreAskedFor() {
        #expect(printable("a\tb\n\u{1B}é\r\n", keepsLines: true) == "a\tb\n\\u001bé\\r\n")
    }

    @Test func cutsWhatIsLongByScalars() {
        #expect(oneLine("abcdef", limit: 6) == "abcdef")
        #expect(oneLine("abc\u{1B}ef", limit: 4) == "abc\\u001b...")
        #expect(oneLine("\r\n\r\n", limit: 3) == "\\r\\n\\r...")
        #expect(oneLine("", limit: 0) == "")
    }
}
