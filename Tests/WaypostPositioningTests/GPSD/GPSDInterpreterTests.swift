import Testing
import Waypost

@testable import WaypostPositioning

@Suite struct GPSDInterpreterTests {
    private var interpreter = GPSDInterpreter(name: "gpsd://test", device: nil, at: 0)

    @Test mutating func followsOneReceiverUntilItIsSilent() {
        // Two receivers, ten fixes a second apart each; the first then says nothing more.
        var sources: [Double] = []
        for second in 0..<20 {
            let now = Int64(second) * 1_000
            if second < 10 { sources += latitudes(interpreter.process(fix(second, 1, "a"), at: now)) }
            sources += latitudes(interpreter.process(fix(second, 2, "b"), at: now + 300))
        }
        // The limit of 5 s is over with the fix of second 14 (14.3 - 9 = 5.3 s).
        #expect(sources == Array(repeating: 1, count: 10) + Array(repeating: 2, count: 6))
    }

    @Test mutating func takesAnotherReceiverAtOnceWhenTheFirstIsGone() {
        #expect(interpreter.process(fix(1, 1, "a"), at: 1_000).count == 1)
        #expect(interpreter.process(fix(1, 2, "b"), at: 1_100).isEmpty)
        #expect(interpreter.process(.device("b", isActive: false), at: 1_200).isEmpty)
        #expect(interpreter.process(.device("a", isActive: false), at: 1_200) == [.lost(.deviceGone("gpsd has deactivated a"))])
        #expect(latitudes(interpreter.process(fix(2, 2, "b"), at: 2_100)) == [2])
    }

