import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

/// The rule that finds the speed, on lines that are computed: no clock, no device.
@Suite struct BaudSearchTests {
    /// Every speed, receivers that report once a second, from any moment of their cycle on, through an adapter that hands over every
    /// 16 ms and takes 5 ms to change its speed.
    @Test(arguments: SerialPort.baudRates)
    func findsEverySpeedWithinFourSeconds(baudRate: Int) {
        let times = stride(from: 0, to: 1_000, by: 10).map { phase -> Int64 in
            var line = ComputedLine(baudRate: baudRate, phase: Int64(phase))
            return line.find(BaudSearch()) ?? .max
        }
        // A line of 230400 or more says all it has to say in 20 ms, of which this adapter makes one reading.
        #expect(times.allSatisfy { $0 <= (baudRate == 230_400 ? 5_000 : 4_000) }, "\(baudRate): \(times.max() ?? 0) ms")
    }

    @Test(arguments: SerialPort.baudRates)
    func findsTheLastGoodSpeedWithinOneAndAHalfSeconds(baudRate: Int) {
        for phase in stride(from: 0, to: 1_000, by: 10) {
            var line = ComputedLine(baudRate: baudRate, phase: Int64(phase))
            let time = line.find(BaudSearch(lastGood: baudRate)) ?? .max
            #expect(time <= 1_500, "\(baudRate) from \(phase) ms on: \(time) ms")
        }
    }

    @Test(arguments: SerialPort.baudRates)
    func findsAReceiverThatHasChangedItsSpeed(baudRate: Int) {
        for lastGood in SerialPort.baudRates where lastGood != baudRate {
            var line = ComputedLine(baudRate: baudRate, phase: 400, period: 200)
            let time = line.find(BaudSearch(lastGood: lastGood)) ?? .max
            #expect(time <= 4_000, "\(baudRate) after \(lastGood): \(time) ms")
        }
    }

    @Test func recognisesUBXByItsFramesWhenNoSentenceComes() {
        var search = BaudSearch(only: 9_600)
        search.begin(at: 0)
        let frame: [UInt8] = [0xb5, 0x62, 0x01, 0x07, 0x02, 0x00, 0xaa, 0xbb]
        #expect(search.process((frame + ComputedLine.fletcher(frame)).span, at: 10) == .listen)
        #expect(search.process([UInt8]().span, at: search.deadline) == .found(.ubx))
        search.begin(at: 5_000)
        let sentence = Array(SimulatedReceiver().sentence("GLL,4717.11,N,00833.92,E,120000.00,A,A").utf8)
        #expect(search.process((frame + ComputedLine.fletcher(frame) + sentence).span, at: 5_010) == .found(.nmea))
        search.begin(at: 9_000)
        #expect(search.process((frame + [1, 2] + frame).span, at: 9_010) == .listen)
        #expect(search.process([UInt8]().span, at: 20_000) == .listen, "a wrong checksum is no frame")
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
        #expect(tried.count == 18)
        #expect(search.hasHeardNoise)
    }

    @Test func passesOverASpeedThatTheDeviceRefuses() {
        var search = BaudSearch(lastGood: 4_800)
        #expect(search.baudRate == 4_800)
        #expect(search.refuse(at: 0) == .change(baudRate: 9_600))
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

/// A receiver on a wire of one speed, heard through an adapter of another, computed in steps of a millisecond.
private struct ComputedLine {
    var baudRate: Int
    /// When the first burst begins.
    var phase: Int64
    var period: Int64 = 1_000
    private var random = SeededGenerator(seed: 42)
    private let burst: [UInt8]

    init(baudRate: Int, phase: Int64, period: Int64 = 1_000) {
        self.baudRate = baudRate
        self.phase = phase
        self.period = period
        burst = Array(SimulatedReceiver().epoch(0).text.utf8)
    }

    static func fletcher(_ frame: [UInt8]) -> [UInt8] {
        var (first, second) = (UInt8(0), UInt8(0))
        for byte in frame.dropFirst(2) {
            first &+= byte
            second &+= first
        }
        return [first, second]
    }

    /// How long the search takes, in milliseconds; nil when it gives up.
    mutating func find(_ start: BaudSearch) -> Int64? {
        var search = start
        search.begin(at: 0)
        var heard: [UInt8] = []
        var changesUntil: Int64 = 0
        for now in Int64(1)..<60_000 {
            if now > changesUntil { heard += bytes(during: now, at: search.baudRate) }
            var step = BaudSearch.Step.listen
            if now % 16 == 0, !heard.isEmpty {
                step = search.process(heard.span, at: now)
                heard = []
            } else if now >= search.deadline {
                step = search.process([UInt8]().span, at: now)
            }
            switch step {
            case .listen: continue
            case .change:
                heard = []
                changesUntil = now + 5
                search.begin(at: changesUntil)
            case .found: return search.baudRate == baudRate ? now : nil
            case .exhausted: return nil
            }
        }
        return nil
    }

    /// What the adapter makes of the millisecond that ends now.
    private mutating func bytes(during now: Int64, at heardRate: Int) -> [UInt8] {
        let start = (now - 1 - phase) % period
        guard now > phase, start >= 0 else { return [] }
        let bitsPerMillisecond = Double(baudRate) / 1_000
        let range = Int(Double(start) * bitsPerMillisecond / 10)..<Int(Double(start + 1) * bitsPerMillisecond / 10)
        let sent = Array(burst.dropFirst(range.lowerBound).prefix(range.count))
        if heardRate == baudRate { return sent }
        let seen = sent.filter { _ in Double.random(in: 0..<1, using: &random) < Double(heardRate) / Double(baudRate) }
        return seen.map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}
