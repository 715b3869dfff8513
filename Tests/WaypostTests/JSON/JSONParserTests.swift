import Foundation
import Testing
import Waypost
import WaypostTestKit

@Suite struct JSONParserTests {
    // MARK: What is JSON

    @Test(
        arguments: [
            ("null", .null), (" \t\r\n true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("-1", .integer(-1)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("18446744073709551616", .number(18_446_744_073_709_551_616)),
            ("1.5", .number(1.5)), ("-0.0", .number(-0.0)), ("1e3", .number(1_000)), ("1E+2", .number(100)), ("25e-1", .number(2.5)),
            ("1e-400", .number(0)), ("0e99999999999", .number(0)), ("1e22", .number(1e22)), ("1e23", .number(1e23)),
            ("0.1", .number(0.1)), ("47.285200000000003", .number(47.285200000000003)),
            ("123456789012345678901234567890", .number(1.2345678901234568e29)), ("\"\"", .string("")),
            (#""a\"b\\c\/d\b\f\n\r\t""#, .string("a\"b\\c/d\u{8}\u{C}\n\r\t")),
            (#""\u0041\u00e9\u20AC\ud83d\uDE00\u0000""#, .string("Aé€😀\0")),
            ("\"é€😀\u{7F}\"", .string("é€😀\u{7F}")), ("[]", .array([])), ("{}", .object([:])), ("[ ]", .array([])), ("{ }", .object([:])),
            ("[1,[2],{}]", .array([.integer(1), .array([.integer(2)]), .object([:])])),
            (#"{"a":1,"b":{"c":[null]}}"#, .object(["a": .integer(1), "b": .object(["c": .array([.null])])])),
            (#"{"a":1,"a":2}"#, .object(["a": .integer(2)])), (#"{"":0}"#, .object(["": .integer(0)])),
            (#"{ "a" : 1 , "b" : 2 }"#, .object(["a": .integer(1), "b": .integer(2)])), (#"{"\u0061":1}"#, .object(["a": .integer(1)])),
            (#""\uDBFF\uDFFF""#, .string("\u{10FFFF}")), ("[1\n,2]", .array([.integer(1), .integer(2)])),
        ] as [(String, JSONValue)])
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONParser().parse(text) == value)
    }

    @Test func keepsTheSignOfZero() throws {
        #expect(try JSONParser().parse("-0").double?.sign == .minus)
        #expect(try JSONParser().parse("-0e1").double?.sign == .minus)
        #expect(try JSONParser().parse("0").double?.sign == .plus)
    }

    // MARK: What is not

    @Test(
        arguments: [
            ("", .unexpectedEnd, 1, 1), ("  ", .unexpectedEnd, 1, 3), ("[", .unexpectedEnd, 1, 2), ("[1", .unexpectedEnd, 1, 3),
            ("[1,", .unexpectedEnd, 1, 4), ("{", .unexpectedEnd, 1, 2), ("{\"a\"", .unexpectedEnd, 1, 5), ("{\"a\":", .unexpectedEnd, 1, 6),
            ("{\"a\":1", .unexpectedEnd, 1, 7), ("tru", .unexpectedEnd, 1, 4), ("\"abc", .unexpectedEnd, 1, 5),
            ("\"a\\", .unexpectedEnd, 1, 4),
            ("\"\\u12", .unexpectedEnd, 1, 6), ("-", .unexpectedEnd, 1, 2), ("1.", .unexpectedEnd, 1, 3), ("1e", .unexpectedEnd, 1, 3),
            ("1e+", .unexpectedEnd, 1, 4), ("[1,]", .unexpectedByte(0x5D), 1, 4), ("[,1]", .unexpectedByte(0x2C), 1, 2),
            ("[1 2]", .unexpectedByte(0x32), 1, 4), ("{\"a\":1,}", .unexpectedByte(0x7D), 1, 8), ("{,}", .unexpectedByte(0x2C), 1, 2),
            ("{a:1}", .unexpectedByte(0x61), 1, 2), ("{1:1}", .unexpectedByte(0x31), 1, 2), ("{\"a\" 1}", .unexpectedByte(0x31), 1, 6),
            ("{\"a\":}", .unexpectedByte(0x7D), 1, 6), ("{\"a\":1]", .unexpectedByte(0x5D), 1, 7), ("[1}", .unexpectedByte(0x7D), 1, 3),
            ("]", .unexpectedByte(0x5D), 1, 1), ("}", .unexpectedByte(0x7D), 1, 1), (",", .unexpectedByte(0x2C), 1, 1),
            (":", .unexpectedByte(0x3A), 1, 1), ("'a'", .unexpectedByte(0x27), 1, 1), ("nul1", .unexpectedByte(0x31), 1, 4),
            ("True", .unexpectedByte(0x54), 1, 1), ("NaN", .unexpectedByte(0x4E), 1, 1), ("Infinity", .unexpectedByte(0x49), 1, 1),
            ("-Infinity", .invalidNumber, 1, 2), ("+1", .unexpectedByte(0x2B), 1, 1), (".5", .unexpectedByte(0x2E), 1, 1),
            ("01", .invalidNumber, 1, 1), ("-01", .invalidNumber, 1, 1), ("1.e1", .invalidNumber, 1, 3), ("1.5.5", .trailingText, 1, 4),
            ("0x10", .trailingText, 1, 2), ("1e1.5", .trailingText, 1, 4), ("--1", .invalidNumber, 1, 2), ("[1e]", .invalidNumber, 1, 4),
            ("1e400", .numberOutOfRange, 1, 1), ("[-1e400]", .numberOutOfRange, 1, 2), ("1 2", .trailingText, 1, 3),
            ("{}}", .trailingText, 1, 3), ("[]// c", .trailingText, 1, 3), ("/* c */1", .unexpectedByte(0x2F), 1, 1),
            ("#", .unexpectedByte(0x23), 1, 1), ("\u{FEFF}1", .unexpectedByte(0xEF), 1, 1), ("\u{A0}1", .unexpectedByte(0xC2), 1, 1),
            ("\"\t\"", .controlCharacter(9), 1, 2), ("\"a\nb\"", .controlCharacter(10), 1, 3), ("\"\0\"", .controlCharacter(0), 1, 2),
            (#""\x41""#, .invalidEscape, 1, 2), (#""\u12G4""#, .invalidEscape, 1, 2), (#""\U0041""#, .invalidEscape, 1, 2),
            (#""a\ud800""#, .loneSurrogate, 1, 3), (#""\udc00""#, .loneSurrogate, 1, 2), (#""\ud800\u0041""#, .loneSurrogate, 1, 2),
            (#""\ud800\n""#, .loneSurrogate, 1, 2), (#""\ud800\ud800""#, .loneSurrogate, 1, 2),
            ("[\n  1,\n  x\n]", .unexpectedByte(0x78), 3, 3),
            ("[\"é€\", ?]", .unexpectedByte(0x3F), 1, 8), ("\u{1}", .unexpectedByte(1), 1, 1),
        ] as [(String, JSONError.Reason, Int, Int)])
    func rejects(text: String, reason: JSONError.Reason, line: Int, column: Int) {
        let error = #expect(throws: JSONError.self) { try JSONParser().parse(text) }
        #expect(error?.reason == reason, "\(text)")
        #expect(error?.line == line, "\(text)")
        #expect(error?.column == column, "\(text)")
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3],
            [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]])
    func rejectsWhatIsNotUTF8(bytes: [UInt8]) {
        for text in [[UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")], [UInt8(ascii: "\"")] + bytes] {
            let error = #expect(throws: JSONError.self) { try JSONParser().parse(text) }
            #expect(error?.reason == .invalidUTF8)
            #expect(error?.offset == 1)
        }
    }

    // MARK: Limits

    @Test func limitsTheDepth() throws {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        _ = try JSONParser().parse(nested(64))
        #expect(throws: JSONError.self) { try JSONParser().parse(nested(65)) }
        let error = #expect(throws: JSONError.self) { try JSONParser(maximumDepth: 3).parse(#"{"a":[{"b":[]}]}"#) }
        #expect(error?.reason == .tooDeep(limit: 3))
        #expect(error?.offset == 11)
        #expect(throws: JSONError.self) { try JSONParser().parse(String(repeating: "[{\"\":", count: 1_000_000)) }
    }

    @Test func limitsTheSize() throws {
        _ = try JSONParser(maximumBytes: 4).parse("1234")
        let error = #expect(throws: JSONError.self) { try JSONParser(maximumBytes: 4).parse("12345") }
        #expect(error?.reason == .tooLong(limit: 4))
    }

    @Test func countsLinesFromWhereItIsTold() {
        let error = #expect(throws: JSONError.self) { try JSONParser(firstLine: 41).parse("{\n?") }
        #expect(error?.description == "line 42, column 1: unexpected \"?\"")
    }

    // MARK: Against the standard library and Foundation

    @Test func readsNumbersAsTheStandardLibraryDoes() throws {
        var generator = SeededGenerator(seed: 8_259)
        for _ in 0..<50_000 {
            let digits = Int.random(in: 1...20, using: &generator)
            var text = String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &generator))) })
            while text.count > 1, text.first == "0" { text.removeFirst() }
            if Bool.random(using: &generator) { text += "." + String(UInt64.random(in: 0...(.max), using: &generator)) }
            if Bool.random(using: &generator) { text += "e\(Int.random(in: -330...280, using: &generator))" }
            let value = try JSONParser().parse(text)
            #expect(value.double == Double(text), "\(text)")
        }
    }

