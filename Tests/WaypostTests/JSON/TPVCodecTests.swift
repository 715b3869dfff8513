import Testing
import Waypost
import WaypostTestKit

@Suite struct TPVCodecTests {
    private func written(_ report: PositionReport) -> String {
        var text = TextBuffer()
        switch report {
        case .position(let position): TPVCodec.append(position, to: &text)
        case .noFix(let report): TPVCodec.append(report, to: &text)
        case .sky(let sky): TPVCodec.append(sky, to: &text)
        }
        return text.string
    }

    private func decoded(_ text: String, line: Int = 1) throws(TPVError) -> PositionReport? {
        try TPVCodec.decode(Array(text.utf8), line: line)
    }

    private func position(_ text: String) throws -> Position {
        guard case .position(let position) = try decoded(text) else {
            Issue.record("not a position: \(text)")
            throw TPVError.notAnObject(line: 0)
        }
        return position
    }

    /// The place of a loss stands inside of its line: a search for fixes in the text must not find it.
    @Test func writesAPlaceInsideOfAnotherLineWithoutAClass() throws {
        var text = TextBuffer()
        let place = try full
        text.appendJSON { json in json.object { TPVCodec.write(place, to: &$0) } }
        #expect(text.string.hasPrefix(#"{"time":"#) && !text.string.contains("TPV"))
        #expect(try position(text.string) == full, "it is read as a position all the same")
    }

    private var full: Position {
        get throws {
            var position = Position(
                time: UTCTime(millisecondsSince1970: 1_795_260_808_250),
                coordinate: try #require(Coordinate(latitudeDegrees: 46.498293369, longitudeDegrees: -7.567411672)),
                mode: .threeDimensional, status: .differential)
            position.altitudeMSLMetres = 1_343.127
            position.altitudeHAEMetres = 1_391.2
            position.geoidSeparationMetres = 48.073
            position.speedMetresPerSecond = 0.091
            position.courseDegrees = 10.3788
            position.climbMetresPerSecond = -0.085
            position.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
            position.quality.eph = 6.8
            position.quality.epv = 9.1
            position.quality.eps = 0.5
            position.quality.hdop = 0.9
            position.quality.vdop = 1.1
            position.quality.pdop = 1.4
            position.quality.satellitesUsed = 9
            position.source = "gpsd://localhost:2947"
            position.isWeekRolloverCorrected = true
            return position
        }
    }

    // MARK: Writing

    @Test func writesEveryMemberByItsName() throws {
        let text = written(.position(try full))
        #expect(
            text == #"{"class":"TPV","time":"2026-11-21T11:33:28.250Z","mode":3,"status":2,"lat":46.498293369,"lon":-7.567411672,"#
                + #""altMSL":1343.127,"altHAE":1391.2,"geoidSep":48.073,"speed":0.091,"track":10.3788,"climb":-0.085,"#
                + #""accuracy":4.2,"accuracy_from":"gst","eph":6.8,"epv":9.1,"eps":0.5,"hdop":0.9,"vdop":1.1,"pdop":1.4,"#
                + #""satellites":9,"source":"gpsd://localhost:2947","rollover":true}"#)
    }

    @Test func leavesOutWhatIsNotKnown() throws {
        let coordinate = try #require(Coordinate(latitudeDegrees: 0, longitudeDegrees: 0))
        #expect(written(.position(Position(time: nil, coordinate: coordinate))) == #"{"class":"TPV","mode":2,"lat":0,"lon":0}"#)
        #expect(written(.noFix(NoFix(time: nil))) == #"{"class":"TPV","mode":1}"#)
        #expect(written(.sky(SkyView(time: nil, satellites: []))) == #"{"class":"SKY","satellites":[]}"#)
    }

    @Test func writesOtherClassesAndExtraMembers() throws {
        let coordinate = try #require(Coordinate(latitudeDegrees: 1.5, longitudeDegrees: -2))
        var text = TextBuffer()
        TPVCodec.append(Position(time: nil, coordinate: coordinate), to: &text, class: "WPT") { json in json.member("segment", 3) }
        #expect(text.string == #"{"class":"WPT","mode":2,"lat":1.5,"lon":-2,"segment":3}"#)
    }

