import Waypost
import WaypostRecording
import WaypostSystem

/// `waypost log export --follow`: what is there, and then what follows, until a stop is requested or the output has no reader any more.
struct LogFollowing {
    let type: LogType?
    let format: ConversionFormat

    func run(_ folder: LogFolder, from start: LogReader.Start) throws(CommandFailure) {
        let stop: WakeSignal
        do throws(SystemError) {
            stop = try WakeSignal()
            Signals.blockStopRequests()
            _ = try DedicatedThread.start(name: "signals") { [stop] _ in
                _ = Signals.waitForStopRequest()
                stop.raise()
            }
        } catch {
            throw CommandFailure(.failed, what: "log", why: "cannot be followed: \(error.reason)")
        }
        var follower = try attempt { () throws(RecordingError) in try LogFollower(folder: folder, from: start) }
        var writer = LogExportWriter(format: format, output: try OutputStream(path: "-", endsWithReader: true), isEndless: true)
        var replacements = 0
        var count = 0
        repeat {
            follower.look()
            while let record = try attempt({ () throws(RecordingError) in try follower.next() }) {
                if follower.replacementCount > replacements {
                    replacements = follower.replacementCount
                    SystemProcess.printError("waypost: \(logPath(folder.path)): another log lies there now; its numbers begin anew")
                }
                if record.isOf(type, in: follower.reader.header) { try writer.add(record) }
                // Even a log of weeks must not ignore Ctrl-C; but asking the kernel at each record would be too much.
                count += 1
                if count % 1_000 == 0, Syscalls.isReadable(stop.descriptor) { break }
            }
            try writer.flush()
        } while try wait(&follower, stop)
        let isOfTime = if case .from = start { true } else { false }
        let last = writer.lastSequence ?? follower.reader.cursor
        try writer.finish()
        follower.reader.tellDamage(isOfTime: isOfTime)
        if format != .jsonl { SystemProcess.printError("cursor \(last)") }
    }

    /// Waits until there may be more; returns false when it is time to end.
    private func wait(_ follower: inout LogFollower, _ stop: WakeSignal) throws(CommandFailure) -> Bool {
        while true {
            var ready = (log: false, stop: false, output: false)
            do throws(SystemError) {
                ready = try Syscalls.waitForChange(
                    log: follower.descriptor, stop: stop.descriptor, output: Syscalls.standardOutput,
                    timeoutMilliseconds: follower.timeoutMilliseconds)
            } catch {
                throw CommandFailure(.inputOutput, what: "log", why: "cannot be followed: \(error.reason)")
            }
            // A reader that stopped has had enough, as with `| head`.
            if ready.output { SystemProcess.exit(.ok) }
            if ready.stop { return false }
            if !ready.log || follower.clear() { return true }
        }
    }
}
