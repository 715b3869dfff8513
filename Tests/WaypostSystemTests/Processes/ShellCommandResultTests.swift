import Testing
import WaypostSystem

/// How a command that runs beside the program ends.
@Suite struct ShellCommandResultTests {
    /// A script may leave something running that holds its output open.
    @Test func waitsForTheCommandAndNotForWhatItLeavesBehind() throws {
        let start = MonotonicClock.milliseconds
        let (end, output) = try ShellCommand.start("echo heard; sleep 4322 & exit 0").result(withinMilliseconds: 30_000)
        #expect(end == .exited(0) && output == Array("heard\n".utf8))
        #expect(MonotonicClock.milliseconds - start < 15_000)
    }

    @Test func takesAllOfALongOutput() throws {
        let (end, output) = try ShellCommand.start("seq 1 200000; exit 3").result(withinMilliseconds: 60_000)
        #expect(end == .exited(3) && output.count == 1_288_895)
    }

    @Test func endsWhatTakesTooLong() throws {
        let (end, _) = try ShellCommand.start("sleep 4322").result(withinMilliseconds: 300)
        #expect(end == .signalled(15))
    }
}
