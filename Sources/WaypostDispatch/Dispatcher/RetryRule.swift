/// When a destination is tried again after a failure.
///
/// - Temporary failures: 1 s, doubling to 5 min, with full jitter: a random moment of the span, so that a fleet does not come back at once
///   (Brooker, "Exponential Backoff and Jitter", AWS 2015). A server's Retry-After is respected.
/// - Failures that a person has to fix (401, 403, 404, TLS): every 15 min with jitter, for ever.
/// - Units: milliseconds of a clock that never jumps.
/// - Concurrency: a value; one step per answer.
package struct RetryRule: Sendable, Hashable {
    /// How an attempt ended.
    package enum Ending: Sendable, Hashable {
        /// The server answered properly, even if it refused the records.
        case reached
        /// It may work later, by itself; not before the given time.
        case temporary(retryAfter: Duration?)
        /// A person has to change something.
        case denied
    }

    /// The first span and the longest, milliseconds.
    package static let spans: ClosedRange<Int64> = 1_000...300_000
    /// The span for failures that a person has to fix, milliseconds; a quarter of it is jitter to both sides.
    package static let deniedSpan: Int64 = 900_000
    /// The longest Retry-After that is respected, milliseconds: an hour, so that a header cannot switch a device off for ever.
    package static let longestRetryAfter: Int64 = 3_600_000

    /// No attempt is allowed before this moment; nil when one is allowed now.
    package private(set) var notBefore: Int64?
    /// How many attempts in a row failed.
    package private(set) var failureCount = 0

    /// Nothing has failed yet.
    package init() {}

    /// Processes the end of an attempt, and decides when the next one is allowed.
    package mutating func process(_ ending: Ending, at now: Int64, using generator: inout some RandomNumberGenerator) {
        switch ending {
        case .reached:
            failureCount = 0
            notBefore = nil
        case .temporary(let retryAfter):
            let doublings = min(failureCount, 16)
            let span = min(RetryRule.spans.lowerBound << Int64(doublings), RetryRule.spans.upperBound)
            failureCount += 1
            var delay = max(RetryRule.spans.lowerBound, Int64.random(in: 0...span, using: &generator))
            if let retryAfter {
                let asked = retryAfter.components.seconds.clamped(to: 0...RetryRule.longestRetryAfter / 1_000) * 1_000
                // Devices that got the same number come back slightly spread.
                delay = max(delay, asked + Int64.random(in: 0...1_000, using: &generator))
            }
            notBefore = now + delay
        case .denied:
            failureCount += 1
            let jitter = RetryRule.deniedSpan / 4
            notBefore = now + RetryRule.deniedSpan + Int64.random(in: -jitter...jitter, using: &generator)
        }
    }

    /// Allows an attempt now, because a person wants one.
    package mutating func allowNow() {
        notBefore = nil
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