    // MARK: There and back

    @Test func readsWhatItWrites() throws {
        let position = try full
        #expect(try decoded(written(.position(position))) == .position(position))
        let noFix = NoFix(time: UTCTime(millisecondsSince1970: 1_795_260_808_000), source: "nmea:a \"b\".log")
        #expect(try decoded(written(.noFix(noFix))) == .noFix(noFix))
        var sky = SkyView(time: noFix.time, satellites: [], source: "serial:auto")
        for constellation in [Constellation.gps, .sbas, .galileo, .beidou, .qzss, .glonass, .navic, .unknown] {
            var satellite = SatelliteView(constellation: constellation, number: 7, isUsed: constellation == .gps)
            satellite.elevationDegrees = 12
            satellite.azimuthDegrees = 359.5
            satellite.signalDecibelHertz = constellation == .gps ? 44 : nil
            sky.satellites.append(satellite)
        }
        sky.quality.hdop = 1.25
        sky.quality.satellitesUsed = 1
        #expect(try decoded(written(.sky(sky))) == .sky(sky))
    }

    @Test func keepsEveryDigitOfRandomPositions() throws {
        var generator = SeededGenerator(seed: 7_946)
        func measured(_ range: Range<Int>) -> Double { Double(Int.random(in: range, using: &generator)) / 1e6 }
        for _ in 0..<5_000 {
            let latitude = Double.random(in: -90...90, using: &generator)
            let longitude = Double.random(in: -180...180, using: &generator)
            var position = Position(
                time: UTCTime(millisecondsSince1970: .random(in: 0...4_000_000_000_000, using: &generator)),
                coordinate: try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)),
                status: FixStatus(rawValue: .random(in: 0...9, using: &generator)) ?? .unknown)
            position.altitudeHAEMetres = Bool.random(using: &generator) ? measured(-100_000_000_000..<100_000_000_000) : nil
            position.courseDegrees = measured(0..<360_000_000)
            position.accuracy = HorizontalAccuracy(radiusMetres: measured(0..<10_000_000_000), origin: .hdop)
            #expect(try decoded(written(.position(position))) == .position(position))
        }
    }

    @Test func writesNoDigitsOfArithmetic() throws {
        var position = Position(time: nil, coordinate: try #require(Coordinate(latitudeDegrees: 1.5, longitudeDegrees: -2)))
        position.speedMetresPerSecond = 40.744 * (1_852.0 / 3_600)
        position.altitudeHAEMetres = 0.1 + 0.2
        position.courseDegrees = 359.999_999_9
        position.quality.eph = 6.8 * 0.62
        let line = #"{"class":"TPV","mode":2,"lat":1.5,"lon":-2,"altHAE":0.3,"speed":20.960524,"track":0,"eph":4.216}"#
        #expect(written(.position(position)) == line)
    }

    // MARK: gpsd's own lines

    @Test func readsLinesOfGPSD() throws {
        let fix = try position(
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-03-01T06:00:00.000Z","ept":0.005,"lat":46.498293369,"#
                + #""lon":7.567411672,"alt":1343.127,"epx":15.319,"epy":17.054,"epv":124.484,"track":10.3788,"speed":0.091,"climb":-0.085,"#
                + #""eph":20.000,"eps":34.11,"ecefx":4200000.5,"leapseconds":18}"#)
        #expect(fix.mode == .threeDimensional)
        #expect(fix.status == .unknown)
        #expect(fix.altitudeMSLMetres == 1_343.127)
        #expect(fix.accuracy == HorizontalAccuracy(radiusMetres: 12.4, origin: .gpsd))
        #expect(fix.quality.eph == 20)
        #expect(fix.source == "/dev/ttyACM0")
        #expect(fix.time == UTCTime(year: 2026, month: 3, day: 1, millisecondOfDay: 21_600_000))
    }

    @Test func readsASkyOfGPSD() throws {
        let report = try decoded(
            #"{"class":"SKY","device":"/dev/ttyACM0","xdop":0.6,"hdop":1.1,"nSat":2,"uSat":1,"satellites":["#
                + #"{"PRN":5,"el":31.0,"az":116.0,"ss":28.0,"used":true,"gnssid":0,"svid":5},{"PRN":72,"used":false,"gnssid":6,"freqid":1}]}"#
        )
        guard case .sky(let sky) = report else {
            Issue.record("no sky")
            return
        }
        #expect(sky.satellites.map(\.number) == [5, 72])
        #expect(sky.satellites.map(\.constellation) == [.gps, .glonass])
        #expect(sky.satellites.map(\.isUsed) == [true, false])
        #expect(sky.satellites.map(\.elevationDegrees) == [31, nil])
        #expect(sky.quality.satellitesUsed == 1)
        #expect(sky.source == "/dev/ttyACM0")
    }

    @Test(arguments: [
        #"{"class":"VERSION","release":"3.22","proto_major":3}"#, #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"#,
        #"{"class":"WATCH","enable":true}"#, #"{"class":"AIS","lat":"x","lon":[],"mode":"?","status":"moored"}"#, "{}",
        #"{"time":"2026-03-01T06:00:00Z"}"#,
        #"{"satellites":[],"class":"POLL"}"#, #"{"class":"TOFF","real_sec":1}"#,
    ])
    func skipsOtherClasses(text: String) throws {
        #expect(try decoded(text) == nil)
    }

    @Test func isLenientWhereItSaysSo() throws {
        #expect(try position(#"{"lat":1,"lon":2}"#).mode == .twoDimensional)
        #expect(try position(#"{"lat":1,"lon":2,"class":"TPV","mode":2.0}"#).mode == .twoDimensional)
        #expect(try position(#"{"lat":1,"lon":2,"alt":3}"#).altitudeMSLMetres == 3)
        #expect(try position(#"{"lat":1,"lon":2,"alt":3,"altMSL":4}"#).altitudeMSLMetres == 4)
        #expect(try position(#"{"lat":1,"lon":2,"track":360}"#).courseDegrees == 0)
        #expect(try position(#"{"lat":1,"lon":2,"track":-1,"speed":-1}"#) == position(#"{"lat":1,"lon":2}"#))
        #expect(try position(#"{"lat":1,"lon":2,"speed":null,"time":null}"#) == position(#"{"lat":1,"lon":2}"#))
        #expect(try position(#"{"lat":1,"lon":2,"accuracy":5}"#).accuracy == HorizontalAccuracy(radiusMetres: 5, origin: .receiver))
        #expect(try position(#"{"lat":1,"lon":2,"accuracy":5,"eph":1,"accuracy_from":"hdop"}"#).accuracy?.origin == .hdop)
        #expect(try position(#"{"lat":1,"lon":2,"status":77}"#).status == .unknown)
        #expect(try position(#"{"l\u0061t":1,"lon":2}"#).coordinate.latitudeDegrees == 1)
        #expect(try decoded(#"{"mode":3}"#) == .noFix(NoFix(time: nil)))
        #expect(try decoded(#"{"class":"TPV","mode":1,"lat":1,"lon":2}"#) == .noFix(NoFix(time: nil)))
        #expect(try decoded(#"{"class":"TPV","mode":0}"#) == .noFix(NoFix(time: nil)))
        #expect(try decoded(#"{"class":"TPV"}"#) == .noFix(NoFix(time: nil)))
    }

    @Test(
        arguments: [
            ("[]", .notAnObject(line: 7)), ("3", .notAnObject(line: 7)),
            (#"{"lat":1}"#, .missing(member: "lon", line: 7)), (#"{"lon":1,"mode":3}"#, .missing(member: "lat", line: 7)),
            (#"{"lat":"bad","lon":2}"#, .wrongType(member: "lat", line: 7, column: 8)),
            (#"{"lat":90.0001,"lon":2}"#, .outOfRange(member: "lat", line: 7, column: 8)),
            (#"{"lat":1,"lon":-180.1}"#, .outOfRange(member: "lon", line: 7, column: 16)),
            (#"{"lat":1,"lon":2,"mode":4}"#, .outOfRange(member: "mode", line: 7, column: 25)),
            (#"{"lat":1,"lon":2,"mode":2.5}"#, .wrongType(member: "mode", line: 7, column: 25)),
            (#"{"lat":1,"lon":2,"time":"noon"}"#, .outOfRange(member: "time", line: 7, column: 25)),
            (#"{"lat":1,"lon":2,"time":12}"#, .wrongType(member: "time", line: 7, column: 25)),
            (#"{"lat":1,"lon":2,"speed":[1]}"#, .wrongType(member: "speed", line: 7, column: 26)),
            (#"{"lat":1,"lon":2,"satellites":-1}"#, .outOfRange(member: "satellites", line: 7, column: 31)),
            (#"{"lat":1,"lon":2,"accuracy":-1}"#, .outOfRange(member: "accuracy", line: 7, column: 29)),
            (#"{"class":7}"#, .wrongType(member: "class", line: 7, column: 10)),
            (#"{"class":"SKY","satellites":[{}]}"#, .missing(member: "PRN", line: 7)),
            (#"{"class":"SKY","satellites":[1]}"#, .wrongType(member: "satellites", line: 7, column: 30)),
            (#"{"class":"SKY","satellites":{}}"#, .wrongType(member: "satellites", line: 7, column: 29)),
        ] as [(String, TPVError)])
    func rejects(text: String, error: TPVError) {
        #expect(throws: error) { try decoded(text, line: 7) }
        #expect(error.line == 7)
    }

    @Test(arguments: [
        "", " ", "nonsense", #"{"class":"TPV","lat":1,"lon":2"#, #"{"class":"TPV","lat":NaN,"lon":2}"#, #"{"class":"TPV"} x"#,
        #"{"class":"VERSION""#, #"{"class":"SKY","satellites":[{"PRN":5,"el"#, #"{"lat":1,"lon":2}{"lat":1,"lon":2}"#,
    ])
    func saysWhereALineIsNotJSON(text: String) {
        let error = #expect(throws: TPVError.self) { try decoded(text, line: 12) }
        guard case .json(let json) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(json.line == 12)
    }

    /// What stands in another object, as in a status or in the outbox, is read without being written again.
    @Test func readsAnObjectInMemoryAsItsLine() throws {
        let lines = try [
            written(.position(full)), #"{"lat":1,"lon":2,"eph":10,"alt":7,"device":"/dev/ttyS0"}"#,
            #"{"mode":1,"time":"2026-11-21T11:33:28Z"}"#,
            #"{"class":"TPV","mode":3,"lat":1,"lon":2,"speed":-1,"track":360,"status":99,"extra":[{}],"epv":null}"#,
            #"{"class":"VERSION"}"#,
            #"{"a":1}"#,
        ]
        for line in lines { #expect(try TPVCodec.decode(JSONParser().parse(line)) == decoded(line)) }
        for line in [#"{"mode":2,"lat":91,"lon":0}"#, #"{"lat":1}"#, #"{"lat":"1","lon":2}"#, #"{"class":"TPV","mode":7}"#, "[]"] {
            #expect(throws: TPVError.self) { try TPVCodec.decode(JSONParser().parse(line)) }
        }
        var values = JSONObject()
        TPVCodec.write(try full, to: &values)
        values.member("class", "TPV")
        #expect(try JSONParser().parse(lines[0]) == .object(values.members))
    }

    /// Cut and scribbled lines end in an error or a report, and a report always holds finite numbers.
    @Test func survivesMutations() throws {
        let seed = Array(written(.position(try full)).utf8)
        var generator = SeededGenerator(seed: 11)
        var positions = 0
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            if Int.random(in: 0..<8, using: &generator) == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            do throws(TPVError) {
                guard case .position(let position) = try TPVCodec.decode(bytes) else { continue }
                positions += 1
                // The same object in memory tells the same.
                #expect(((try? JSONParser().parse(bytes)).flatMap { try? TPVCodec.decode($0) }) == .position(position))
                #expect(position.altitudeMSLMetres?.isFinite ?? true)
                #expect(position.courseDegrees.map { (0..<360).contains($0) } ?? true)
            } catch {
                #expect(error.line == 1)
            }
        }
        #expect(positions > 1_000)
    }
}
