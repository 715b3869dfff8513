import Synchronization
import Waypost
import WaypostPositioning

/// Checks that a source keeps the contract of `PositionSource`; for our sources and for yours.
///
/// ```swift
/// let violations = await PositionSourceContract().violations { MySource() }
/// #expect(violations.isEmpty, "\(violations)")
/// ```
/// The source must have something to deliver while it is checked: a receiver (real or simulated) with positions.
///
/// It runs the source twice, and two more of its kind once each: one is cancelled before it starts, one while its reader is slow. How a
/// source handles a lost daemon or an unplugged receiver cannot be checked here; that is for its own tests.
public struct PositionSourceContract: Sendable {
    /// How long a source may take to its third position.
    public var patience: Duration
    /// Whether reports without a fix suffice, for a source that has nothing else to deliver.
    public var acceptsNoFix: Bool

    /// A check with that patience.
    public init(patience: Duration = .seconds(15), acceptsNoFix: Bool = false) {
        self.patience = patience
        self.acceptsNoFix = acceptsNoFix
    }

    /// Where the source breaks the contract; empty when it keeps it.
    ///
    /// - Parameter makeSource: makes a new source; it is called several times.
    public func violations(of makeSource: @Sendable () -> any PositionSource) async -> [Violation] {
        var found: [Violation] = []
        let source = makeSource()
        if source.name.isEmpty { found.append(Violation("the source has no name")) }
        if source.originNames.isEmpty { found.append(Violation("the source does not say what its positions carry")) }
        if source.name != makeSource().name { found.append(Violation("two sources made alike have different names")) }
        found += await runTwice(source)
        found += await cancelBeforeTheStart(makeSource())
        found += await cancelASlowReader(makeSource())
        return found
    }

    // The same source twice: it delivers, keeps the rules, stops, and starts again.
    private func runTwice(_ source: any PositionSource) async -> [Violation] {
        var found: [Violation] = []
        for turn in ["first", "second"] {
            let run = ObservedRun(source)
            let isGood = await run.waits(patience) { count(in: $0) >= 3 || $0.hasEnded }
            if !isGood { found.append(Violation("no three positions within \(patience) in the \(turn) run")) }
            try? await Task.sleep(for: .milliseconds(200))  // A source that ends here by itself shows it.
            if let error = run.record.error { found.append(Violation("the \(turn) run threw \(error)")) }
            let record = run.record
            if count(in: record) == 0 { found.append(Violation("the \(turn) run gave no position")) }
            if record.hasEnded, record.error == nil, record.events.last != .finished {
                found.append(Violation("the \(turn) run returned without being cancelled and without .finished"))
            }
            if record.events.last == .finished, !(await run.waits(.seconds(1)) { $0.hasEnded }) {
                found.append(Violation("the \(turn) run did not return after .finished"))
            }
            found += await run.cancelled(named: "the \(turn) run")
        }
        return found
    }

    private func cancelBeforeTheStart(_ source: any PositionSource) async -> [Violation] {
        let run = ObservedRun(source, isCancelledBefore: true)
        return await run.cancelled(named: "a run that is cancelled before it starts")
    }

    // A slow reader: events still come one by one, and cancelling does not wait for the queue.
    private func cancelASlowReader(_ source: any PositionSource) async -> [Violation] {
        let run = ObservedRun(source, readerTakes: .milliseconds(100))
        _ = await run.waits(patience) { count(in: $0) >= 1 || $0.hasEnded }
        return await run.cancelled(named: "a run with a slow reader")
    }

    /// How many of the expected events the source has delivered.
    private func count(in record: ObservedRun.Record) -> Int {
        record.events.count { event in
            switch event {
            case .position: true
            case .noFix: acceptsNoFix
            default: false
            }
        }
    }
}

/// One run of a source, with what it delivered.
private final class ObservedRun: Sendable {
    struct Record: Sendable {
        var events: [PositionSourceEvent] = []
        var violations: [Violation] = []
        var isInOutput = false
        var hasEnded = false
        var error: PositionSourceError?
        /// The fixes with a time that were delivered.
        var fixes: Set<Fix> = []

