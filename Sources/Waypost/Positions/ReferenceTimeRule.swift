/// Decides which fixes may set a clock: those of a real receiver, once several of them agree on the date, one per second.
///
/// - Concurrency: a value; one step per fix.
package struct ReferenceTimeRule: Sendable, Hashable {
    // A receiver that reports ten times a second does not know the time any better.
    private static let intervalMilliseconds: Int64 = 950

    private var confirmed = ConfirmedTime()
    private var lastAt: Int64?

    // A recording, a simulated drive or a program may report any time.
    private let schemes: [String]

    /// Creates a rule before its first fix.
    ///
    /// - Parameter schemes: the schemes of the sources whose fixes may set a clock: their names up to the first colon.
    package init(schemes: [String]) {
        self.schemes = schemes
    }

    /// Whether the time of this fix may be passed on.
    ///
    /// - Parameters:
    ///   - position: the fix.
    ///   - clock: the machine's clock that never jumps (CLOCK_BOOTTIME), in milliseconds.
    package mutating func process(_ position: Position, at clock: Int64) -> Bool {
        guard let time = position.time, isMeasured(position) else { return false }
        confirmed.process(time, from: position.source, at: clock)
        // A date that has just jumped, or is doubted, is not passed on.
        guard let expected = confirmed.time(at: clock),
            (expected.millisecondsSince1970 - time.millisecondsSince1970).magnitude <= ConfirmedTime.toleranceMilliseconds
        else { return false }
        if let lastAt, clock - lastAt < ReferenceTimeRule.intervalMilliseconds { return false }
        lastAt = clock
        return true
    }

    private func isMeasured(_ position: Position) -> Bool {
        guard let source = position.source, schemes.contains(where: source.prefix(while: { $0 != ":" }).elementsEqual) else { return false }
        return position.status.isMeasured
    }
}
