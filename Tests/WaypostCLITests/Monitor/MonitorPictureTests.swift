import Testing
import Waypost
import WaypostControl

@testable import WaypostCLI

/// The picture of `waypost monitor`: it fills every screen exactly, shows what matters first, and lets no text of others steer the terminal.
@Suite struct MonitorPictureTests {
    private static let clock = UTCTime(millisecondsSince1970: 1_772_366_403_000)

    /// A tracker with everything: a fix, satellites, fences, events, two destinations and a problem.
    private static let lines = [
        #"{"class":"STATUS","version":"0.1.0","pid":7,"uptime":60,"health":"degraded","problems":["lab: refused: who are you?"],"#
            + #""source":{"url":"serial:///dev/ttyACM0","state":"fix"},"fences":{"count":3,"inside":["Yard"],"events":[]},"#
            + #""destinations":[{"name":"home","state":"waiting","events":1,"positions":11,"dead_letters":0,"sent":40,"dropped":0,"late":0,"#
            + #""next_seconds":40},{"name":"lab","state":"failing","events":0,"positions":3,"dead_letters":0,"sent":0,"dropped":0,"late":0,"#
            + #""reason":"401: who are you?"}],"log":{"directory":"/var/log/waypost","recording":true,"durable":true,"unfinished_tracks":0,"#
            + #""positions":60,"events":2,"segments":1,"untimed":0,"not_measured":0,"repeated":0,"failed":0,"deleted_tracks":0,"bytes":3720,"#
            + #""fsyncs":6,"writes":{"fsyncs":6,"journal_bytes":1,"gpx_bytes":1,"other_bytes":1},"thinned":0}}"#,
        #"{"class":"SKY","satellites":[{"PRN":5,"el":12,"az":123,"ss":24,"used":false,"gnssid":0},"#
            + #"{"PRN":12,"el":71,"az":45,"ss":43,"used":true,"gnssid":2}]}"#,
        #"{"class":"FENCES","total":3,"fences":[{"id":"1","name":"Yard","shape":"circle","radius":50,"lat":47,"lon":8,"inside":true,"distance":-12},"#
            + #"{"id":"2","name":"Home","shape":"circle","radius":50,"lat":47,"lon":8,"inside":false,"distance":1240}]}"#,
        #"{"class":"EVENT","id":"a","time":"2026-03-01T11:59:00Z","event":"enter","fence":"Yard","visit":7,"reason":"crossed"}"#,
        #"{"class":"EVENT","id":"b","time":"2026-03-01T11:59:30Z","event":"dwell","fence":"Yard","visit":7,"reason":"crossed"}"#,
        #"{"class":"TPV","mode":3,"time":"2026-03-01T12:00:00Z","lat":47.378,"lon":8.54,"altMSL":408.4,"speed":12,"track":127,"accuracy":3.2,"#
            + #""accuracy_from":"receiver","satellites":13}"#,
    ]

    private static func state(after lines: [String]) -> MonitorState {
        var state = MonitorState(at: 1_000)
        for line in lines { state.process(Array(line.utf8), at: 1_000) }
        return state
    }

    private static func picture(_ lines: [String], columns: Int, rows: Int, at now: Int64 = 1_000) -> [MonitorLine] {
        MonitorPicture(state(after: lines), ScreenFormat(), at: now, clock: clock).lines(columns: columns, rows: rows)
    }