    @Test mutating func aReceiverWithoutAFixGivesWayToOneThatHasOne() {
        for second in 0..<4 { #expect(interpreter.process(noFix(second, "a"), at: Int64(second) * 1_000).count == 1) }
        #expect(latitudes(interpreter.process(fix(3, 2, "b"), at: 3_100)) == [2])
        #expect(interpreter.process(noFix(4, "a"), at: 4_000).isEmpty)
    }

    @Test mutating func dropsRepetitionsAndStepsBackUntilBelieved() {
        #expect(interpreter.process(fix(100, 1), at: 0).count == 1)
        #expect(interpreter.process(fix(100, 1), at: 100).isEmpty)
        #expect(interpreter.process(fix(40, 1), at: 1_000).isEmpty)
        #expect(interpreter.process(fix(41, 1), at: 2_000).isEmpty)
        #expect(interpreter.process(fix(42, 1), at: 3_000).count == 1)
        #expect(interpreter.process(fix(43, 1), at: 4_000).count == 1)
        #expect(interpreter.process(fix(42, 1), at: 4_100).isEmpty)
        #expect(interpreter.process(fix(44, 1), at: 5_000).count == 1)
    }

    @Test mutating func aRepeatedFixDoesNotHideSilence() {
        #expect(interpreter.process(fix(100, 1), at: 0).count == 1)
        for now in stride(from: Int64(500), to: 5_000, by: 500) {
            #expect(interpreter.process(fix(100, 1), at: now).isEmpty)
            #expect(interpreter.checkSilence(at: now).isEmpty)
        }
        let repeated = LossReason.repeatedFix(of: UTCTime(millisecondsSince1970: 1_772_366_500_000))
        #expect(interpreter.checkSilence(at: 5_000) == [.lost(repeated)])
        #expect(interpreter.process(fix(100, 1), at: 5_500).isEmpty)
        #expect(interpreter.checkSilence(at: 10_400).isEmpty)
        #expect(interpreter.checkSilence(at: 10_500) == [.status(.stillLost(.silent))])
    }

    @Test mutating func satellitesAloneAreNoFixAndNoSilence() {
        #expect(interpreter.process(fix(0, 1), at: 0).count == 1)
        var reports: [Int] = []
        for second in 1..<12 {
            let events = interpreter.process(sky("a"), at: Int64(second) * 1_000)
            if events.contains(.noFix(NoFix(time: nil, source: "gpsd://test"))) { reports.append(second) }
            #expect(interpreter.checkSilence(at: Int64(second) * 1_000).isEmpty)
            // Another receiver's satellites say nothing about this one.
            #expect(interpreter.process(sky("b"), at: Int64(second) * 1_000).isEmpty)
        }
        #expect(reports == [3, 6, 9])
        #expect(interpreter.checkSilence(at: 14_000) == [.lost(.silent)])
    }

    @Test mutating func satellitesBesideARepeatedFixDoNotHideThatItIsRepeated() {
        for now in stride(from: Int64(0), to: 5_000, by: 1_000) {
            _ = interpreter.process(fix(100, 1), at: now)
            #expect(interpreter.process(sky("a"), at: now).count == 1)
        }
        let repeated = LossReason.repeatedFix(of: UTCTime(millisecondsSince1970: 1_772_366_500_000))
        #expect(interpreter.checkSilence(at: 5_000) == [.lost(repeated)])
    }

    @Test func namesWhatIsPluggedInWhileGPSDHasNothing() {
        var plugged: [SourceObstacle.Candidate] = []
        var interpreter = GPSDInterpreter(name: "gpsd://test", device: nil, at: 0) { plugged }
        func none(_ candidates: [SourceObstacle.Candidate]) -> LossReason {
            .deviceGone(LossDetail("gpsd has no receiver", obstacle: .gpsdWithoutReceiver(isLocal: true, candidates: candidates)))
        }
        _ = interpreter.process(.version("3.22"), at: 0)
        #expect(interpreter.process(.deviceCount(0), at: 1) == [.lost(none([]))])
        #expect(interpreter.process(.version("3.22"), at: 5_000).isEmpty)
        plugged = [.init(path: "/dev/ttyUSB1", words: "CP210x bridge")]
        #expect(interpreter.process(.version("3.22"), at: 10_000) == [.status(.stillLost(none(plugged)))])
        #expect(interpreter.process(.device("a", isActive: true), at: 11_000) == [.status(.stillLost(.silent))])
        #expect(interpreter.process(.version("3.22"), at: 15_000).isEmpty)
    }

    @Test mutating func givesFixesWithoutTimeOnlyWhenNoTimeComes() {
        for now in stride(from: Int64(0), to: 3_000, by: 1_000) {
            #expect(interpreter.process(fix(nil, Double(now / 100)), at: now).isEmpty)
        }
        #expect(latitudes(interpreter.process(fix(nil, 30), at: 3_000)) == [30])
        #expect(interpreter.process(fix(nil, 30), at: 3_010).isEmpty)
        #expect(latitudes(interpreter.process(fix(nil, 40), at: 4_000)) == [40])
        #expect(latitudes(interpreter.process(fix(5, 50), at: 5_000)) == [50])
        #expect(interpreter.process(fix(nil, 60), at: 6_000).isEmpty)
        #expect(latitudes(interpreter.process(fix(nil, 80), at: 8_000)) == [80])
    }

    @Test mutating func waitsThreePeriodsOfASlowReceiver() {
        #expect(interpreter.silenceDeadline == 5_000)
        _ = interpreter.process(fix(0, 1), at: 0)
        _ = interpreter.process(fix(10, 1), at: 10_000)
        #expect(interpreter.periodMilliseconds == 10_000)
        #expect(interpreter.silenceDeadline == 40_000)
        #expect(interpreter.checkSilence(at: 39_999).isEmpty)
        #expect(interpreter.checkSilence(at: 40_000) == [.lost(.silent)])
    }

    @Test mutating func tellsOneLossHoweverManyCausesFollow() {
        #expect(interpreter.checkSilence(at: 5_000) == [.lost(.silent)])
        #expect(interpreter.checkSilence(at: 6_000).isEmpty)
        #expect(interpreter.disconnected("x") == [.status(.stillLost(.disconnected("x")))])
        #expect(interpreter.disconnected("x").isEmpty)
        #expect(interpreter.process(noFix(1), at: 7_000).count == 1)
        #expect(interpreter.process(.device("", isActive: false), at: 7_000).count { if case .lost = $0 { true } else { false } } == 0)
        #expect(interpreter.process(fix(2, 1), at: 8_000).count == 1)
        #expect(interpreter.disconnected("x") == [.lost(.disconnected("x"))])
    }

    @Test mutating func takesDilutionsOfTheSameEpochOnly() {
        var quality = PositionQuality()
        quality.hdop = 0.8
        quality.satellitesUsed = 7
        let sky = SkyView(time: nil, satellites: [SatelliteView(constellation: .gps, number: 1, isUsed: true)], quality: quality)
        _ = interpreter.process(fix(0, 1), at: 0)
        _ = interpreter.process(fix(1, 1), at: 1_000)
        var named = sky
        named.source = "gpsd://test"
        #expect(interpreter.process(.sky(GPSDSky(view: sky), device: "a"), at: 1_010) == [.sky(named)])
        let events = [
            interpreter.process(fix(2, 1), at: 2_000), interpreter.process(fix(3, 1), at: 3_000), interpreter.process(fix(4, 1), at: 4_000),
        ]
        let used = events.flatMap { $0 }.compactMap { if case .position(let position) = $0 { position.quality } else { nil } }
        #expect(used.map(\.hdop) == [0.8, 0.8, nil])
        #expect(used.map(\.satellitesUsed) == [7, 7, nil])
        // Dilutions alone: taken, but no view, and the number of satellites stays.
        quality.satellitesUsed = nil
        quality.hdop = 0.7
        #expect(
            interpreter.process(.sky(GPSDSky(view: SkyView(time: nil, satellites: [], quality: quality)), device: "a"), at: 4_100).isEmpty)
        #expect(hdop(interpreter.process(fix(5, 1), at: 5_000)) == 0.7)
    }

