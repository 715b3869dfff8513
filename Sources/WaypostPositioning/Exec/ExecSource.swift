import Synchronization
import Waypost
import WaypostSystem

/// Positions from a user's program: `exec:COMMAND`, which prints NMEA 0183 or lines of JSON (gpsd's TPV and SKY) as soon as it has them.
///
/// - `/bin/sh -c` runs the command, with the empty standard input, as the user and in the folder of this process. It must stay in the
///   foreground and flush every line. Both languages may be mixed: a line that begins with `{` is JSON.
/// - When it ends, for whatever reason, it is started again after 1 s, then 2 s, 4 s, at most 60 s; one that ran for more than a minute was
///   healthy, and is started again after 1 s. How it ended is the reason of the loss. A silent program is a loss, too, but is left running.
/// - Its error output becomes warnings: the first 200 bytes of a line, 20 lines at once, then one every ten seconds.
/// - It cannot cost more than a receiver can: as for any live source, at most 50 positions per second pass, and at most 1 MB per second is
///   read.
/// - It runs once at a time, in its own process group, which gets SIGTERM at the end, and SIGKILL two seconds later; and it ends with this
///   process, even if that is killed. A process that leaves the group (`setsid`) escapes.
/// - Concurrency: its own thread starts, reads and ends it; after a cancellation that thread exists until the program has ended.
public struct ExecSource: PositionSource {
    /// The most output that is read per second.
    static let bytesPerSecond = 1_000_000

    /// `exec:` and the program's name.
    ///
    /// Not the rest of the command, which may hold passwords: the name goes wherever positions go.
    public let name: String
    /// The command for the shell.
    public let command: String
    private let turn = Turn()

    /// A source that runs the given command.
    public init(command: String) {
        self.command = command
        name = "exec:\(ExecSource.programName(command))"
    }

    /// The last part of the path that a command begins with; `command` when it begins with something else, such as a variable.
    private static func programName(_ command: String) -> String {
        let word = command.drop { $0 == " " || $0 == "\t" }.prefix { !" \t;|&<>".contains($0) }
        let isPath = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "._+-/".contains($0) }
        guard isPath, let name = word.split(separator: "/").last else { return "command" }
        return String(name.prefix(64))
    }

    /// Delivers events until the task is cancelled.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        let heartbeat = SourceHeartbeat(name: name, patience: SourceHeartbeat.localPatience)
        try await EventQueue.run(threadName: "exec", whenFull: .dropsOldest, heartbeat: heartbeat, output: output) { queue, stop in
            // The previous program, which may still be ending, must release its device first.
            while !turn.begin() {
                guard stop.sleep(milliseconds: 20) else { return }
            }
            defer { turn.end() }
            var run = ExecRun(source: self, queue: queue, stop: stop)
            run.follow()
        }
    }

    /// One run at a time.
    private final class Turn: Sendable {
        private let isTaken = Atomic(false)

        func begin() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }
        func end() { isTaken.store(false, ordering: .releasing) }
    }
}

/// The thread's side of one run of an ``ExecSource``: starts the program, reads it, and starts it again.
private struct ExecRun: ~Copyable {
    // How soon the end of a program is noticed when another process holds its output open.
    private static let lookMilliseconds: Int64 = 1_000
    private static let quietMilliseconds = NMEAFileSource.quietMilliseconds
    // After a program has ended, at most this much of its remaining output is read.
    private static let mostLeftBytes = 1 << 20

    private let source: ExecSource
    private let queue: EventQueue
    private let stop: WakeSignal
    private var interpreter: ExecInterpreter
    private var budget = ByteBudget(bytesPerSecond: ExecSource.bytesPerSecond)

    init(source: ExecSource, queue: EventQueue, stop: WakeSignal) {
        self.source = source
        self.queue = queue
        self.stop = stop
        interpreter = ExecInterpreter(name: source.name, at: MonotonicClock.milliseconds)
    }

    mutating func follow() {
        var pauses = ReconnectPauses(firstMilliseconds: 1_000, longestMilliseconds: 60_000)
        while !stop.isRaised {
            let start = MonotonicClock.milliseconds
            let words: String
            do throws(SystemError) {
                words = "the program \(try runOnce())"
            } catch {
                words = "cannot be started: \(error.description)"
            }
            let now = MonotonicClock.milliseconds
            send(interpreter.ended(words, at: now))
            queue.noteLook()
            guard stop.sleep(milliseconds: pauses.next(afterConnectionOf: now - start)) else { return }
        }
    }