    @Test(arguments: [[], lines, [#"{"class":"LOST","reason":"no_fix","detail":"the receiver has no fix"}"#]])
    func fillsEveryScreenExactly(lines: [String]) {
        for columns in [1, 2, 7, 20, 39, 69, 70, 80, 109, 110, 120, 200] {
            for rows in 1...60 {
                let picture = MonitorPictureTests.picture(lines, columns: columns, rows: rows)
                #expect(picture.count == rows && picture.allSatisfy { $0.width == columns }, "\(columns) x \(rows)")
                #expect(picture.allSatisfy { displayWidth($0.text) == columns }, "\(columns) x \(rows)")
            }
        }
    }

    @Test func showsEverythingOnTheUsualScreen() {
        let text = MonitorPictureTests.picture(MonitorPictureTests.lines, columns: 80, rows: 24).map(\.text)
        for words in [
            "degraded", "47.378000 N 8.540000 E, 408 m, ±3.2 m", "3D, 43.2 km/h, 127°, 13 satellites", "1 used of 2",
            "E  12  43  ████████··   71°  45°", "● inside, 12 m  Yard", "○ 1.2 km away  Home", "11:59:30  dwell Yard",
            "home  12 waiting, 40 sent, next in 40 s",
            "failing: 401: who are you?", "this run recorded 60 positions", "! lab: refused: who are you?",
        ] { #expect(text.contains { $0.contains(words) }, "\(words)") }
        // The newest event, the nearest fence and the satellite in use come first.
        #expect(order(of: ["11:59:30", "11:59:00"], in: text) && order(of: ["inside, 12 m  Yard", "1.2 km away  Home"], in: text))
        #expect(order(of: ["E  12", "G   5"], in: text))
    }

    /// An event of another day has its day, and a narrow screen the keys rather than the name.
    @Test func saysWhatANarrowScreenNeeds() {
        let event = #"{"class":"EVENT","id":"c","time":"2026-02-28T11:59:00Z","event":"exit","fence":"Yard","visit":6,"reason":"crossed"}"#
        let text = MonitorPictureTests.picture(MonitorPictureTests.lines + [event], columns: 40, rows: 30).map(\.text)
        #expect(text[0].contains("degraded") && text[0].contains("q quit") && text[0].contains("12:00:03"))
        #expect(text.contains { $0.contains("2026-02-28 11:59:00  exit Yard") })
    }

    /// A user who may know only roughly is not told that there is nothing.
    @Test func saysWhatMayNotBeKnown() {
        let status = #"{"class":"STATUS","version":"0.1.0","pid":7,"uptime":60,"health":"healthy"}"#
        let text = MonitorPictureTests.picture([status], columns: 80, rows: 40).map(\.text)
        for words in ["none yet", "no destinations", "no satellites reported", "waiting for the tracker"] {
            #expect(!text.contains { $0.contains(words) }, "\(words)")
        }
        #expect(text.count { $0.contains("may not be known to you") } >= 4, "\(text)")
    }

    @Test func knowsWhenNothingMayBeKnownAnyMore() {
        func isRevoked(_ level: String) -> Bool {
            let line = #"{"class":"AUTHORISATION_CHANGE","level":"\#(level)","scope":"attached"}"#
            return MonitorPictureTests.state(after: MonitorPictureTests.lines + [line]).isRevoked
        }
        #expect(isRevoked("none") && isRevoked("not_determined") && !isRevoked("reduced") && !isRevoked("full"))
    }

    @Test func namesTheRoadWhilePositionsArePutOnRoads() {
        let matched =
            #"{"class":"MATCHED","position":{"mode":3,"lat":47.378,"lon":8.54},"confidence":0.97,"offset_m":3,"#
            + #""road":{"way_id":7,"name":"Hauptstraße","class":"primary","oneway":false,"speed_kmh":50}}"#
        let lost = #"{"class":"LOST","reason":"no_fix","detail":"the receiver has no fix"}"#
        let road = "on Hauptstraße (primary, 50"
        func shows(_ lines: [String], _ words: String) -> Bool {
            MonitorPictureTests.picture(MonitorPictureTests.lines + lines, columns: 80, rows: 24).contains { $0.text.contains(words) }
        }
        #expect(shows([matched], road) && !shows([matched, #"{"class":"MATCHED"}"#], road))
        #expect(shows([#"{"class":"MATCHED"}"#], "off the roads") && !shows([], "off the roads") && !shows([matched, lost], road))
        let reduced = #"{"class":"AUTHORISATION_CHANGE","level":"reduced","scope":"always"}"#
        #expect(!shows([matched, reduced], road))
    }

    /// A number that is cut off looks like a smaller one.
    @Test func showsANumberWhole() {
        let status = MonitorPictureTests.lines[0].replacing(#""sent":40,"#, with: #""sent":40000,"#)
        let text = MonitorPictureTests.picture([status], columns: 80, rows: 24).map(\.text)
        #expect(text.contains { $0.contains("home  12 waiting, 40000 sent ") } && text.contains { $0.contains("  next in 40 s") })
    }

    @Test func saysWhatItDoesNotShow() {
        let sky = (1...30).map { #"{"PRN":\#($0),"el":12,"az":123,"ss":24,"used":true,"gnssid":0}"# }.joined(separator: ",")
        let text = MonitorPictureTests.picture([#"{"class":"SKY","satellites":[\#(sky)]}"#], columns: 80, rows: 24).map(\.text)
        let shown = text.count { $0.contains("24  ████") }
        #expect(shown > 10 && text.contains { $0.contains("… and \(30 - shown) more") })
    }

    @Test func saysThatTheTrackerIsSilentAndHowOldTheFixIs() {
        let text = MonitorPictureTests.picture(MonitorPictureTests.lines, columns: 80, rows: 24, at: 13_000).map(\.text)
        #expect(text[0].contains("the tracker has not answered for 12 s"))
        #expect(text.contains { $0.contains("at 2026-03-01 12:00:00, 12 s ago") })
    }

    @Test func forgetsAPositionThatIsLost() {
        let loss =
            #"{"class":"LOST","reason":"silent","detail":"the source is silent","last":{"mode":2,"lat":47.378,"lon":8.54},"last_age":5}"#
        let text = MonitorPictureTests.picture(MonitorPictureTests.lines + [loss], columns: 80, rows: 24).map(\.text)
        #expect(text.contains { $0.contains("no position: the source is silent") })
        #expect(text.contains { $0.contains("last at 47.378000 N 8.540000 E, 5 s ago") } && !text.contains { $0.contains("43.2 km/h") })
    }

    @Test func letsNoNameSteerTheTerminal() {
        let name = #"\u001b[2J\u009b1m\u202e\u0007\nx"#
        let hostile = [
            #"{"class":"FENCES","total":1,"fences":[{"id":"1","name":"\#(name)","shape":"circle","radius":5,"lat":4,"lon":8,"distance":1}]}"#,
            #"{"class":"EVENT","id":"a","time":"2026-03-01T11:59:00Z","event":"enter","fence":"\#(name)","visit":7,"reason":"crossed"}"#,
            #"{"class":"LOST","reason":"silent","detail":"\#(name)"}"#,
        ]
        let status = MonitorPictureTests.lines[0].replacing("who are you?", with: name).replacing("home", with: name)
            .replacing("/var/log/waypost", with: name).replacing("ttyACM0", with: name)
        let picture = MonitorPictureTests.picture([status] + hostile, columns: 120, rows: 40)
        #expect(picture.contains { $0.text.contains("[2J") })
        for line in picture {
            #expect(!line.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || $0.value == 0x202E })
            #expect(line.width == 120)
        }
    }

    private func order(of words: [String], in text: [String]) -> Bool {
        let places = words.map { word in text.firstIndex { $0.contains(word) } ?? -1 }
        return places.first != -1 && places == places.sorted()
    }
}
