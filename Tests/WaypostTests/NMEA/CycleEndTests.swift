import Testing
import Waypost
import WaypostTestKit

/// When the epochs of a live receiver are delivered.
@Suite struct CycleEndTests {
    /// A decoder as a live receiver has it, fed sentence by sentence.
    private struct Live {
        private var decoder: NMEADecoder
        private(set) var epochs: [NMEAEpoch] = []

        init(isLearning: Bool = true) {
            var options = NMEADecoder.Options()
            options.endsEpochAtLearnedSentence = isLearning
            decoder = NMEADecoder(options: options)
        }

        /// How many epochs are known after each of the sentences.
        mutating func feed(_ bodies: [String]) -> [Int] {
            bodies.map { body in
                var events: [NMEAEvent] = []
                decoder.decode(NMEAText.bytes([body]).span, into: &events)
                take(events)
                return epochs.count
            }
        }

        mutating func fallQuiet() -> Int {
            var events: [NMEAEvent] = []
            decoder.endEpoch(into: &events)
            take(events)
            return epochs.count
        }

        private mutating func take(_ events: [NMEAEvent]) {
            for case .epoch(let epoch) in events { epochs.append(epoch) }
        }
    }

    private static func gga(_ second: Int) -> String { "GPGGA,1200\(second),4717.1\(second),N,00833.915,E,1,08,0.9,545.4,M,46.9,M,," }
    private static func rmc(_ second: Int) -> String { "GPRMC,1200\(second),A,4717.1\(second),N,00833.915,E,10.0,90.0,150624,,,A" }
    private static func gll(_ second: Int) -> String { "GPGLL,4717.1\(second),N,00833.915,E,1200\(second),A" }
    private static let gsa = "GNGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.8,1.2,1"

    @Test func endsAnEpochAtTheNextOneUntilThreeCyclesAgree() {
        var live = Live()
        #expect(live.feed((10...14).flatMap { [CycleEndTests.gga($0), CycleEndTests.rmc($0)] }) == [0, 0, 1, 1, 2, 2, 3, 4, 4, 5])
    }

    @Test func neverEndsAnEpochEarlyUnlessAsked() {
        var live = Live(isLearning: false)
        #expect(live.feed((10...15).map { CycleEndTests.rmc($0) }) == [0, 1, 2, 3, 4, 5])
    }

    @Test func learnsWhichOfSeveralEqualSentencesIsTheLast() {
        var live = Live()
        let cycle = { [CycleEndTests.rmc($0), CycleEndTests.gsa, CycleEndTests.gsa] }
        #expect(live.feed((10...14).flatMap(cycle)) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5])
    }

    @Test func doesNotCountGSV() {
        var live = Live()
        let cycle = { [CycleEndTests.rmc($0), "GPGSV,1,1,01,05,45,090,40"] }
        #expect(live.feed((10...13).flatMap(cycle)) == [0, 0, 1, 1, 2, 2, 4, 4])
    }

    @Test func leavesALateSentenceOutAndForgetsWhatItLearned() {
        var live = Live()
        _ = live.feed((10...13).flatMap { [CycleEndTests.gga($0), CycleEndTests.rmc($0)] })
        #expect(live.epochs.count == 4)
        // A GLL behind the learned end neither makes an epoch of its own nor ends one.
        #expect(live.feed([CycleEndTests.gll(13)]) == [4])
        #expect(live.feed([CycleEndTests.gga(14), CycleEndTests.rmc(14)]) == [4, 4])
        #expect(live.feed([CycleEndTests.gll(14), CycleEndTests.gga(15)]) == [4, 5])
        #expect(live.epochs.map { $0.position != nil } == [true, true, true, true, true])
    }

    @Test func endsAnEpochInAQuietGap() {
        var live = Live()
        #expect(live.feed([CycleEndTests.gga(10), CycleEndTests.rmc(10)]) == [0, 0])
        #expect(live.fallQuiet() == 1)
        #expect(live.fallQuiet() == 1, "one epoch is reported once")
        #expect(live.feed([CycleEndTests.gll(10)]) == [1], "what comes late is left out")
        #expect(live.fallQuiet() == 1)
        #expect(live.feed([CycleEndTests.gga(11)]) == [1])
        #expect(live.fallQuiet() == 2)
    }

    @Test func keepsAnIncompleteLineInAQuietGap() {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        let line = NMEAText.bytes([CycleEndTests.rmc(10)])
        decoder.decode(line.span.extracting(0..<30), into: &events)
        decoder.endEpoch(into: &events)
        decoder.decode(line.span.extracting(30..<line.count), into: &events)
        decoder.finish(into: &events)
        #expect(events.count == 1)
        #expect(!decoder.counters.hasDamage)
    }
}