    /// Whatever the bytes, the parser answers with a value or an error; what it accepts comes back from the writer, and Foundation accepts it.
    @Test func survivesMutations() throws {
        let seeds = [
            #"{"class":"TPV","time":"2026-11-21T11:33:28.250Z","lat":46.498293369,"lon":7.567411672,"mode":3,"ok":true,"none":null}"#,
            #"[{"gnssid":0,"PRN":5,"el":12.0,"used":false},["\u00e9\ud83d\ude00\n",-1.5e-7,0,[[[{}]]]]]"#,
        ].map { [UInt8]($0.utf8) }
        let alphabet = [UInt8](#"{}[],:"\/ 0123456789eE+-.truefalsn"#.utf8) + [0, 0x0A, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xFF]
        var generator = SeededGenerator(seed: 1)
        var accepted = 0
        for round in 0..<30_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: bytes[place] = alphabet.randomElement(using: &generator) ?? 0
                case 1: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
                case 2 where bytes.count > 1: bytes.remove(at: place)
                default: bytes.removeLast(min(bytes.count - 1, place % 8))
                }
            }
            do throws(JSONError) {
                let value = try JSONParser().parse(bytes)
                accepted += 1
                let text = JSONWriter.text(value)
                #expect(try JSONWriter.text(JSONParser().parse(text)) == text)
                #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
                    try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
                }
            } catch {
                #expect(error.offset <= bytes.count)
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
        #expect(accepted > 1_000)
    }
}

extension JSONWriter {
    fileprivate static func text(_ value: JSONValue) -> [UInt8] {
        var text = TextBuffer()
        text.appendJSON { $0.element(value) }
        return text.bytes
    }
}
