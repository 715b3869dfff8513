import Testing
import Waypost
import WaypostTestKit

@Suite struct NMEAWriterTests {
    private func text(_ write: (NMEAWriter, inout TextBuffer) -> Void) -> String {
        var text = TextBuffer()
        write(NMEAWriter(), &text)
        return text.string
    }

    private func position(_ latitude: Double = 47.4687243, _ longitude: Double = 8.2520576) throws -> Position {
        let coordinate = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
        var position = Position(
            time: UTCTime(millisecondsSince1970: 1_772_367_300_250), coordinate: coordinate, mode: .threeDimensional, status: .gps)
        position.altitudeMSLMetres = 512.3
        position.geoidSeparationMetres = 47.3
        position.speedMetresPerSecond = 0.3
        position.courseDegrees = 96.13
        position.accuracy = HorizontalAccuracy(radiusMetres: 3.2, origin: .gst)
        position.quality.satellitesUsed = 9
        position.quality.hdop = 0.9
        position.quality.vdop = 1.25
        position.quality.pdop = 1.5
        return position
    }

    @Test func writesTheSentencesOfAFix() throws {
        let position = try position()
        #expect(
            text { $0.position(position, into: &$1) } == """
                $GPGGA,121500.25,4728.123458,N,00815.123456,E,1,09,0.90,512.3,M,47.3,M,,*52\r
                $GPRMC,121500.25,A,4728.123458,N,00815.123456,E,0.583,96.13,010326,,,A*50\r
                $GPVTG,96.13,T,,M,0.583,N,1.080,K,A*07\r
                $GPGST,121500.25,,2.112,2.112,0.0,2.112,2.112,*57\r
                $GPGSA,A,3,,,,,,,,,,,,,1.50,0.90,1.25*09\r\n
                """)
    }

    @Test func writesOnlyWhatIsKnown() throws {
        let coordinate = try #require(Coordinate(latitudeDegrees: -0.5, longitudeDegrees: -0.25))
        let bare = text { $0.position(Position(time: nil, coordinate: coordinate), into: &$1) }
        #expect(bare.contains("GPGGA,,0030.000000,S,00015.000000,W,1,,,,M,,M,,*"))
        #expect(bare.contains("GPRMC,,A,0030.000000,S,00015.000000,W,,,,,,A*"))
        #expect(!bare.contains("VTG") && !bare.contains("GST"))
        #expect(bare.contains("GPGSA,A,2,,,,,,,,,,,,,,,*"))
    }

    @Test func saysThatThereIsNoFix() {
        let lost = text { $0.noFix(NoFix(time: UTCTime(millisecondsSince1970: 1_772_367_300_000)), into: &$1) }
        let decoded = DecodedNMEA(text: lost)
        #expect(decoded.epochs.count == 1 && decoded.positions.isEmpty)
        #expect(decoded.times == ["2026-03-01T12:15:00.000Z"])
        #expect(decoded.counters.sentences == 2)
    }

    @Test func readsBackWithinTheResolutionOfTheFormat() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let original = try random(&generator)
            let written = text { $0.position(original, into: &$1) }
            #expect(written.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 80 }, "\(written)")
            let decoded = DecodedNMEA(text: written)
            #expect(decoded.counters.summary.isEmpty, "\(written)")
            let back = try #require(decoded.position)
            #expect(back.time == original.time)
            #expect(abs(back.coordinate.latitudeDegrees - original.coordinate.latitudeDegrees) < 1e-8)
            #expect(abs(back.coordinate.longitudeDegrees - original.coordinate.longitudeDegrees) < 1e-8)
            #expect(back.mode == original.mode && back.status == original.status)
            if original.mode == .threeDimensional {
                #expect(near(back.altitudeMSLMetres, original.altitudeMSLMetres, 0.051))
                #expect(near(back.geoidSeparationMetres, original.geoidSeparationMetres, 0.051))
            }
            #expect(near(back.speedMetresPerSecond, original.speedMetresPerSecond, 0.000_3))
            #expect(near(back.courseDegrees, original.courseDegrees, 0.005_1))
            #expect(near(back.accuracy?.radiusMetres, original.accuracy?.radiusMetres, 0.002))
            #expect(back.quality.satellitesUsed == original.quality.satellitesUsed)
            #expect(near(back.quality.hdop, original.quality.hdop, 0.005_1))
            #expect(near(back.quality.vdop, original.quality.vdop, 0.005_1))
            #expect(near(back.quality.pdop, original.quality.pdop, 0.005_1))
        }
    }

    @Test func keepsEveryStatusThatGGAKnows() throws {
        for status in [FixStatus.gps, .differential, .precise, .rtkFixed, .rtkFloat, .deadReckoning, .simulated] {
            var fix = try position()
            fix.status = status
            #expect(DecodedNMEA(text: text { $0.position(fix, into: &$1) }).position?.status == status)
        }
    }

    @Test func carriesMinutesThatRoundUpIntoTheDegrees() throws {
        let coordinate = try #require(Coordinate(latitudeDegrees: 46.999_999_999_9, longitudeDegrees: 179.999_999_999_9))
        let written = text { $0.position(Position(time: nil, coordinate: coordinate), into: &$1) }
        #expect(written.contains("4700.000000,N,18000.000000,E"))
    }

    @Test func leavesOutWhatIsNoMeasurement() throws {
        var fix = try position()
        fix.speedMetresPerSecond = -1
        fix.courseDegrees = .infinity
        fix.altitudeMSLMetres = 1e300
        fix.quality.satellitesUsed = -3
        fix.quality.hdop = 99.99
        fix.time = UTCTime(millisecondsSince1970: .max)
        let decoded = DecodedNMEA(text: text { $0.position(fix, into: &$1) })
        #expect(decoded.counters.summary.isEmpty)
        let back = try #require(decoded.position)
        #expect(back.time == nil && back.speedMetresPerSecond == nil && back.courseDegrees == nil)
        #expect(back.altitudeMSLMetres == nil && back.quality.satellitesUsed == nil && back.quality.hdop == nil)
    }

    private func random(_ generator: inout SeededGenerator) throws -> Position {
        func maybe(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &generator) ? Double.random(in: range, using: &generator) : nil
        }
        let coordinate = try #require(
            Coordinate(
                latitudeDegrees: .random(in: -90...90, using: &generator), longitudeDegrees: .random(in: -180...180, using: &generator)))
        var position = Position(
            time: UTCTime(millisecondsSince1970: .random(in: 0...3_000_000_000_000, using: &generator)), coordinate: coordinate,
            mode: Bool.random(using: &generator) ? .twoDimensional : .threeDimensional,
            status: [.gps, .differential, .rtkFixed].randomElement(using: &generator) ?? .gps)
        if position.mode == .threeDimensional {
            position.altitudeMSLMetres = maybe(-400...9_000)
            position.geoidSeparationMetres = maybe(-107...86)
        }
        position.speedMetresPerSecond = maybe(0...100)
        position.courseDegrees = maybe(0...359.99)
        position.quality.satellitesUsed = Bool.random(using: &generator) ? Int.random(in: 4...40, using: &generator) : nil
        position.quality.hdop = maybe(0.3...30)
        position.quality.vdop = maybe(0.3...30)
        position.quality.pdop = maybe(0.3...30)
        if let hdop = position.quality.hdop, Bool.random(using: &generator) {
            position.accuracy = HorizontalAccuracy(
                radiusMetres: RangeErrorModel.radius68(hdop: (hdop * 100).rounded() / 100, status: position.status), origin: .hdop)
        } else {
            position.accuracy = HorizontalAccuracy(radiusMetres: .random(in: 0.002...300, using: &generator), origin: .gst)
        }
        return position
    }

    private func near(_ first: Double?, _ second: Double?, _ tolerance: Double) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return abs(first - second) <= tolerance
    }
}