    /// Runs the program to its end, or until the run is cancelled.
    private mutating func runOnce() throws(SystemError) -> ShellCommand.End {
        var program = try ShellCommand.start(source.command)
        send(interpreter.started(processID: program.processID, at: MonotonicClock.milliseconds))
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isReading = true
        var isHearing = true
        while isReading {
            let descriptors = isHearing ? [program.output, program.errors] : [program.output]
            if stop.wait(forReadingAny: descriptors, timeoutMilliseconds: waitMilliseconds) == .raised { break }
            let now = MonotonicClock.milliseconds
            let hasEnded = program.hasEnded
            if isHearing { isHearing = hear(program.errors, &buffer) }
            isReading = read(program.output, &buffer, at: now)
            if hasEnded {
                // Its last output is in the pipe; another process that holds the pipe does not count.
                var left = ExecRun.mostLeftBytes
                while isReading, left > 0, let count = readOnce(program.output, &buffer), count > 0 { left -= count }
                break
            }
        }
        if isHearing, !stop.isRaised { _ = hear(program.errors, &buffer) }
        return program.stop()
    }

    /// How long to wait unless the program prints something.
    private var waitMilliseconds: Int64 {
        if interpreter.isEpochOpen { return ExecRun.quietMilliseconds }
        let rest = interpreter.judgementDeadline - MonotonicClock.milliseconds
        return rest > 0 ? min(rest, ExecRun.lookMilliseconds) : ExecRun.lookMilliseconds
    }

    /// Reads what the program has printed; false at its end.
    ///
    /// - Parameter moment: when it looked, before it read: should this process be stopped after that, more may have come.
    private mutating func read(_ descriptor: Int32, _ buffer: inout [UInt8], at moment: Int64) -> Bool {
        guard let count = readOnce(descriptor, &buffer) else {
            // Nothing is there: a quiet gap ends an epoch, and may be silence.
            if interpreter.isEpochOpen { send(interpreter.endEpoch()) }
            judge(at: moment)
            return true
        }
        // A program that never pauses may print nothing that can be read.
        judge(at: moment)
        let pause = budget.pauseMilliseconds(afterReading: count, at: MonotonicClock.milliseconds)
        if pause > 0 {
            send(interpreter.tellTooFast(ExecSource.bytesPerSecond))
            _ = stop.sleep(milliseconds: pause)
        }
        return count > 0
    }

    private mutating func judge(at now: Int64) {
        guard now >= interpreter.judgementDeadline else { return }
        send(interpreter.judge(at: now))
        queue.noteLook()
    }

    /// Reads once; 0 at the end, nil when there is nothing at the moment.
    private mutating func readOnce(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int? {
        // A pipe that cannot be read has ended.
        let count = (try? Syscalls.readAvailable(descriptor, into: &buffer)) ?? 0  // See above.
        if count > 0 {
            send(interpreter.process(buffer.span.extracting(0..<count), at: MonotonicClock.milliseconds))
        }
        return count < 0 ? nil : count
    }

    /// Reads the program's error output; false at its end.
    private mutating func hear(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Bool {
        let count = (try? Syscalls.readAvailable(descriptor, into: &buffer)) ?? 0  // As above.
        if count > 0 {
            send(interpreter.processErrors(buffer.span.extracting(0..<count), at: MonotonicClock.milliseconds))
            let pause = budget.pauseMilliseconds(afterReading: count, at: MonotonicClock.milliseconds)
            if pause > 0 { _ = stop.sleep(milliseconds: pause) }
        }
        return count != 0
    }

    private func send(_ events: [PositionSourceEvent]) {
        queue.send(events)
    }
}

/// How fast a pipe is read: a fixed number of bytes per quarter of a second.
private struct ByteBudget {
    private static let windowMilliseconds: Int64 = 250

    private let bytesPerWindow: Int
    private var windowStart: Int64 = 0
    private var count = 0

    init(bytesPerSecond: Int) {
        bytesPerWindow = bytesPerSecond * Int(ByteBudget.windowMilliseconds) / 1_000
    }

    /// How long to pause after reading this many bytes.
    mutating func pauseMilliseconds(afterReading bytes: Int, at now: Int64) -> Int64 {
        if now - windowStart >= ByteBudget.windowMilliseconds { (windowStart, count) = (now, 0) }
        count += bytes
        return count > bytesPerWindow ? windowStart + ByteBudget.windowMilliseconds - now : 0
    }
}