    @Test mutating func greetsOncePerConnection() {
        #expect(interpreter.process(.version("3.22"), at: 0) == [.status(.connected("gpsd 3.22"))])
        #expect(interpreter.process(.version("3.22"), at: 0).isEmpty)
        interpreter.connected(at: 1)
        #expect(interpreter.process(.version("3.25"), at: 1) == [.status(.connected("gpsd 3.25"))])
        let none = LossReason.deviceGone(LossDetail("gpsd has no receiver", obstacle: .gpsdWithoutReceiver(isLocal: true)))
        #expect(interpreter.process(.deviceCount(0), at: 2) == [.lost(none)])
        #expect(interpreter.process(.deviceCount(0), at: 3).isEmpty)
    }

    @Test mutating func isNotDisconnectedAnyMoreOnceGPSDAnswers() {
        #expect(interpreter.disconnected("refused") == [.lost(.disconnected("refused"))])
        interpreter.connected(at: 1)
        #expect(interpreter.process(.version("3.25"), at: 1) == [.status(.connected("gpsd 3.25")), .status(.stillLost(.silent))])
        let events = interpreter.process(.deviceCount(0), at: 2)
        #expect(events.count { if case .status(.stillLost(.deviceGone)) = $0 { true } else { false } } == 1)
        #expect(interpreter.process(.device("/dev/a", isActive: true), at: 3) == [.status(.stillLost(.silent))])
        #expect(interpreter.disconnected("refused") == [.status(.stillLost(.disconnected("refused")))])
    }

    private func fix(_ second: Int?, _ latitude: Double, _ device: String = "a") -> GPSDReport {
        let time = second.map { UTCTime(millisecondsSince1970: 1_772_366_400_000 + Int64($0) * 1_000) }
        let position = Coordinate(latitudeDegrees: latitude / 100, longitudeDegrees: 8).map { Position(time: time, coordinate: $0) }
        return .fix(GPSDFix(time: time, position: position), device: device)
    }

    private func noFix(_ second: Int, _ device: String = "a") -> GPSDReport {
        .fix(GPSDFix(time: UTCTime(millisecondsSince1970: 1_772_366_400_000 + Int64(second) * 1_000), position: nil), device: device)
    }

    private func sky(_ device: String) -> GPSDReport {
        .sky(GPSDSky(view: SkyView(time: nil, satellites: [SatelliteView(constellation: .gps, number: 5, isUsed: false)])), device: device)
    }

    private func latitudes(_ events: [PositionSourceEvent]) -> [Double] {
        events.compactMap { if case .position(let position) = $0 { (position.coordinate.latitudeDegrees * 100).rounded() } else { nil } }
    }

    private func hdop(_ events: [PositionSourceEvent]) -> Double? {
        for case .position(let position) in events { return position.quality.hdop }
        return nil
    }
}
