import Testing
import Waypost
import WaypostTestKit

@Suite struct NMEAFramerTests {
    /// Two epochs, with everything around them that a line can carry.
    private static let mixed =
        "# a comment, $GPGGA,1*00\r\n"
        + NMEAText.sentence("GPGGA,120000,4717.115,N,00833.915,E,1,08,0.9,545.4,M,46.9,M,,") + "\r\n"
        + "!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C\n"
        + "\u{1}\u{2}noise" + NMEAText.sentence("GPRMC,120000,A,4717.115,N,00833.915,E,10.0,90.0,150624,,,A") + "\r"
        + "\n\n\r\n"
        + NMEAText.sentence("GPGGA,120001,4717.116,N,00833.916,E,1,08,0.9,545.5,M,46.9,M,,")
        + NMEAText.sentence("GPRMC,120001,A,4717.116,N,00833.916,E,10.0,90.0,150624,,,A") + "\r\n"
        + "$GPGLL,4717.116,N,00833.9\r\n"
        + NMEAText.sentence("GPVTG,90.0,T,,M,10.0,N,18.5,K") + "trailing\r\n"

    @Test func givesTheSameEventsWhereverTheInputIsCut() {
        let input = Array(NMEAFramerTests.mixed.utf8)
        let whole = DecodedNMEA(bytes: input)
        #expect(whole.times == ["2024-06-15T12:00:00.000Z", "2024-06-15T12:00:01.000Z"])
        for cut in 0...input.count {
            var decoder = NMEADecoder()
            var events: [NMEAEvent] = []
            decoder.decode(input.span.extracting(0..<cut), into: &events)
            decoder.decode(input.span.extracting(cut..<input.count), into: &events)
            decoder.finish(into: &events)
            #expect(events == whole.events, "cut at \(cut)")
            #expect(decoder.counters == whole.counters, "cut at \(cut)")
        }
        #expect(NMEADecoderContract.violations(decoding: input, seed: 1) == [])
    }

    @Test func countsSentencesLinesAndDamage() {
        let counters = DecodedNMEA(text: NMEAFramerTests.mixed).counters
        #expect(counters.sentences == 5)
        #expect(counters.lines == 9)
        #expect(counters[.noise].count == 1)
        #expect(counters[.noise].firstLine == 4)
        #expect(counters[.cut].count == 1)
        #expect(counters[.cut].firstLine == 8)
        #expect(counters[.badChecksum].count == 0)
    }

    @Test(arguments: ["\r\n", "\n", "\r"])
    func readsAnyLineEnd(_ lineEnd: String) {
        let input = NMEAText.bytes(["GPGLL,4717.115,N,00833.915,E,120000,A", "GPGLL,4717.116,N,00833.915,E,120001,A"], lineEnd: lineEnd)
        let decoded = DecodedNMEA(bytes: input)
        #expect(decoded.positions.count == 2)
        #expect(decoded.counters.lines == 2)
        #expect(!decoded.counters.hasDamage)
    }

    @Test func countsEmptyLinesWithAnyLineEnd() {
        #expect(DecodedNMEA(text: "\n\n\n").counters.lines == 3)
        #expect(DecodedNMEA(text: "\r\n\r\n\r\n").counters.lines == 3)
        #expect(DecodedNMEA(text: "\r\r\r").counters.lines == 3)
        #expect(DecodedNMEA(text: "").counters.lines == 0)
    }

    @Test func readsTheLastLineWithoutLineEnd() {
        let text = NMEAText.sentence("GPGLL,4717.115,N,00833.915,E,120000,A")
        #expect(DecodedNMEA(text: text).positions.count == 1)
    }

    /// What a sentence may look like around its fields; all of these are one sentence.
    @Test(arguments: [
        "$GPGLL,4717.115,N,00833.915,E,120000,A*2C",
        "$GPGLL,4717.115,N,00833.915,E,120000,A*2c",
        "12:00:00.123 $GPGLL,4717.115,N,00833.915,E,120000,A*2C",
        "$GPGLL,4717.115,N,00833.915,E,120000,A*2C  ",
        "$GPGLL,4717.115,N,00833.915,E,120000,A",
        "\\s:gps1,c:1718452800*2F\\$GPGLL,4717.115,N,00833.915,E,120000,A*2C",
        "!AIVDM,1,1,,B,177KQJ,0*5C$GPGLL,4717.115,N,00833.915,E,120000,A*2C",
        "$GPGLL,4717.1$GPGLL,4717.115,N,00833.915,E,120000,A*2C",
    ])
    func findsTheSentence(in line: String) {
        let decoded = DecodedNMEA(text: line + "\r\n")
        #expect(decoded.position?.coordinate == Coordinate(latitudeDegrees: 47.285_25, longitudeDegrees: 8.565_25), "\(line)")
    }

