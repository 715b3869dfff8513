import Waypost

/// The contract of an `NMEADecoder`, whatever it is fed.
///
/// The fuzzer checks it with any bytes, the tests with the fuzzer's corpus and their own inputs.
public enum NMEADecoderContract {
    /// The ways in which the decoder breaks its contract on that input; the seed decides where the input is cut.
    ///
    /// - The same input cut elsewhere gives the same events and the same counters.
    /// - No position holds a value outside of its documented range.
    public static func violations(decoding input: [UInt8], seed: UInt64) -> [Violation] {
        var live = NMEADecoder.Options()
        live.deliversSky = true
        live.endsEpochAtLearnedSentence = true
        live.correctsWeekRollover = true
        var generator = SeededGenerator(seed: seed)
        var violations: [Violation] = []
        for (name, options) in [("recording", NMEADecoder.Options()), ("live", live)] {
            let whole = decode(input, options: options) { input.count }
            let pieces = decode(input, options: options) { .random(in: 1...97, using: &generator) }
            let bytes = decode(input, options: options) { 1 }
            for (cut, other) in [("in pieces", pieces), ("byte by byte", bytes)] {
                if other.events != whole.events { violations.append(Violation("\(name): other events when fed \(cut)")) }
                if other.counters != whole.counters {
                    violations.append(Violation("\(name): fed \(cut) it counts \(other.counters), whole \(whole.counters)"))
                }
            }
            for event in whole.events { violations += self.violations(in: event).map { Violation("\(name): \($0.description)") } }
        }
        return violations
    }

    private static func decode(
        _ input: [UInt8], options: NMEADecoder.Options, pieceLength: () -> Int
    ) -> (events: [NMEAEvent], counters: NMEACounters) {
        var decoder = NMEADecoder(options: options)
        var events: [NMEAEvent] = []
        var start = 0
        while start < input.count {
            let end = min(input.count, start + pieceLength())
            decoder.decode(input.span.extracting(start..<end), into: &events)
            start = end
        }
        decoder.finish(into: &events)
        return (events, decoder.counters)
    }

    private static func violations(in event: NMEAEvent) -> [Violation] {
        switch event {
        case .epoch(let epoch):
            var violations: [Violation] = []
            // A leap second is the 86 401st of its day.
            if let moment = epoch.millisecondOfDay, !(0..<86_401_000).contains(moment) {
                violations.append(Violation("time of day \(moment)"))
            }
            if let position = epoch.position {
                if position.time != epoch.time { violations.append(Violation("position and epoch differ in time")) }
                violations += self.violations(in: position)
            }
            return violations
        case .sky(let view):
            if view.satellites.isEmpty { return [Violation("an empty sky")] }
            return view.satellites.flatMap { self.violations(in: $0) } + violations(in: view.quality)
        }
    }

    private static func violations(in position: Position) -> [Violation] {
        var violations: [Violation] = []
        func expect(_ name: String, _ value: Double?, in range: ClosedRange<Double>) {
            // Some write minus zero as "-0", which reads as an unintended sign.
            if let value, !range.contains(value) || value.isZero && value.sign == .minus {
                violations.append(Violation("\(name) \(value)"))
            }
        }
        let anything = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        let positive = 0...Double.greatestFiniteMagnitude
        expect("latitude", position.coordinate.latitudeDegrees, in: -90...90)
        expect("longitude", position.coordinate.longitudeDegrees, in: -180...180)
        expect("course", position.courseDegrees, in: 0...360.0.nextDown)
        expect("speed", position.speedMetresPerSecond, in: positive)
        expect("altitude", position.altitudeMSLMetres, in: anything)
        expect("ellipsoidal altitude", position.altitudeHAEMetres, in: anything)
        expect("geoid separation", position.geoidSeparationMetres, in: anything)
        expect("accuracy", position.accuracy?.radiusMetres, in: positive)
        if let time = position.time, !(1_969...9_999).contains(time.calendar.year) { violations.append(Violation("time \(time)")) }
        if position.mode == .twoDimensional, position.altitudeMSLMetres != nil { violations.append(Violation("altitude in 2D")) }
        return violations + self.violations(in: position.quality)
    }

    private static func violations(in quality: PositionQuality) -> [Violation] {
        [("HDOP", quality.hdop), ("VDOP", quality.vdop), ("PDOP", quality.pdop)].compactMap { name, value in
            value.flatMap { $0.isFinite && $0 >= 0 ? nil : Violation("\(name) \($0)") }
        }
    }

    private static func violations(in satellite: SatelliteView) -> [Violation] {
        var violations: [Violation] = []
        if satellite.number <= 0 { violations.append(Violation("satellite number \(satellite.number)")) }
        if let elevation = satellite.elevationDegrees, !(-90...90).contains(elevation) {
            violations.append(Violation("elevation \(elevation)"))
        }
        if let azimuth = satellite.azimuthDegrees, !(0...360).contains(azimuth) { violations.append(Violation("azimuth \(azimuth)")) }
        if let signal = satellite.signalDecibelHertz, !(signal.isFinite && signal >= 0) { violations.append(Violation("signal \(signal)")) }
        return violations
    }
}
