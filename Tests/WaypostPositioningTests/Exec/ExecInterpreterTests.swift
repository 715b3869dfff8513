import Testing
import Waypost
import WaypostTestKit

@testable import WaypostPositioning

@Suite struct ExecInterpreterTests {
    private let receiver = SimulatedReceiver()

    /// One epoch as a line of JSON.
    private func json(_ index: Int) -> String {
        let epoch = receiver.epoch(index)
        var text = TextBuffer()
        TPVCodec.append(Position(time: epoch.time, coordinate: epoch.coordinate), to: &text)
        return text.string + "\n"
    }

    private func started() -> ExecInterpreter {
        var interpreter = ExecInterpreter(name: "exec:x", at: 0)
        #expect(interpreter.started(processID: 17, at: 0) == [.status(.connected("process 17"))])
        return interpreter
    }

    @Test func readsBothLanguagesLineByLineWhereverTheyAreCut() {
        let text = receiver.epoch(0).text + json(1) + receiver.epoch(2).text + "\r\n  " + json(3)
        for length in [1, 7, 64, 10_000] {
            var interpreter = started()
            var events: [PositionSourceEvent] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: length) {
                events += interpreter.process(Array(bytes[start..<min(start + length, bytes.count)]), at: 0)
            }
            events += interpreter.endEpoch()
            #expect(Set(events.positions.map(\.time)) == Set((0..<4).map { receiver.epoch($0).time }), "\(length)")
            #expect(events.positions.allSatisfy { $0.source == "exec:x" })
            #expect(events.warnings.isEmpty)
        }
    }

    @Test func givesReportsWithoutAFixAndSkyViewsItsName() {
        var interpreter = started()
        let events = interpreter.process(
            "{\"class\":\"TPV\",\"mode\":1,\"source\":\"other\"}\n{\"class\":\"SKY\",\"satellites\":[{\"PRN\":3,\"used\":true}]}\n", at: 0)
        #expect(events.count == 2)
        #expect(events.first == .noFix(NoFix(time: nil, source: "exec:x")))
        guard case .sky(let view) = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(view.source == "exec:x" && view.satellites.count == 1)
    }

    @Test func dropsAFixThatIsPrintedAgain() {
        var interpreter = started()
        #expect(interpreter.process(json(1) + json(1) + json(2), at: 0).positions.count == 2)
    }

    @Test func passesOverJSONOfOtherClassesAndSaysOnceWhatCannotBeRead() {
        var interpreter = started()
        #expect(interpreter.process("{\"class\":\"VERSION\",\"release\":\"3.22\"}\n", at: 0).isEmpty)
        let events = interpreter.process("{\"lat\":1\n{\"lat\":91,\"lon\":8}\n" + json(0), at: 0)
        #expect(events.positions.count == 1)
        #expect(events.warnings.count == 1)
        #expect(events.warnings[0].hasPrefix("exec:x: JSON that cannot be read: line 2"))
        _ = interpreter.started(processID: 18, at: 1)
        #expect(interpreter.process("{\n", at: 1).warnings.count == 1, "a new run")
    }

    @Test func keepsNoMoreOfALineThanAnyHas() {
        var interpreter = started()
        let piece = String(repeating: "{", count: 4_096)
        var warnings: [String] = []
        for _ in 0..<100 { warnings += interpreter.process(piece, at: 0).warnings }
        let events = interpreter.process("\n" + json(0), at: 0)
        warnings += events.warnings
        #expect(warnings == ["exec:x: JSON that cannot be read: a line has more than 32768 bytes"])
        #expect(events.positions.count == 1)
    }

    @Test func tellsSilenceOnceAndWhenNothingPrintedWasAPosition() {
        var interpreter = started()
        #expect(interpreter.process("hello\n", at: 1_000).isEmpty)
        #expect(interpreter.judge(at: 4_999).isEmpty)
        #expect(
            interpreter.judge(at: 5_000) == [
                .lost(.silent), .status(.warning("exec:x: prints lines, but neither NMEA nor JSON with positions")),
            ])
        #expect(interpreter.judge(at: 6_000).isEmpty)
        #expect(interpreter.process(json(0), at: 7_000).positions.count == 1)
        #expect(interpreter.judge(at: 12_000) == [.lost(.silent)])
    }

    @Test func waitsThreePeriodsOfASlowProgram() {
        var interpreter = started()
        for index in 0..<3 { _ = interpreter.process(json(index * 30), at: Int64(index) * 30_000) }
        #expect(interpreter.judgementDeadline == 60_000 + 90_000)
    }

    @Test func tellsAnEndOnceUntilTheNextFix() {
        var interpreter = started()
        _ = interpreter.process(json(0), at: 0)
        #expect(interpreter.ended("the program ended with exit code 3", at: 10).losses.count == 1)
        _ = interpreter.started(processID: 18, at: 1_010)
        #expect(interpreter.ended("the program ended with exit code 3", at: 1_020).isEmpty)
        let words = "the program was ended by signal 9 (Killed)"
        #expect(interpreter.ended(words, at: 3_000) == [.status(.stillLost(.disconnected("exec:x: \(words)")))], "another end is said")
    }

    @Test func makesShortPrintableFewWarningsOfErrors() {
        var interpreter = started()
        let long = String(repeating: "x", count: 5_000)
        let text = "\u{1B}[31mno\tdevice\r\n\n\(long)\nhalf"
        #expect(
            interpreter.processErrors(Array(text.utf8).span, at: 0).warnings
                == ["exec:x:  [31mno device", "exec:x: " + String(repeating: "x", count: 200) + "..."])
        #expect(interpreter.ended("ended", at: 0).warnings == ["exec:x: half"])
        _ = interpreter.started(processID: 18, at: 0)
        var warnings: [String] = []
        for index in 0..<1_000 {
            warnings += interpreter.processErrors(Array("error \(index)\n".utf8).span, at: Int64(index) * 100).warnings
        }
        // Twenty, and one each ten seconds.
        #expect((29...31).contains(warnings.count))
        #expect(warnings.last.map { $0.contains("lines before it)") } == true)
    }
}

extension ExecInterpreter {
    fileprivate mutating func process(_ bytes: [UInt8], at now: Int64) -> [PositionSourceEvent] { process(bytes.span, at: now) }
    fileprivate mutating func process(_ text: String, at now: Int64) -> [PositionSourceEvent] { process(Array(text.utf8), at: now) }
}

extension [PositionSourceEvent] {
    fileprivate var positions: [Position] { compactMap { if case .position(let position) = $0 { position } else { nil } } }
    fileprivate var losses: [LossReason] { compactMap { if case .lost(let reason) = $0 { reason } else { nil } } }
    fileprivate var warnings: [String] { compactMap { if case .status(.warning(let text)) = $0 { text } else { nil } } }
}