    /// What is no sentence, and what it is counted as.
    @Test(arguments: [
        ("$GPGLL,4717.115,N,00833.915,E,120000,A*2E", NMEADamage.badChecksum),
        ("$GPGLL,4717.125,N,00833.915,E,120000,A*2C", .badChecksum),
        ("$GPGLL,4717.115,N,00833.915,E,120000,A*", .cut),
        ("$GPGLL,4717.115,N,00833.915,E,120000,A*2", .cut),
        ("$GPGLL,4717.115,N,00833.915,E,120000,A*G0", .cut),
        ("$GPGLL,4717.115,N", .cut),
        ("GPGLL,4717.115,N,00833.915,E,120000,A*2C", .noise),
        ("$GPGLL,4717.115,N,00833.915,E,120000,A" + String(repeating: ",", count: 1_024), .overlong),
    ])
    func countsWhatIsNoSentence(line: String, damage: NMEADamage) {
        let decoded = DecodedNMEA(text: "\n" + line + "\r\n")
        #expect(decoded.epochs.isEmpty, "\(line)")
        #expect(decoded.counters[damage].count == 1, "\(line)")
        #expect(decoded.counters[damage].firstLine == 2, "\(line)")
        #expect(NMEADamage.allCases.filter { $0 != damage }.allSatisfy { decoded.counters[$0].count == 0 }, "\(line)")
    }

    @Test func countsEachDamageAndItsFirstLine() {
        let bad = "$GPGLL,4717.115,N,00833.915,E,120000,A*00\n"
        let counters = DecodedNMEA(text: "\n" + bad + "\n" + bad + bad).counters
        #expect(counters[.badChecksum].count == 3)
        #expect(counters[.badChecksum].firstLine == 2)
        #expect(counters.hasDamage)
    }

    @Test func takesSentencesWithoutChecksumOnlyUntilOneHasIt() {
        let bare = "$GPGLL,4717.115,N,00833.915,E,12000"
        let decoded = DecodedNMEA(text: bare + "0,A\n" + NMEAText.sentence("GPTXT,hello") + "\n" + bare + "1,A\n")
        #expect(decoded.epochs.map(\.millisecondOfDay) == [43_200_000])
        #expect(decoded.counters[.cut].count == 1)
        #expect(decoded.counters[.cut].firstLine == 3)
    }

    @Test func readsTheLongestLineAndNoLongerOne() {
        let body = "GPGLL,4717.115,N,00833.915,E,120000,A"
        let filler = String(repeating: " ", count: 1_024 - body.utf8.count - 4)
        #expect(DecodedNMEA(text: filler + NMEAText.sentence(body) + "\n").positions.count == 1)
        let overlong = DecodedNMEA(text: filler + " " + NMEAText.sentence(body) + "\n" + NMEAText.sentence(body) + "\n")
        #expect(overlong.positions.count == 1)
        #expect(overlong.counters[.overlong].count == 1)
        #expect(overlong.counters[.noise].count == 0)
        #expect(overlong.counters.lines == 2)
    }

    @Test func survivesNoise() {
        var generator = SeededGenerator(seed: 7)
        let good = NMEAText.bytes(["GPGLL,4717.115,N,00833.915,E,120000,A"])
        // Noise may swallow what follows it up to the line end, so a good line of its own comes behind.
        let input = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) } + [10] + good
        let decoded = DecodedNMEA(bytes: input)
        #expect(decoded.epochs.last?.millisecondOfDay == 43_200_000)
        #expect(decoded.counters[.noise].count > 100)
        #expect(NMEADecoderContract.violations(decoding: Array(input.suffix(20_000)), seed: 7) == [])
    }

    @Test func ignoresOtherSentencesAndAddresses() {
        let decoded = DecodedNMEA("PGRMC,A,,,,,,,,,", "GPRMCX,1,2,3,4,5,6,7,8,9", "RMC,1,2,3,4,5,6,7,8,9", "GPHDT,274.07,T", "", ",,,,")
        #expect(decoded.events.isEmpty)
        #expect(decoded.counters.sentences == 0, "only what is understood counts")
        #expect(!decoded.counters.hasDamage)
    }

    @Test func readsTheFirst62FieldsOfAFlood() {
        let decoded = DecodedNMEA("GPGLL,4717.115,N,00833.915,E,120000,A" + String(repeating: ",", count: 900))
        #expect(decoded.position?.coordinate.latitudeDegrees == 47.285_25)
        #expect(!decoded.counters.hasDamage)
    }
}