        /// Time and place: no two fixes of a source share both.
        struct Fix: Hashable, Sendable {
            var time: UTCTime
            var coordinate: Coordinate
        }
    }

    private final class Log: Sendable {
        let record = Mutex(Record())
    }

    private let log = Log()
    private let task: Task<Void, Never>

    init(_ source: any PositionSource, isCancelledBefore: Bool = false, readerTakes delay: Duration = .milliseconds(1)) {
        let (log, names) = (log, source.originNames)
        task = Task {
            if isCancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
            do throws(PositionSourceError) {
                try await source.run { event in
                    log.record.withLock { $0.note(event, sources: names) }
                    try? await Task.sleep(for: delay)  // A cancelled reader is a quick reader.
                    log.record.withLock { $0.isInOutput = false }
                }
            } catch {
                log.record.withLock { $0.error = error }
            }
            log.record.withLock { $0.hasEnded = true }
        }
    }

    var record: Record { log.record.withLock { $0 } }

    /// Whether the condition comes true within that time.
    func waits(_ time: Duration, _ isTrue: (Record) -> Bool) async -> Bool {
        let end = ContinuousClock.now + time
        while !isTrue(record) {
            if ContinuousClock.now > end { return false }
            try? await Task.sleep(for: .milliseconds(5))  // Cancelled: the loop ends with its time.
        }
        return true
    }

    /// Cancels the run; returns what was wrong then and before.
    func cancelled(named run: String) async -> [Violation] {
        task.cancel()
        var found: [Violation] = []
        if await waits(.seconds(1), { $0.hasEnded }) {
            let count = record.events.count
            try? await Task.sleep(for: .milliseconds(300))  // Cancelled: a shorter look.
            if record.events.count > count { found.append(Violation("\(run) delivered an event after it had returned")) }
        } else {
            found.append(Violation("\(run) did not return within a second of its cancellation"))
        }
        return record.violations.map { Violation("\(run): \($0)") } + found
    }
}

extension ObservedRun.Record {
    /// Adds an event and its violations.
    fileprivate mutating func note(_ event: PositionSourceEvent, sources names: [String]) {
        func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
            if !condition { violations.append(Violation(words())) }
        }
        func isOrigin(_ name: String?) -> Bool { name.map(names.contains) ?? false }
        expect(!isInOutput, "an event came while the one before was still being taken")
        expect(!hasEnded, "an event came after the run had returned")
        expect(events.last != .finished, "an event came after .finished")
        isInOutput = true
        switch event {
        case .position(let position):
            expect(isOrigin(position.source), "a position's source is \(position.source ?? "nil"), not one of \(names)")
            expect(position.hasOnlyFiniteValues, "a position holds a value that is not finite: \(position)")
            expect(position.courseDegrees.map { (0..<360).contains($0) } ?? true, "a course is outside 0..<360: \(position)")
            expect((position.speedMetresPerSecond ?? 0) >= 0, "a speed is negative: \(position)")
            if let time = position.time {
                let isNew = fixes.insert(Fix(time: time, coordinate: position.coordinate)).inserted
                expect(isNew, "the fix of \(time) was delivered twice")
            }
        case .noFix(let report): expect(isOrigin(report.source), "a report without a fix does not carry the source's name")
        case .sky(let view): expect(isOrigin(view.source), "a sky view does not carry the source's name")
        case .lost: expect(!isLost, "a loss was told twice, without a position in between")
        case .status, .finished: break
        }
        events.append(event)
    }

    private var isLost: Bool {
        for event in events.reversed() {
            switch event {
            case .position: return false
            case .lost: return true
            default: continue
            }
        }
        return false
    }
}

extension Position {
    fileprivate var hasOnlyFiniteValues: Bool {
        let values = [
            altitudeMSLMetres, altitudeHAEMetres, geoidSeparationMetres, speedMetresPerSecond, courseDegrees, climbMetresPerSecond,
            accuracy?.radiusMetres, quality.eph, quality.epv, quality.eps, quality.hdop, quality.vdop, quality.pdop,
        ]
        return values.allSatisfy { $0?.isFinite ?? true }
    }
}
