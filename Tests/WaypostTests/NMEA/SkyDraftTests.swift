import Testing
import Waypost
import WaypostTestKit

@Suite struct SkyDraftTests {
    private static let options = {
        var options = NMEADecoder.Options()
        options.deliversSky = true
        return options
    }()

    private static func rmc(_ second: Int) -> String { "GPRMC,1200\(second),A,4717.1\(second),N,00833.915,E,10.0,90.0,150624,,,A" }

    @Test func deliversNoSkyUnlessAsked() {
        #expect(DecodedNMEA(SkyDraftTests.rmc(10), "GPGSV,1,1,01,05,45,090,40", SkyDraftTests.rmc(11)).skies.isEmpty)
    }

    @Test func gathersGroupsAndMarksWhatIsUsed() {
        let decoded = DecodedNMEA(
            SkyDraftTests.rmc(10), "GNGSA,A,3,05,46,,,,,,,,,,,1.5,0.8,1.2,1", "GNGSA,A,3,70,,,,,,,,,,,,1.5,0.8,1.2,2",
            "GPGSV,2,1,05,05,45,090,40,07,-1,360,,12,,,33,46,30,180,38", "GPGSV,2,2,05,70,10,011,20",
            "GLGSV,1,1,01,70,12,013,25", "GAGSV,1,1,01,05,50,100,41,7", options: SkyDraftTests.options)
        #expect(decoded.skies.count == 1)
        let satellites = decoded.skies.first?.satellites ?? []
        #expect(satellites.map(\.number) == [5, 7, 12, 46, 70, 5])
        #expect(satellites.map(\.constellation) == [.gps, .gps, .gps, .sbas, .glonass, .galileo])
        #expect(satellites.map(\.isUsed) == [true, false, false, true, true, false])
        #expect(satellites.map(\.elevationDegrees) == [45, -1, nil, 30, 10, 50])
        #expect(satellites.map(\.azimuthDegrees) == [90, 360, nil, 180, 11, 100])
        #expect(satellites.map(\.signalDecibelHertz) == [40, nil, 33, 38, 25, 41])
        #expect(decoded.skies.first?.quality.pdop == 1.5)
        #expect(decoded.skies.first?.time.map(rfc3339) == "2024-06-15T12:00:10.000Z")
    }

    @Test func listsASatelliteOnceWithItsStrongestSignal() {
        let decoded = DecodedNMEA(
            SkyDraftTests.rmc(10), "GPGSV,1,1,01,05,45,090,40,1", "GPGSV,1,1,01,05,45,090,44,8", "GPGSV,1,1,01,05,45,090,,6",
            options: SkyDraftTests.options)
        #expect(decoded.skies.first?.satellites.map(\.signalDecibelHertz) == [44])
    }

    @Test func waitsForTheRestOfAGroup() {
        let decoded = DecodedNMEA(
            SkyDraftTests.rmc(10), "GPGSV,2,1,05,01,45,090,40,02,45,090,40,03,45,090,40,04,45,090,40", SkyDraftTests.rmc(11),
            "GPGSV,2,2,05,05,45,090,40", SkyDraftTests.rmc(12), options: SkyDraftTests.options)
        #expect(decoded.skies.map { $0.satellites.map(\.number) } == [[1, 2, 3, 4, 5]])
        #expect(decoded.skies.first?.time.map(rfc3339) == "2024-06-15T12:00:11.000Z")
    }

    @Test func losesOneViewWithALostSentenceAndNoMore() {
        let whole = ["GPGSV,2,1,05,01,45,090,40,02,45,090,40,03,45,090,40,04,45,090,40", "GPGSV,2,2,05,05,45,090,40"]
        let decoded = DecodedNMEA(
            SkyDraftTests.rmc(10), whole[0], SkyDraftTests.rmc(11), whole[0], whole[1], SkyDraftTests.rmc(12), whole[0], whole[1],
            options: SkyDraftTests.options)
        #expect(decoded.skies.map { $0.satellites.map(\.number) } == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]])
    }

    @Test func forgetsWhatWasUsedInOlderEpochs() {
        let decoded = DecodedNMEA(
            SkyDraftTests.rmc(10), "GPGSA,A,3,05,,,,,,,,,,,,1.5,0.8,1.2", SkyDraftTests.rmc(11), "GPGSA,A,3,07,,,,,,,,,,,,1.5,0.8,1.2",
            "GPGSV,1,1,02,05,45,090,40,07,45,090,40", options: SkyDraftTests.options)
        #expect(decoded.skies.first?.satellites.map(\.isUsed) == [false, true])
    }

    @Test func leavesImpossibleValuesOut() {
        let decoded = DecodedNMEA(
            SkyDraftTests.rmc(10), "GPGSV,1,1,02,05,91,361,-3,00,45,090,40", options: SkyDraftTests.options)
        #expect(decoded.skies.first?.satellites.map(\.number) == [5])
        #expect(decoded.skies.first?.satellites.first?.elevationDegrees == nil)
        #expect(decoded.skies.first?.satellites.first?.azimuthDegrees == nil)
        #expect(decoded.skies.first?.satellites.first?.signalDecibelHertz == nil)
        #expect(decoded.counters[.unreadableValue].count == 1)
    }

    @Test func holdsNoMoreSatellitesThanReceiversTrack() {
        // 32 sentences of four satellites fill the view; the next group finds no room.
        let flood = (1...32).map { sentence in
            "GPGSV,32,\(sentence),128," + (0..<4).map { "\(sentence * 4 + $0),1,1,1" }.joined(separator: ",")
        }
        let decoded = DecodedNMEA(
            bytes: NMEAText.bytes([SkyDraftTests.rmc(10)] + flood + ["GAGSV,1,1,01,300,1,1,1"]), options: SkyDraftTests.options)
        #expect(decoded.skies.map(\.satellites.count) == [128])
        #expect(decoded.skies.first?.satellites.last?.number == 131)
    }
}
