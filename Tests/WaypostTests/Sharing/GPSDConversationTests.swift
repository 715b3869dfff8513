import Testing
import Waypost

/// What clients send, as it was captured from them, and what they got from gpsd 3.22 (Debian 12).
@Suite struct GPSDConversationTests {
    private static let now = UTCTime(millisecondsSince1970: 1_764_075_609_554)

    /// A client with what it has been answered.
    private struct Client {
        var conversation = GPSDConversation()
        var state = SharedState()

        mutating func send(_ text: String) -> [String] {
            conversation.process(Array(text.utf8).span, showing: state, version: "1.0", at: GPSDConversationTests.now)
                .map { String(decoding: $0, as: UTF8.self) }
        }

        /// The classes of the answers.
        mutating func classes(_ text: String) -> [String] {
            send(text).map { String($0.dropFirst(10).prefix { $0 != "\"" }) }
        }
    }

    private static let watchJSON = """
        {"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}\r\n
        """

    @Test func greetsAsGPSDDoes() {
        #expect(
            String(decoding: GPSDWriter.version("1.0"), as: UTF8.self)
                == "{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"waypost 1.0\",\"proto_major\":3,\"proto_minor\":14}\r\n")
    }

    @Test(arguments: [
        // cgps, gpspipe -w, gpxlogger; gps3, which sends neither `;` nor a line feed and waits; gpscsv.
        "?WATCH={\"enable\":true,\"json\":true};\n", "?WATCH={\"enable\":true,\"json\":true}", "?WATCH={\"enable\":true,\"json\":true}\n",
        " ?WATCH= {\"json\":true}\r\n", "?WATCH={\"json\":true,\"new\":[{\"x\":\"}\"}]};",
    ])
    func startsAWatch(request: String) {
        var client = Client()
        let answers = client.send(request)
        #expect(
            answers.count == 2 && answers[0].hasPrefix("{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"waypost\"}]}"))
        #expect(answers.last == Self.watchJSON)
        #expect(client.conversation.watch.sendsJSON && !client.conversation.watch.sendsNMEA)
    }

    @Test(arguments: [1, 2, 3, 7]) func reassemblesWhatComesInPieces(length: Int) {
        let requests = Array("?VERSION;?WATCH={\"enable\":true,\"json\":true};\r\n?DEVICES;\n".utf8)
        var client = Client()
        var classes: [String] = []
        for start in stride(from: 0, to: requests.count, by: length) {
            classes += client.classes(String(decoding: requests[start..<min(start + length, requests.count)], as: UTF8.self))
        }
        #expect(classes == ["VERSION", "DEVICES", "WATCH", "DEVICES"])
    }

    @Test func givesNMEAForEachWayOfAskingForIt() {
        for request in ["?WATCH={\"enable\":true,\"nmea\":true}", "?WATCH={\"raw\":1};", "?WATCH={\"raw\":2,\"pps\":true}\r\n"] {
            var client = Client()
            #expect(client.classes(request) == ["DEVICES", "WATCH"])
            #expect(client.conversation.watch.sendsNMEA && !client.conversation.watch.sendsJSON, "\(request)")
        }
    }

    @Test func keepsSettingsUntilTheyAreChanged() {
        var client = Client()
        _ = client.send("?WATCH={\"enable\":true,\"json\":true};")
        #expect(client.send("?WATCH={\"enable\":false};").last?.contains("\"enable\":false,\"json\":true") == true)
        #expect(!client.conversation.watch.isOn && !client.conversation.watch.sendsJSON)
        _ = client.send("?WATCH={\"enable\":1};")
        #expect(!client.conversation.watch.isOn)
        _ = client.send("?WATCH;")
        #expect(!client.conversation.watch.isOn)
        _ = client.send("?WATCH={};")
        #expect(client.conversation.watch.sendsJSON)
    }

    @Test func tellsWhatItDoesNotKnow() {
        var client = Client()
        #expect(client.send("?FOO;\n") == ["{\"class\":\"ERROR\",\"message\":\"Unrecognized request '?FOO'\"}\r\n"])
        #expect(client.classes("hello\r\n\n;") == [])
        #expect(client.classes("?WATCH={bad};?watch;") == ["ERROR", "DEVICES", "WATCH", "ERROR"])
        #expect(client.send("?WATCH={\"device\":\"/dev/x\"};") == ["{\"class\":\"ERROR\",\"message\":\"No such device as /dev/x\"}\r\n"])
        #expect(!client.conversation.watch.isOn)
        #expect(
            client.send("?DEVICE={\"path\":\"/dev/x\",\"bps\":9600};") == ["{\"class\":\"ERROR\",\"message\":\"Can't open /dev/x.\"}\r\n"])
        #expect(client.classes("?DEVICE={\"bps\":9600};?DEVICE;") == ["DEVICE", "DEVICE"])
        let long = client.classes("?WATCH={\"device\":\"" + String(repeating: "a", count: 5_000)) + client.classes("\"};\n?VERSION;")
        #expect(long == ["ERROR", "VERSION"])
    }

    @Test func answersAFloodInSteps() {
        var client = Client()
        #expect(client.send(String(repeating: "?POLL;", count: 100)).count == GPSDConversation.answersAtOnce)
        var count = GPSDConversation.answersAtOnce
        while client.conversation.isBehind { count += client.send("").count }
        #expect(count == 100)
    }

    @Test func findsADeviceByAnyOfItsNames() {
        var client = Client()
        client.state.setDevice("/dev/ttyACM0", aliases: ["/dev/serial/by-id/x"])
        for name in ["/dev/ttyACM0", "/dev/serial/by-id/x"] {
            #expect(client.send("?WATCH={\"device\":\"\(name)\"}").last?.hasSuffix("\"device\":\"\(name)\"}\r\n") == true)
        }
        // libgps has no room for more; a name with a line end would not be one line.
        for path in ["/dev/" + String(repeating: "x", count: 130), "/dev/a\nb"] {
            client.state.setDevice(path)
            #expect(client.state.device == SharedState.anonymousDevice)
        }
    }

    @Test func answersAPollOnlyOfAWatch() throws {
        var client = Client()
        let time = "\"time\":\"2025-11-25T13:00:09.554Z\""
        #expect(client.send("?POLL;") == ["{\"class\":\"POLL\",\(time),\"active\":0,\"tpv\":[],\"gst\":[],\"sky\":[]}\r\n"])
        _ = client.send("?WATCH={\"enable\":true}\n")
        #expect(!client.conversation.watch.sendsJSON)
        // gpsd-py3 fails without these: a TPV with a mode, and a SKY.
        let empty = """
            {"class":"POLL",\(time),"active":1,"tpv":[{"class":"TPV","device":"waypost","mode":1}],\
            "gst":[{"class":"GST","device":"waypost"}],"sky":[{"class":"SKY","device":"waypost"}]}\r\n
            """
        #expect(client.send("?POLL;") == [empty])
        var position = Position(time: nil, coordinate: try #require(Coordinate(latitudeDegrees: 1.5, longitudeDegrees: -2)))
        position.speedMetresPerSecond = 3
        _ = client.state.process(position, at: Self.now)
        let found = client.send("?POLL;")
        #expect(found.first?.contains("\"mode\":2,\"lat\":1.500000000,\"lon\":-2.000000000,\"speed\":3.000}]") == true)
    }
}
