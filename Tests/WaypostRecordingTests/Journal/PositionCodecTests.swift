import Testing
import Waypost

@testable import WaypostRecording

@Suite struct PositionCodecTests {
    private func roundTrip(_ position: Position, headerSource: String? = nil) -> Position? {
        var bytes: [UInt8] = []
        PositionCodec.append(position, source: headerSource, to: &bytes)
        var input = JournalInput(bytes[...])
        let back = PositionCodec.decode(&input, source: headerSource)
        #expect(input.rest.isEmpty)
        return back
    }

    @Test func keepsEverything() {
        var position = Sample.position(second: 1)
        position.isWeekRolloverCorrected = true
        position.status = .rtkFloat
        #expect(roundTrip(position) == position)
        #expect(roundTrip(position, headerSource: position.source) == position)
        #expect(roundTrip(position, headerSource: "another") == position)
        #expect(roundTrip(Sample.bare()) == Sample.bare())
    }

    @Test func keepsEveryOriginModeAndStatus() {
        for origin in HorizontalAccuracy.Origin.allCases {
            var position = Sample.bare()
            position.accuracy = HorizontalAccuracy(radiusMetres: 0.1 + 0.2, origin: origin)
            #expect(roundTrip(position) == position)
        }
        for raw in 0...9 {
            var position = Sample.bare()
            position.status = FixStatus(rawValue: raw) ?? .unknown
            position.mode = raw % 2 == 0 ? .twoDimensional : .threeDimensional
            #expect(roundTrip(position) == position && position.status.rawValue == raw)
        }
    }

    @Test func keepsDoublesBitByBit() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            var position = Sample.bare(
                latitude: .random(in: -90...90, using: &generator),
                longitude: (Double.random(in: -180...180, using: &generator) * 1e7).rounded() / 1e7)
            let any = Double(bitPattern: generator.next())
            position.altitudeMSLMetres = any.isFinite ? any : -0.0
            position.climbMetresPerSecond = Double(Int.random(in: -9_999...9_999, using: &generator)) / 100
            let back = roundTrip(position)
            func bits(_ position: Position?) -> [UInt64?] {
                [
                    position?.coordinate.latitudeDegrees, position?.coordinate.longitudeDegrees, position?.altitudeMSLMetres,
                    position?.climbMetresPerSecond,
                ].map { $0?.bitPattern }
            }
            if bits(back) != bits(position) { Issue.record("\(position) became \(String(describing: back))") }
        }
    }

    @Test func treatsWhatIsNoNumberAsUnknown() {
        var position = Sample.position(second: 0)
        position.speedMetresPerSecond = .nan
        position.quality.hdop = .infinity
        position.accuracy?.radiusMetres = .nan
        position.time = UTCTime(millisecondsSince1970: .min)
        var expected = position
        expected.speedMetresPerSecond = nil
        expected.quality.hdop = nil
        expected.accuracy = nil
        expected.time = nil
        #expect(roundTrip(position) == expected)
    }

    @Test func ignoresFieldsOfLaterVersions() {
        // A bit that this version does not know, and its field after ours.
        let bytes: [UInt8] = [0x12, 0x81, 0x80, 0x80, 0x80, 0x10, 0, 47, 0, 9, 0, 99, 99]
        var input = JournalInput(bytes[...])
        var expected = Sample.bare()
        expected.status = .gps
        expected.time = UTCTime(millisecondsSince1970: 0)
        #expect(PositionCodec.decode(&input, source: nil) == expected)
        #expect(Array(input.rest) == [99, 99])
    }

    @Test func takesAtMost120BytesForATypicalFix() {
        var bytes: [UInt8] = []
        let position = Sample.position(second: 0)
        JournalCodec.append(JournalRecord(sequence: 2_600_000, content: .position(position)), source: position.source, to: &bytes)
        #expect(bytes.count <= 90, "\(bytes.count) bytes")
        bytes = []
        JournalCodec.append(JournalRecord(sequence: 2_600_000, content: .position(position)), source: nil, to: &bytes)
        #expect(bytes.count <= 120, "\(bytes.count) bytes")
    }
}
