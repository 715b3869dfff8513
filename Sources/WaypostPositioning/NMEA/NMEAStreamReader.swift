import Waypost
import WaypostSystem

/// The thread's side of one run of an ``NMEAFileSource`` that is no file: a FIFO or standard input, whose sentences count as they come.
struct NMEAStreamReader: ~Copyable {
    private let file: UnpackedFile
    private let queue: EventQueue
    private let stop: WakeSignal
    private var interpreter: NMEAInterpreter
    /// How long the receiver of the events has held this up; that is no silence of the writer.
    private var heldMilliseconds: Int64 = 0
    private var judgedAt = Int64.min

    init(_ file: consuming UnpackedFile, source: NMEAFileSource, queue: EventQueue, stop: WakeSignal) {
        self.file = file
        self.queue = queue
        self.stop = stop
        // What is piped in may be an old recording.
        interpreter = NMEAInterpreter(name: source.name, correctsWeekRollover: false, at: MonotonicClock.milliseconds)
    }

    /// Reads until the writer closes, or the run is cancelled.
    ///
    /// - Errors: it cannot be read, or held no NMEA at all.
    consuming func run() throws(PositionSourceError) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // Up to when all has been read: should this process be stopped after that, more may have come.
            var moment = now
            let patience = waitMilliseconds(at: moment)
            let count: Int
            switch stop.wait(forReading: file.descriptor, timeoutMilliseconds: patience) {
            case .raised: return
            case .timedOut:
                moment += patience ?? 0
                count = -1
            case .ready:
                moment = now
                do throws(SystemError) { count = try Syscalls.readAvailable(file.descriptor, into: &buffer) } catch {
                    throw .cannotRead(path: file.path, reason: error.reason)
                }
            }
            if count == 0 { break }
            let events = count > 0 ? interpreter.process(buffer.span.extracting(0..<count), at: now) : interpreter.endEpoch()
            judgedAt = moment
            guard send(events), send(interpreter.judge(at: moment)) else { return }
        }
        guard send(interpreter.finish()) else { return }
        try NMEAFileReader.tellEnd(of: file.path, interpreter.counters, nil, to: queue)
    }

    private var now: Int64 { MonotonicClock.milliseconds - heldMilliseconds }

    /// How long to wait for the next bytes: until a quiet gap ends an epoch, or silence has to be judged.
    private func waitMilliseconds(at now: Int64) -> Int64? {
        if interpreter.isEpochOpen { return NMEAFileSource.quietMilliseconds }
        let deadline = interpreter.judgementDeadline
        return deadline > judgedAt ? max(0, deadline - now) : nil
    }

    private mutating func send(_ events: [PositionSourceEvent]) -> Bool {
        if events.isEmpty { return true }
        let start = MonotonicClock.milliseconds
        defer { heldMilliseconds += MonotonicClock.milliseconds - start }
        return queue.send(events)
    }
}
