import Testing
import Waypost
import WaypostTestKit

@testable import WaypostConfiguration

/// A configuration is outside bytes: whatever they are, reading ends with a value or with mistakes that have a place.
@Suite struct ConfigurationFuzzTests {
    /// Whether the bytes are a sound configuration; records an issue when what comes back is not fit for people.
    private func checkReading(_ bytes: [UInt8], _ label: String) -> Bool {
        let outcome = ConfigurationContract.outcome(ofReading: bytes)
        if !outcome.violations.isEmpty { Issue.record("\(label): \(outcome.violations)") }
        return outcome.isSound
    }

    @Test func survivesMutatedDocuments() {
        let seeds = [
            Configuration.commentedDefaults().replacing("\n#[", with: "\n[").replacing("\n#url", with: "\nurl").replacing(
                "\n#s", with: "\ns"),
            "[[source]]\nurl = 'nmea:a?speed=1'\n[log]\ndirectory = \"\"\"\n/x\"\"\"\nsync_interval = 0x10\n",
            "source = [{url='gpsd://[::1]:1/d'}]\nlog.sync_interval = 1.5e0\ncontrol = {socket = \"\\u00e9\"}\n",
        ].map { Array($0.utf8) }
        let pieces =
            [
                "[", "]", "[[", "]]", "=", ".", "\"", "'", "\"\"\"", "'''", "{", "}", "\\u", "\\U0010FFFF", "\n", "\r", "\r\n", "#", "\0",
                "_", "+", "-",
                "0x", "1e999", "9223372036854775808", "1979-05-27", "07:32:00", "inf", "nan", ",", "\t", "\u{7F}", "a.", "[log]", "[[log]]",
                "\u{2028}",
                "\u{FEFF}", "\u{E9}", "url=1\n", "[source]",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]
        var random = SeededGenerator(seed: 20_261_121)
        var accepted = 0
        for round in 0..<4_000 {
            var text = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0...text.count, using: &random)
                let end = min(text.count, place + Int.random(in: 0...6, using: &random))
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text.removeSubrange(place..<end)
                case 1: text.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
                default: text.replaceSubrange(place..<end, with: [UInt8.random(in: 0...255, using: &random)])
                }
            }
            if checkReading(text, "round \(round)") { accepted += 1 }
        }
        // Mutations of comments and values leave many documents sound: both outcomes must have been seen often.
        #expect((400...3_600).contains(accepted), "\(accepted) accepted")
    }

    @Test func survivesNastyFiles() {
        // The largest file for what toml++ refuses at once, an eighth of it for what it reads to the end.
        let million = Configuration.maximumFileBytes
        func repeated(_ text: String, bytes: Int = million / 8) -> [UInt8] {
            Array(String(repeating: text, count: bytes / text.utf8.count).utf8)
        }
        let nasty: [(String, [UInt8], isSound: Bool)] = [
            ("empty", [], true), ("BOM alone", [0xEF, 0xBB, 0xBF], true), ("half a BOM", [0xEF, 0xBB], false),
            ("UTF-16", [0xFF, 0xFE, 0x5B, 0], false),
            ("NUL", [0], false), ("NUL in a comment", Array("# \0".utf8), false), ("NULs", [UInt8](repeating: 0, count: million), false),
            ("newlines", repeated("\n"), true), ("CRLFs", repeated("\r\n"), true), ("CRs", repeated("\r"), false),
            ("invalid UTF-8", Array("[log]\n".utf8) + [0xC3, 0x28], false), ("opening brackets", repeated("[", bytes: million), false),
            ("nested lists", Array("a=".utf8) + repeated("["), false), ("nested tables", repeated("a={"), false),
            ("dotted key", repeated("a.", bytes: million) + Array("a=1".utf8), false),
            ("dotted header", Array("[".utf8) + repeated("a.", bytes: million) + Array("a]".utf8), false),
            ("quoted dotted key", repeated("\"=\".") + Array("a=1".utf8), false), ("one long key", repeated("k") + Array("=1".utf8), false),
            ("one long line of text", Array("log.directory='".utf8) + repeated("/") + Array("'".utf8), false),
            ("huge integer", Array("log.sync_interval=".utf8) + repeated("9"), false),
            ("sources", repeated("[[source]]\nurl='gpsd:'\n"), true),
            ("bad sources", Array("[[source]]\n".utf8) + Array(repeated("[[source]]\n").prefix(110_000)), false),
        ]
        for (label, bytes, isSound) in nasty { #expect(checkReading(bytes, label) == isSound, "\(label)") }
    }

    /// The deepest document that the shim lets through: freeing it must not need more stack than a thread has.
    @Test func survivesTheDeepestDocument() {
        let dots = String(repeating: "a.", count: 100) + "a"
        let open = String(repeating: "{\(dots) = [\n", count: 7)
        let close = String(repeating: "]}", count: 7)
        let text = "[\(dots)]\n\(dots) = [\n\(open)\(close)]\n"
        #expect(
            mistakes(in: text) == [
                "waypost.toml:1:2: there is no section 'a'; known: [[source]], [tracking], [power], [log], [geofences], [matching], "
                    + "[[destination]], [dispatch], [privacy], [share], [time], [display], [control], [map]"
            ])
        #expect(mistakes(in: "\n\(dots).a = 1") == ["waypost.toml:2:1: invalid TOML: more than 100 dots in one line"])
    }
}
