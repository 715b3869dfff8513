import Testing
import Waypost
import WaypostTestKit

/// GSA and GSV, read back by our own decoder; `sharing-proof.sh` has them read by a real gpsd.
@Suite struct NMEASkyTests {
    private func satellite(_ constellation: Constellation, _ number: Int, isUsed: Bool = false, signal: Double? = 30) -> SatelliteView {
        var satellite = SatelliteView(constellation: constellation, number: number, isUsed: isUsed)
        (satellite.elevationDegrees, satellite.azimuthDegrees, satellite.signalDecibelHertz) = (45, 7, signal)
        return satellite
    }

    private func text(_ view: SkyView, position: Bool = false) throws -> String {
        var text = TextBuffer()
        let place = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        if position {
            NMEAWriter().position(Position(time: nil, coordinate: place, mode: .threeDimensional), sky: view, into: &text)
        } else {
            NMEAWriter().satellites(view, into: &text)
        }
        return text.string
    }

    @Test func writesFourSatellitesInASentence() throws {
        let view = SkyView(time: nil, satellites: (1...5).map { satellite(.gps, $0, signal: $0 == 5 ? 0 : 30) })
        #expect(
            try text(view) == """
                $GPGSV,2,1,05,01,45,007,30,02,45,007,30,03,45,007,30,04,45,007,30*7B\r
                $GPGSV,2,2,05,05,45,007,*4F\r\n
                """)
    }

    @Test func writesTheTalkerOfEachSystem() throws {
        let view = SkyView(
            time: nil,
            satellites: [
                satellite(.gps, 3, isUsed: true), satellite(.sbas, 131), satellite(.glonass, 70, isUsed: true),
                satellite(.galileo, 311, isUsed: true), satellite(.beidou, 14), satellite(.qzss, 194),
            ])
        let talkers = try text(view).split(separator: "\r\n").map { $0.prefix(6) }
        #expect(talkers == ["$GPGSV", "$GLGSV", "$GAGSV", "$GBGSV", "$GQGSV"])
        let used = try text(view, position: true).split(separator: "\r\n").filter { $0.hasPrefix("$GNGSA") }.map { $0.prefix(13) }
        #expect(used == ["$GNGSA,A,3,03", "$GNGSA,A,3,70", "$GNGSA,A,3,11"])
        #expect(try text(view, position: true).contains(",,,,1*") == true)
    }

    @Test func readsBackWhatItWrote() throws {
        let used = [(Constellation.gps, 3), (.glonass, 70), (.galileo, 11), (.beidou, 14)]
        let view = SkyView(
            time: nil, satellites: used.map { satellite($0.0, $0.1, isUsed: true) } + [satellite(.gps, 30), satellite(.sbas, 44)])
        var events: [NMEAEvent] = []
        var options = NMEADecoder.Options()
        options.deliversSky = true
        var decoder = NMEADecoder(options: options)
        let lines = Array((try text(view, position: true) + text(view)).utf8)
        decoder.decode(lines.span, into: &events)
        decoder.finish(into: &events)
        let seen = events.compactMap { if case .sky(let view) = $0 { view } else { nil } }
        let satellites = Set(seen.last?.satellites ?? [])
        #expect(satellites == Set(view.satellites))
        #expect(decoder.counters.sentences == 10)
    }
}
