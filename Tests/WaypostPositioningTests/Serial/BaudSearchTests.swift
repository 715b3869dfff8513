import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

/// The rule that finds the speed, on lines that are computed: no clock, no device.
@Suite struct BaudSearchTests {
    /// Every speed, a receiver that reports 300 to 600 bytes once a second, from any moment of its cycle on, through an adapter that hands
    /// over what it has every 16 ms or at once, and whether what it hears at another speed is real or only random.
    @Test(arguments: SerialPort.baudRates)
    func findsEverySpeedWithinFourSeconds(baudRate: Int) {
        var slowest: Int64 = 0
        for (byteCount, latency, noise) in [
            (320, 16, ComputedLine.Noise.sampled), (420, 1, .sampled), (600, 16, .sampled), (320, 1, .random), (420, 16, .random),
        ] {
            for phase in stride(from: -1_000.0, to: 0, by: 100) + [-50, -8, -2] {
                var line = ComputedLine(baudRate: baudRate, phase: phase, byteCount: byteCount)
                line.latency = Int64(latency)
                line.noise = noise
                let time = line.find(BaudSearch()) ?? .max
                #expect(time <= 4_000, "\(byteCount) bytes at \(baudRate) from \(phase) ms on, \(noise), every \(latency) ms: \(time) ms")
                slowest = max(slowest, time)
            }
        }
        print("auto-baud, computed: \(baudRate) found within \(slowest) ms")
    }

    @Test(arguments: SerialPort.baudRates)
    func findsTheLastGoodSpeedWithinOneAndAHalfSeconds(baudRate: Int) {
        for phase in stride(from: -1_000.0, to: 0, by: 50) {
            var line = ComputedLine(baudRate: baudRate, phase: phase)
            let time = line.find(BaudSearch(lastGood: baudRate)) ?? .max
            #expect(time <= 1_500, "\(baudRate) from \(phase) ms on: \(time) ms")
        }
    }

    /// The worst that is known is five reports: a fast receiver after a slow one, through an adapter that blurs the lengths of bursts.
    @Test(arguments: SerialPort.baudRates)
    func findsAReceiverThatHasChangedItsSpeed(baudRate: Int) {
        for lastGood in SerialPort.baudRates where lastGood != baudRate {
            for phase in stride(from: -1_000.0, to: 0, by: 250) {
                var line = ComputedLine(baudRate: baudRate, phase: phase)
                let time = line.find(BaudSearch(lastGood: lastGood)) ?? .max
                #expect(time <= 5_000, "\(baudRate) after \(lastGood) from \(phase) ms on: \(time) ms")
            }
        }
    }

    /// However often it reports, and from whatever speed the search starts: its end is the right speed, never another, and it has one.
    ///
    /// A burst each 50 or 100 ms may come again and again so soon after a change of speed that it does not count, and what an adapter held
    /// back is handed over, whole sentences of it, after the change to the next speed.
    @Test(arguments: SerialPort.baudRates)
    func findsAQuickReceiverFromAnySpeed(baudRate: Int) {
        for (period, byteCount, latency, noise) in [
            (50.0, 160, 16, ComputedLine.Noise.random), (100, 160, 1, .sampled), (100, 420, 16, .random), (125, 160, 16, .sampled),
            (250, 420, 1, .random),
        ] where Double(10_000 * byteCount) < period * Double(baudRate) {
            for lastGood in [nil, 4_800, 9_600, 57_600, 115_200, 921_600] where lastGood != baudRate {
                for phase in stride(from: -period, to: 0, by: period / 6) {
                    var line = ComputedLine(baudRate: baudRate, phase: phase, byteCount: byteCount)
                    (line.period, line.latency, line.noise) = (period, Int64(latency), noise)
                    let time = line.find(BaudSearch(lastGood: lastGood)) ?? .max
                    #expect(time <= 30_000, "\(baudRate) after \(lastGood ?? 0), every \(period) ms from \(phase) ms on: \(time) ms")
                }
            }
        }
    }

    /// A report each five or ten seconds: in silence no speed shows more than another.
    @Test(arguments: SerialPort.baudRates)
    func findsASlowReceiver(baudRate: Int) {
        for (period, byteCount) in [(5_000.0, 70), (5_000, 420), (10_000, 420)] {
            for lastGood in [nil, 9_600, baudRate] {
                for phase in stride(from: -period, to: 0, by: period / 4) {
                    var line = ComputedLine(baudRate: baudRate, phase: phase, byteCount: byteCount)
                    line.period = period
                    let time = line.find(BaudSearch(lastGood: lastGood)) ?? .max
                    // A report for each speed at most.
                    let limit = lastGood == baudRate ? period + 1_500 : 9 * period
                    #expect(Double(time) <= limit, "\(baudRate) after \(lastGood ?? 0), \(byteCount) bytes every \(period) ms: \(time) ms")
                }
            }
        }
    }

