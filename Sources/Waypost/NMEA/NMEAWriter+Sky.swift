/// The satellites: GSA (which are used) and GSV (which are in view).
///
/// ```
/// $GNGSA,A,3,02,05,07,,,,,,,,,,1.33,0.73,1.11,1*hh
///            | numbers of at most twelve      |  system: 1 GPS and SBAS, 2 GLONASS, 3 Galileo, 4 BeiDou, 5 QZSS, 6 NavIC
/// $GLGSV,2,1,06,66,27,048,17,67,66,011,25,68,35,265,18,82,19,148,16*hh
///        | | |  | | |   signal dB-Hz, four satellites in a sentence
///        | | |  | | azimuth, degrees
///        | | |  | elevation, degrees
///        | | |  number, as NMEA has it
///        | | satellites in view
///        sentences, this one
/// ```
/// - Satellites are numbered as NMEA 4.11 does (`SatelliteNumber`), whatever the source's numbers are. One with no such number is left out.
/// - Of several signals of a satellite the source has chosen one; no signal identifiers are written.
extension NMEAWriter {
    /// The most satellites that a GSA has room for.
    private static let mostUsed = 12
    /// The most satellites of a system in GSV: nine sentences, whose number has one digit.
    private static let mostInView = 36

    /// Writes the satellites in view: the sentences of each system.
    public func satellites(_ view: SkyView, into text: inout TextBuffer) {
        for system in NMEASystem.allCases {
            let satellites = Array(
                view.satellites.lazy.filter { NMEASystem($0.constellation) == system && SatelliteNumber(of: $0).nmea != nil }
                    .prefix(NMEAWriter.mostInView))
            let lineCount = (satellites.count + 3) / 4
            for index in 0..<lineCount {
                line("GSV", talker: system.talker, into: &text) { text in
                    field(integer: lineCount, into: &text)
                    field(integer: index + 1, into: &text)
                    field(paddedInteger: satellites.count, into: &text)
                    for satellite in satellites[(4 * index)..<min(4 * index + 4, satellites.count)] {
                        fields(satellite, into: &text)
                    }
                }
            }
        }
    }

    /// Writes GSA: one without satellites, or one per system of which some are used.
    func solution(_ mode: FixMode, _ quality: PositionQuality, _ sky: SkyView?, into text: inout TextBuffer) {
        let used = sky?.satellites.filter(\.isUsed) ?? []
        let systems = NMEASystem.allCases.compactMap { system in
            let numbers = used.lazy.filter { NMEASystem($0.constellation) == system }.compactMap { SatelliteNumber(of: $0).nmea }
            return numbers.isEmpty ? nil : (system: system, numbers: Array(numbers.prefix(NMEAWriter.mostUsed)))
        }
        guard !systems.isEmpty else { return solution(mode, quality, numbers: [], system: nil, into: &text) }
        for (system, numbers) in systems { solution(mode, quality, numbers: numbers, system: system, into: &text) }
    }

    private func solution(
        _ mode: FixMode, _ quality: PositionQuality, numbers: [Int], system: NMEASystem?, into text: inout TextBuffer
    ) {
        line("GSA", talker: system == nil ? nil : "GN", into: &text) { text in
            text.append(",A")
            field(integer: mode.rawValue, into: &text)
            for index in 0..<NMEAWriter.mostUsed {
                field(number: index < numbers.count ? numbers[index] : nil, into: &text)
            }
            field(quality.pdop.dilution, decimals: 2, into: &text)
            field(quality.hdop.dilution, decimals: 2, into: &text)
            field(quality.vdop.dilution, decimals: 2, into: &text)
            if let system { field(integer: system.rawValue, into: &text) }
        }
    }

    private func fields(_ satellite: SatelliteView, into text: inout TextBuffer) {
        func whole(_ value: Double?, in range: ClosedRange<Double>) -> Int? {
            value.flatMap { range.contains($0) ? Int($0.rounded()) : nil }
        }
        field(number: SatelliteNumber(of: satellite).nmea, into: &text)
        field(paddedInteger: whole(satellite.elevationDegrees, in: 0...90), into: &text)
        field(paddedInteger: whole(satellite.azimuthDegrees, in: 0...360).map { $0 % 360 }, digits: 3, into: &text)
        // Nothing, for a satellite that is not tracked: 0 would be a signal.
        field(paddedInteger: whole(satellite.signalDecibelHertz, in: 0...99).flatMap { $0 > 0 ? $0 : nil }, into: &text)
    }

    private func field(number: Int?, into text: inout TextBuffer) {
        field(paddedInteger: number, digits: (number ?? 0) > 99 ? 3 : 2, into: &text)
    }
}
