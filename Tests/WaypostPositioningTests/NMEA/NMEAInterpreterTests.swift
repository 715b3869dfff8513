import Testing
import Waypost
import WaypostTestKit

@testable import WaypostPositioning

@Suite struct NMEAInterpreterTests {
    private let receiver = SimulatedReceiver()

    @Test func givesOnePositionPerEpochWithTheSourcesName() {
        var interpreter = NMEAInterpreter(name: "serial:/dev/x", at: 0)
        var events = interpreter.connected(to: "x", at: 0)
        for index in 0..<5 { events += interpreter.process(receiver.epoch(index).text, at: Int64(index) * 1_000) }
        events += interpreter.endEpoch()
        let positions = events.compactMap { if case .position(let position) = $0 { position } else { nil } }
        #expect(positions.map(\.time) == (0..<5).map { receiver.epoch($0).time })
        #expect(Set(positions.map(\.source)) == ["serial:/dev/x"])
        #expect(events.first == .status(.connected("x")))
        #expect(interpreter.periodMilliseconds == 1_000)
        #expect(!interpreter.isEpochOpen)
    }

    @Test func dropsAFixThatIsSentAgain() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        let first = interpreter.process(receiver.epoch(0).text, at: 0) + interpreter.endEpoch()
        _ = interpreter.connected(to: "x", at: 1_000)
        let again = interpreter.process(receiver.epoch(0).text, at: 1_000) + interpreter.endEpoch()
        #expect(first.count { if case .position = $0 { true } else { false } } == 1)
        #expect(again.count { if case .position = $0 { true } else { false } } == 0)
    }

    @Test func tellsSilenceOnceAndNoiseDoesNotHideIt() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        _ = interpreter.process(receiver.epoch(0).text, at: 1_000)
        _ = interpreter.process("\u{1}\u{2}garbage\r\n", at: 4_000)
        #expect(interpreter.silenceDeadline == 6_000)
        #expect(interpreter.judge(at: 5_999) == [])
        #expect(interpreter.judge(at: 6_000) == [.lost(.silent)])
        #expect(interpreter.judge(at: 6_001) == [])
        #expect(interpreter.lose(.deviceGone("gone")) == [.status(.stillLost(.deviceGone("gone")))])
        #expect(interpreter.lose(.deviceGone("gone")) == [])
        _ = interpreter.process(receiver.epoch(1).text, at: 7_000) + interpreter.endEpoch()
        #expect(interpreter.lose(.deviceGone("gone")) == [.lost(.deviceGone("gone"))])
    }

    @Test func saysThatWhatComesIsNoNMEA() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        for now in stride(from: Int64(500), to: 12_000, by: 500) { _ = interpreter.process("HTTP/1.1 400 Bad Request\r\n", at: now) }
        #expect(interpreter.judge(at: 12_000) == [.lost(.unreadable)])
        // The same again behind the next connection; then nothing at all.
        #expect(interpreter.connected(to: "x", at: 13_000) == [.status(.connected("x"))])
        _ = interpreter.process("HTTP/1.1 400 Bad Request, and HTML\r\n", at: 14_000)
        #expect(interpreter.judge(at: 18_000) == [])
        #expect(interpreter.judge(at: 19_000) == [.status(.stillLost(.silent))])
    }

    /// At a wrong speed every receiver sends bytes that cannot be read.
    @Test func waitsForEverySpeedBeforeItCallsBytesUnreadable() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.lose(.deviceGone("gone"))
        interpreter.searchSpeed(at: 60_000)
        interpreter.noteNoise(100, at: 60_100)
        #expect(interpreter.judge(at: 60_100) == [] && interpreter.judge(at: 65_050) == [])
        interpreter.searchSpeed(at: 70_000)
        interpreter.noteEverySpeedTried()
        interpreter.noteNoise(100, at: 74_900)
        #expect(interpreter.judge(at: 74_999) == [])
        #expect(interpreter.judge(at: 75_000) == [.status(.stillLost(.unreadable))])
    }

    /// Told to send satellites alone, and nothing else: the receiver is not silent, and its cable is all right.
    @Test func saysThatAReceiverThatSendsSatellitesAloneHasNoFix() {
        let satellites = "$GPGSV,1,1,04,01,40,083,40,02,17,308,41,12,07,344,39,14,22,228,45*7C\r\n"
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        _ = interpreter.process(receiver.epoch(0).text, at: 0) + interpreter.endEpoch()
        var reported: [Int64] = []
        for now in stride(from: Int64(1_000), to: 20_000, by: 1_000) {
            let events = interpreter.process(satellites, at: now) + interpreter.judge(at: now)
            if events == [.noFix(NoFix(time: nil, source: "n"))] { reported.append(now) } else { #expect(events == []) }
        }
        #expect(reported == [3_000, 6_000, 9_000, 12_000, 15_000, 18_000])
    }

    /// The satellites of a receiver that reports its place each ten seconds, and those between the reports.
    @Test func satellitesBetweenReportsAreNoLackOfAFix() {
        let satellites = "$GPGSV,1,1,04,01,40,083,40,02,17,308,41,12,07,344,39,14,22,228,45*7C\r\n"
        let receiver = SimulatedReceiver(periodMilliseconds: 10_000)
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        var missing: [Int64] = []
        for second in Int64(0)..<100 {
            let now = second * 1_000
            var events = interpreter.process(satellites, at: now)
            if second % 10 == 0 { events += interpreter.process(receiver.epoch(Int(second / 10)).text, at: now) + interpreter.endEpoch() }
            if events.contains(where: { if case .noFix = $0 { true } else { false } }) { missing.append(second) }
        }
        // Until its period is known.
        #expect(missing.allSatisfy { $0 < 10 }, "\(missing)")
    }

    /// A search that begins again does not make a silence of what cannot be read.
    @Test func aNewSearchIsNotSilence() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        for now in stride(from: Int64(0), to: 6_000, by: 1_000) { interpreter.noteNoise(22, at: now) }
        #expect(interpreter.judge(at: 5_000) == [.lost(.unreadable)])
        interpreter.searchSpeed(at: 6_000)
        interpreter.noteEverySpeedTried()
        for now in stride(from: Int64(6_500), to: 30_000, by: 1_000) {
            interpreter.noteNoise(22, at: now)
            #expect(interpreter.judge(at: now) == [], "\(now)")
        }
        #expect(interpreter.judge(at: 40_000) == [.status(.stillLost(.silent))])
    }

    @Test func saysThatAReceiverRepeatsOneFix() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        var events: [PositionSourceEvent] = []
        for now in stride(from: Int64(0), to: 20_000, by: 1_000) {
            events += interpreter.process(receiver.epoch(0).text, at: now) + interpreter.endEpoch() + interpreter.judge(at: now)
        }
        let repeated = LossReason.repeatedFix(of: receiver.epoch(0).time)
        #expect(events.filter { if case .lost = $0 { true } else { false } } == [.lost(repeated)])
        #expect(repeated.detail?.words == "the same fix comes again and again, that of 2026-03-01 12:00:00 UTC")
        // It lives again.
        events = interpreter.process(receiver.epoch(1).text, at: 20_000) + interpreter.endEpoch()
        #expect(events.contains { if case .position = $0 { true } else { false } })
    }

    /// Whoever waits for a fix calls it silence a moment later, and the next repetition may come after that.
    @Test func saysThatAFixIsRepeatedWhenOneIsDueNotWithTheNextRepetition() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        for now in stride(from: Int64(0), to: 5_000, by: 990) {
            _ = interpreter.process(receiver.epoch(0).text, at: now) + interpreter.endEpoch()
        }
        #expect(interpreter.judgementDeadline == 5_000)
        #expect(interpreter.judge(at: 4_999) == [])
        #expect(interpreter.judge(at: 5_000) == [.lost(.repeatedFix(of: receiver.epoch(0).time))])
        // Said once; what is left is silence.
        #expect(interpreter.judgementDeadline == 4_950 + 5_000)
        #expect(interpreter.judge(at: 5_001) == [])
    }

    /// As from a pipe after the tracker was stopped: each line by itself, and the first of them long after the last fix.
    @Test func theFirstSentenceAfterAPauseRepeatsNothing() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        _ = interpreter.process(receiver.epoch(0).text, at: 0) + interpreter.endEpoch()
        var events: [PositionSourceEvent] = []
        for line in receiver.epoch(1).text.split(separator: "\r\n") { events += interpreter.process(line + "\r\n", at: 8_000) }
        events += interpreter.endEpoch()
        #expect(!events.contains { if case .lost = $0 { true } else { false } }, "\(events)")
        #expect(events.contains { if case .position = $0 { true } else { false } })
    }

    @Test func waitsThreePeriodsOfASlowReceiver() {
        let slow = SimulatedReceiver(periodMilliseconds: 10_000)
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        for index in 0..<3 { _ = interpreter.process(slow.epoch(index).text, at: Int64(index) * 10_000) }
        #expect(interpreter.silenceDeadline == 20_000 + 30_000)
    }

    /// Connections that were always as long would miss a slow server's sentences for ever.
    @Test func keepsAConnectionLongerWhenTheLastOnesBroughtNothing() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        for (index, patience) in [5_000, 10_000, 20_000, 30_000, 30_000, 30_000].enumerated() {
            let now = Int64(index) * 100_000
            _ = interpreter.connected(to: "x", at: now)
            #expect(interpreter.silenceDeadline == now + 5_000)
            #expect(interpreter.closingDeadline == now + Int64(patience))
        }
        _ = interpreter.process(receiver.epoch(0).text, at: 501_000)
        _ = interpreter.connected(to: "x", at: 600_000)
        #expect(interpreter.closingDeadline == 605_000)
        // While bytes come in, for a minute at most.
        for now in stride(from: Int64(600_500), through: 657_000, by: 500) { _ = interpreter.process("$", at: now) }
        #expect(interpreter.closingDeadline == 660_000)
        #expect(interpreter.silenceDeadline == 605_000)
    }

    @Test func forgetsAHalfSentenceWithItsConnection() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        let text = receiver.epoch(0).text
        _ = interpreter.process(String(text.prefix(30)), at: 0)
        _ = interpreter.connected(to: "x", at: 100)
        let events = interpreter.process(String(text.dropFirst(30)), at: 100) + interpreter.endEpoch()
        let altitudes = events.compactMap { if case .position(let position) = $0 { position.altitudeMSLMetres } else { nil } }
        #expect(altitudes == [], "the half GGA has no second half")
    }

    @Test func warnsWhenManyLinesAreDamaged() {
        var interpreter = NMEAInterpreter(name: "n", at: 0)
        _ = interpreter.connected(to: "x", at: 0)
        var events: [PositionSourceEvent] = []
        for index in 0..<60 {
            // What is left of an epoch when another program reads as well.
            let text = receiver.epoch(index).text
            events += interpreter.process(index % 2 == 0 ? text : String(text.prefix(60) + text.suffix(70)), at: Int64(index) * 1_000)
        }
        let warnings = events.compactMap { if case .status(.warning(let text)) = $0 { text } else { nil } }
        #expect(warnings.contains { $0.contains("another program") }, "\(warnings)")
    }

    @Test func correctsTheWeekRolloverUnlessTold() throws {
        let old = SimulatedReceiver(start: try #require(UTCTime(year: 2006, month: 7, day: 16, millisecondOfDay: 43_200_000)))
        for corrects in [true, false] {
            var interpreter = NMEAInterpreter(name: "n", correctsWeekRollover: corrects, at: 0)
            _ = interpreter.connected(to: "x", at: 0)
            let events = interpreter.process(old.epoch(0).text, at: 0) + interpreter.endEpoch()
            let position = events.compactMap { if case .position(let position) = $0 { position } else { nil } }.first
            #expect(position?.isWeekRolloverCorrected == corrects)
        }
    }
}

extension NMEAInterpreter {
    /// Takes text; tests only.
    fileprivate mutating func process(_ text: String, at now: Int64) -> [PositionSourceEvent] {
        let bytes = Array(text.utf8)
        return process(bytes.span, at: now)
    }
}

extension LossReason {
    fileprivate var detail: LossDetail? { if case .unusable(let detail) = self { detail } else { nil } }
}