    @Test func takesNoSentenceOfTheFormerSpeedForTheNext() {
        let sentence = Array(SimulatedReceiver().sentence("GLL,4717.11,N,00833.92,E,120000.00,A,A").utf8)
        var search = BaudSearch(lastGood: 9_600)
        search.begin(at: 0)
        guard case .change(let next) = search.process([UInt8]().span, at: 12_000) else { return _ = Issue.record("silence rules it out") }
        search.begin(at: 12_005)
        #expect(search.process(sentence.span, at: 12_010) == .listen, "an adapter may have held it back")
        #expect(search.process([UInt8](repeating: 0xff, count: 60).span, at: 13_000) == .change(baudRate: 9_600), "it was that speed's")
        search.begin(at: 13_005)
        #expect(search.process(sentence.span, at: 14_000) == .found(.nmea))
        #expect(next != 9_600 && search.baudRate == 9_600)
    }

    /// Ten reports a second fill a slow line without a pause.
    @Test(arguments: SerialPort.baudRates)
    func findsTheSpeedOfALineThatIsNeverQuiet(baudRate: Int) {
        var line = ComputedLine(baudRate: baudRate, phase: 0)
        line.period = 4_200_000 / Double(baudRate)
        let time = line.find(BaudSearch()) ?? .max
        #expect(time <= 4_000, "\(baudRate): \(time) ms")
    }

    @Test func recognisesUBXByItsFramesWhenNoSentenceComes() {
        var search = BaudSearch(only: 9_600)
        search.begin(at: 0)
        let frame: [UInt8] = [0xb5, 0x62, 0x01, 0x07, 0x02, 0x00, 0xaa, 0xbb]
        #expect(search.process((frame + fletcher(frame)).span, at: 10) == .listen)
        #expect(search.process([UInt8]().span, at: search.deadline) == .found(.ubx))
        search.begin(at: 5_000)
        let sentence = Array(SimulatedReceiver().sentence("GLL,4717.11,N,00833.92,E,120000.00,A,A").utf8)
        #expect(search.process((frame + fletcher(frame) + sentence).span, at: 5_010) == .found(.nmea))
        search.begin(at: 9_000)
        #expect(search.process((frame + [1, 2] + frame).span, at: 9_010) == .listen)
        #expect(search.process([UInt8]().span, at: 20_000) == .garbled, "a wrong checksum is no frame")
    }

    @Test func saysThatTheOneSpeedItWasGivenGivesNoise() {
        var search = BaudSearch(only: 9_600)
        search.begin(at: 0)
        var steps: [BaudSearch.Step] = []
        for now in stride(from: Int64(10), to: 4_000, by: 10) { steps.append(search.process([0xff, 0x80, 0x41].span, at: now)) }
        #expect(steps.count { $0 == .garbled } == 3)
        #expect(steps.allSatisfy { $0 == .garbled || $0 == .listen })
        #expect(search.baudRate == 9_600)
        // Silence is no noise.
        search.begin(at: 10_000)
        #expect(search.process([UInt8]().span, at: 12_000) == .listen)
    }

    @Test func staysAtOnePlaceWhenHalfASentenceWasHeard() {
        var search = BaudSearch(lastGood: 9_600)
        search.begin(at: 0)
        #expect(search.process(Array("$GPGLL,4717.11,N,00833.9".utf8).span, at: 100) == .listen)
        #expect(search.process([UInt8]().span, at: search.deadline) == .listen, "the next report decides")
        #expect(search.deadline == 12_100, "some report each ten seconds")
    }

    @Test func isExhaustedAfterTwoRoundsOfNoise() throws {
        var search = BaudSearch()
        var tried: [Int] = [search.baudRate]
        var now: Int64 = 0
        var random = SeededGenerator(seed: 7)
        search.begin(at: now)
        while true {
            now += 10
            let noise = (0..<20).map { _ in UInt8.random(in: 0x80...0xff, using: &random) }
            let step = search.process(noise.span, at: now)
            if step == .exhausted { break }
            if case .change(let baudRate) = step {
                tried.append(baudRate)
                search.begin(at: now)
            }
            if case .found = step { Issue.record("noise is no receiver") }
            try #require(now < 60_000, "never exhausted")
        }
        #expect(Set(tried.prefix(9)) == Set(SerialPort.baudRates))
        // Each was doubted once, as one that was only out of step would be.
        #expect(tried.count == 27)
        #expect(search.hasHeardNoise)
    }

    @Test func passesOverASpeedThatTheDeviceRefuses() {
        var search = BaudSearch(lastGood: 4_800)
        #expect(search.baudRate == 4_800)
        #expect(search.refuse(at: 0) == .change(baudRate: 460_800))
    }

    @Test func takesSentencesWithoutChecksums() {
        var search = BaudSearch()
        search.begin(at: 0)
        let line = Array("$GPGLL,4717.11,N,00833.92,E,120000,A\r\n".utf8)
        #expect(search.process(line.span, at: 1) == .listen)
        #expect(search.process((line + line).span, at: 2) == .found(.nmea))
    }

    @Test func neverTakesNoiseForAReceiver() {
        for seed in 0..<20 {
            var random = SeededGenerator(seed: UInt64(seed))
            var spotter = LineSpotter()
            for _ in 0..<100_000 { spotter.process(UInt8.random(in: .min ... .max, using: &random)) }
            #expect(spotter.sentenceCount == 0 && spotter.frameCount == 0 && spotter.uncheckedCount < 3)
        }
    }
}

private func fletcher(_ frame: [UInt8]) -> [UInt8] {
    var (first, second) = (UInt8(0), UInt8(0))
    for byte in frame.dropFirst(2) {
        first &+= byte
        second &+= first
    }
    return [first, second]
}
