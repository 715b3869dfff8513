import Testing
import Waypost

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var text = TextBuffer()
        text.appendJSON(write)
        return text.string
    }

    @Test func placesCommas() {
        let text = written { json in
            json.object { json in
                json.member("a", 1)
                json.member("b", "x")
                json.array("c") { json in
                    json.element(1)
                    json.element(2.5)
                    json.object { _ in }
                    json.array { _ in }
                    json.element(false)
                }
                json.object("d") { json in json.member("e", true) }
                json.array("f") { _ in }
                json.member("g", json: "[1]".utf8)
                json.member("h", .null)
            }
        }
        #expect(text == #"{"a":1,"b":"x","c":[1,2.5,{},[],false],"d":{"e":true},"f":[],"g":[1],"h":null}"#)
    }

    @Test func leavesOutWhatIsNotKnown() {
        let text = written { json in
            json.object { json in
                json.member("a", nil as Double?)
                json.member("b", Double.nan)
                json.member("c", -Double.infinity)
                json.member("d", nil as String?)
                json.member("e", nil as Int?)
                json.member("f", nil as Bool?)
                json.member("g", nil as UTCTime?)
                json.member("h", nil as JSONValue?)
            }
        }
        #expect(text == "{}")
    }

    @Test func escapesStrings() {
        let text = written { $0.element("\"\\/\u{8}\n\r\t\u{1}\u{1F}\u{7F}é😀") }
        #expect(text == #""\"\\/\u0008\n\r\t\u0001\u001f\u007fé😀""#)
    }

    @Test func endsWithAQuoteInAStringBeforeAComma() {
        let text = written { json in
            json.array { json in
                json.element("[")
                json.element(",")
                json.element("x:")
            }
        }
        #expect(text == #"["[",",","x:"]"#)
    }

    @Test func writesLines() throws {
        var text = TextBuffer()
        for number in 1...2 {
            text.appendJSON { json in
                json.object { json in
                    json.member("n", number)
                    json.member("time", UTCTime(millisecondsSince1970: 250))
                }
            }
            text.append("\n")
        }
        #expect(
            text.string == #"""
                {"n":1,"time":"1970-01-01T00:00:00.250Z"}
                {"n":2,"time":"1970-01-01T00:00:00.250Z"}

                """#)
    }

    @Test func writesObjectsInTheOrderOfTheirNames() {
        let value = JSONValue.object(["b": .integer(1), "a": .array([.null, .number(0.5)]), "c": .string("x")])
        #expect(written { $0.element(value) } == #"{"a":[null,0.5],"b":1,"c":"x"}"#)
        // JSON has no such numbers.
        #expect(written { $0.element(JSONValue.array([.number(.nan), .number(-.infinity)])) } == "[null,null]")
    }
}
