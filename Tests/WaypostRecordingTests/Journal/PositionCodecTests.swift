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

    /// All numbers bit by bit: zeros differ by their sign.
    private func bits(_ position: Position?) -> [UInt64?] {
        let quality = position?.quality
        return [
            position?.coordinate.latitudeDegrees, position?.coordinate.longitudeDegrees, position?.altitudeMSLMetres,
            position?.altitudeHAEMetres, position?.geoidSeparationMetres, position?.speedMetresPerSecond, position?.courseDegrees,
            position?.climbMetresPerSecond, position?.accuracy?.radiusMetres, quality?.eph, quality?.epv, quality?.eps, quality?.hdop,
            quality?.vdop, quality?.pdop,
        ].map { $0?.bitPattern }
    }

    @Test func keepsEverything() {
        var position = Sample.position(second: 1)
        position.isWeekRolloverCorrected = true
        position.status = .rtkFloat
        position.time = position.time?.advanced(byMilliseconds: 7)
        #expect(roundTrip(position) == position)
        #expect(roundTrip(position, headerSource: position.source) == position)
        #expect(roundTrip(position, headerSource: "another") == position)
        #expect(roundTrip(Sample.bare()) == Sample.bare())
        #expect(roundTrip(Sample.bare(), headerSource: "another") == Sample.bare())
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
            if bits(back) != bits(position) { Issue.record("\(position) became \(String(describing: back))") }
        }
    }

    @Test func keepsFiguresThatFollowFromOthersAndThoseThatNearlyDo() {
        var generator = SeededGenerator(seed: 20)
        func figure() -> Double? {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: nil
            case 1: .random(in: -1e6...1e6, using: &generator)
            case 2: -0.0
            case 3: 0x1p52
            default:
                Double(Int.random(in: -400_000...400_000, using: &generator))
                    / ([1, 10, 100, 1_000, 10_000].randomElement(using: &generator) ?? 1)
            }
        }
        for _ in 0..<20_000 {
            var position = Sample.bare()
            for field in [
                \Position.altitudeMSLMetres, \.altitudeHAEMetres, \.geoidSeparationMetres, \.speedMetresPerSecond, \.courseDegrees,
                \.climbMetresPerSecond, \.quality.eph, \.quality.epv, \.quality.eps, \.quality.hdop, \.quality.vdop, \.quality.pdop,
            ] { position[keyPath: field] = figure() }
            // As sources give them, or one step beside it.
            func nudged(_ value: Double) -> Double {
                [value, value, value.nextUp, value.nextDown].randomElement(using: &generator) ?? value
            }
            if let altitude = position.altitudeMSLMetres, let separation = position.geoidSeparationMetres, Bool.random(using: &generator) {
                position.altitudeHAEMetres = nudged(((altitude + separation) * 1_000).rounded() / 1_000)
            }
            if let implied = position.quality.impliedPDOP, Bool.random(using: &generator) { position.quality.pdop = nudged(implied) }
            if let eph = position.quality.eph, Bool.random(using: &generator) {
                position.accuracy = HorizontalAccuracy(
                    radiusMetres: nudged(eph * 0.62), origin: Bool.random(using: &generator) ? .gpsd : .receiver)
            }
            let back = roundTrip(position)
            if back != position || bits(back) != bits(position) { Issue.record("\(position) became \(String(describing: back))") }
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

    @Test(arguments: LogTypes.allSets) func keepsTheTypes(types: LogTypes) {
        var bytes: [UInt8] = []
        PositionCodec.append(Sample.position(second: 0), types: types, source: nil, to: &bytes)
        var (input, found) = (JournalInput(bytes[...]), LogTypes.all)
        #expect(PositionCodec.decode(&input, types: &found, source: nil) != nil && found == types)
    }

    @Test func ignoresFieldsOfLaterVersions() {
        var bytes: [UInt8] = [0x12]
        // No number, satellites or accuracy, no source, and bit 26.
        bytes.append(varint: 0xFFF << 4 | 1 << 16 | 1 << 17 | 1 << 20 | 1 << 26)
        for degrees: UInt64 in [47, 9] { bytes.append(varint: degrees * 10_000_000 << 3) }
        var input = JournalInput((bytes + [0, 99, 99])[...])
        var expected = Sample.bare()
        expected.status = .gps
        expected.time = UTCTime(millisecondsSince1970: 0)
        #expect(PositionCodec.decode(&input, source: nil) == expected)
        #expect(Array(input.rest) == [99, 99])
    }

    /// What is in the record is the radius itself: a factor that changes later changes nothing that was logged.
    @Test func keepsTheRadiusWhateverEphIs() {
        var position = Sample.position(second: 0)
        for (radius, eph) in [(12.5, 5.04), (3.1248, nil), (0, 5.04), (5.04 * 0.617, 5.04)] as [(Double, Double?)] {
            position.accuracy = HorizontalAccuracy(radiusMetres: radius, origin: .gpsd)
            position.quality.eph = eph
            #expect(roundTrip(position) == position)
        }
    }

    @Test func takesAtMost62BytesForATypicalFix() {
        var bytes: [UInt8] = []
        let position = Sample.position(second: 0)
        JournalCodec.append(JournalRecord(sequence: 2_600_000, content: .position(position)), source: position.source, to: &bytes)
        #expect(bytes.count <= 62, "\(bytes.count) bytes")
        bytes = []
        JournalCodec.append(JournalRecord(sequence: 2_600_000, content: .position(position)), source: nil, to: &bytes)
        #expect(bytes.count <= 90, "\(bytes.count) bytes")
    }
}

extension LogTypes {
    /// Every set of types that a position may have.
    fileprivate static let allSets = (1...LogTypes.all.rawValue).map(LogTypes.init(rawValue:))
}
