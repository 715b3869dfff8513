/// Decides when a receiver is on: always, never, or for one sample now and then.
///
/// A sample lasts until a usable fix comes (``sampled(nextIn:at:)``) or the patience runs out. Moments are milliseconds of one monotonic clock.
/// The owner of a duty cycle checks ``receiverIsOn`` after every step and calls ``tick(at:)`` at ``deadline``.
package struct DutyCycle: Sendable, Equatable {
    /// The combined needs of all clients.
    package enum Demand: Int, Sendable, Hashable, Comparable {
        /// Nobody needs positions.
        case nothing
        /// A fix now and then is enough.
        case samples
        /// Every fix.
        case everything

        /// Ordered by how much is asked for.
        package static func < (left: Demand, right: Demand) -> Bool { left.rawValue < right.rawValue }
    }

    /// The shortest sleep, in milliseconds: turning a receiver off for less than that is not worth it.
    package static let shortestSleepMilliseconds: Int64 = 20_000
    /// The longest sleep, in milliseconds: the departure of a parked device is noticed after this time at the latest.
    package static let longestSleepMilliseconds: Int64 = 300_000
    /// How long a sample may take, in milliseconds: three cold starts of a common receiver (30 s in its data sheet).
    package static let patienceMilliseconds: Int64 = 90_000

    private enum Phase: Equatable {
        case off
        case on(since: Int64)
        case asleep(since: Int64, until: Int64)
    }

    /// The current demand.
    package private(set) var demand = Demand.nothing
    private var phase = Phase.off

    /// Creates a cycle without any demand: the receiver is off.
    package init() {}

    /// Whether the receiver should be on now.
    package var receiverIsOn: Bool {
        if case .on = phase { true } else { false }
    }

    /// Until when the receiver sleeps; nil when it is on, or off because nobody needs it.
    package var sleepsUntil: Int64? {
        if case .asleep(_, let end) = phase { end } else { nil }
    }

    /// When ``tick(at:)`` has something to do; nil when time alone changes nothing.
    package var deadline: Int64? {
        switch phase {
        case .off: nil
        case .on(let start): demand == .samples ? start + DutyCycle.patienceMilliseconds : nil
        case .asleep(_, let end): end
        }
    }

    /// Sets the demand from now on.
    package mutating func need(_ demand: Demand, at now: Int64) {
        defer { self.demand = demand }
        switch (demand, phase) {
        case (.nothing, _): phase = .off
        case (.everything, .off), (.everything, .asleep), (.samples, .off): phase = .on(since: now)
        // A receiver that was always on stays on until the first sample.
        case (.samples, .on) where self.demand == .everything: phase = .on(since: now)
        case (.everything, .on), (.samples, .on), (.samples, .asleep): break
        }
    }

    /// Notes that a usable fix has come, and how soon the next one is needed, in milliseconds.
    package mutating func sampled(nextIn milliseconds: Int64, at now: Int64) {
        guard demand == .samples, case .on = phase else { return }
        guard milliseconds >= DutyCycle.shortestSleepMilliseconds else {
            phase = .on(since: now)
            return
        }
        sleep(milliseconds, from: now)
    }

    /// Changes when the next fix is needed, in milliseconds after the last one.
    ///
    /// When it is needed so soon that the receiver would not have been turned off, it wakes at once.
    package mutating func reschedule(nextIn milliseconds: Int64, at now: Int64) {
        guard case .asleep(let start, _) = phase else { return }
        guard milliseconds >= DutyCycle.shortestSleepMilliseconds else {
            phase = .on(since: now)
            return
        }
        sleep(milliseconds, from: start)
        tick(at: now)
    }

    /// Applies the passing of time; true when a sample brought no fix and the receiver now sleeps.
    @discardableResult
    package mutating func tick(at now: Int64) -> Bool {
        guard let deadline, now >= deadline else { return false }
        if receiverIsOn {
            sleep(DutyCycle.longestSleepMilliseconds, from: now)
            return true
        }
        phase = .on(since: now)
        return false
    }

    private mutating func sleep(_ milliseconds: Int64, from start: Int64) {
        let span = min(max(milliseconds, DutyCycle.shortestSleepMilliseconds), DutyCycle.longestSleepMilliseconds)
        phase = .asleep(since: start, until: start + span)
    }
}
