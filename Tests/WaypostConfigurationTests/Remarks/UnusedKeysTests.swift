import Foundation
import Testing
import WaypostSystem

@testable import WaypostConfiguration

/// What stands in a configuration and does nothing.
@Suite struct UnusedKeysTests {
    private func remarks(_ text: String) throws -> [String] {
        let path = NSTemporaryDirectory() + "waypost-unused-\(UInt32.random(in: 0...(.max))).toml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        // What is left behind in the temporary folder does no harm.
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try Configuration.load(path: path, paths: .service).unusedKeys.map { String($0.dropFirst(path.count + 1)) }
    }

    @Test func namesKeysThatTheKindDoesNotUse() throws {
        let found = try remarks(
            """
            [[source]]
            url = "nmea-tcp://boat:10110"
            gpsd_user = "any"
            never_write = true
            [[destination]]
            name = "a"
            kind = "traccar"
            url = "http://127.0.0.1:1/"
            topic = "x/y"
            window = 3
            account = "x"
            user = "jane"
            [[destination]]
            name = "b"
            kind = "mqtt"
            url = "mqtt://127.0.0.1"
            headers = ["X-A: b"]
            tracker_id = "ab"
            [[destination]]
            name = "c"
            kind = "template"
            url = ""
            """)
        #expect(
            Set(found) == [
                #"3:1: [[source]] gpsd_user: is for gpsd: alone"#,
                #"4:1: [[source]] never_write: is for serial: alone"#,
                #"9:1: [[destination]] topic: kind "traccar" does not use it"#,
                #"10:1: [[destination]] window: kind "traccar" does not use it"#,
                #"11:1: [[destination]] account: kind "traccar" does not use it"#,
                #"12:1: [[destination]] user: is not used without password_file"#,
                #"17:1: [[destination]] headers: is for web servers; a broker does not use it"#,
                #"18:1: [[destination]] tracker_id: kind "mqtt" does not use it"#,
                #"22:1: [[destination]] url: is empty, so nothing is sent to "c""#,
            ], "\(found)")
    }

    @Test(arguments: [
        "kind = \"owntracks\"\nurl = \"mqtts://h\"\nuser = \"u\"\ntracker_id = \"ab\"\nwindow = 3\npresence = true",
        "kind = \"mqtt\"\nurl = \"mqtt://h\"\ntopic = \"x\"\nretain = true\nreceipt_timeout = 9\nclient_id = \"c\"\nuser = \"u\"",
        "kind = \"http\"\nurl = \"http://h/\"\ngzip = true\nheaders = [\"X-A: b\"]\nuser = \"u\"\npassword_file = \"/x\"",
        "kind = \"tealium\"\nurl = \"http://h/\"\naccount = \"a\"\nprofile = \"p\"\nvisitor_id = \"v\"\npositions = false",
    ]) func saysNothingOfWhatIsUsed(section: String) throws {
        #expect(try remarks("[[source]]\nurl = \"serial:auto\"\nnever_write = true\n[[destination]]\nname = \"a\"\n" + section) == [])
    }
}
