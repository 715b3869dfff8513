/// Which kind of records a destination gets next, so that none waits for ever behind another.
///
/// Usually dead letters that are due go first, then events, then positions. Besides:
/// - Positions go before events once while sending events has taken ten seconds since the last positions.
/// - What failed goes first in the next run: a server that answers every second request would else get only what goes first.
/// - What failed once more goes first or last then, at random: it may never arrive, and no rhythm of failures keeps step with chance.
/// - What a person has to fix goes last.
/// - Concurrency: a value; one step per attempt.
struct SendingTurns {
    /// A kind of records.
    enum Kind: CaseIterable {
        case deadLetters, events, positions
    }

    /// Which kind the next attempt takes out of its place, and whether it goes first or last there.
    private var exception: (kind: Kind, isFirst: Bool)?
    private var failureCounts: [Kind: Int] = [:]
    /// How long sending events has taken since the last positions, milliseconds.
    private var eventTime: Int64 = 0

    /// Sending events takes so long before positions have a turn, milliseconds.
    private static let longestEventTime: Int64 = 10_000

    /// The kinds, in the order in which the next attempt looks for records.
    var order: [Kind] {
        var order = Kind.allCases
        if eventTime >= SendingTurns.longestEventTime { order = [.deadLetters, .positions, .events] }
        if let exception {
            order.removeAll { $0 == exception.kind }
            order.insert(exception.kind, at: exception.isFirst ? 0 : order.endIndex)
        }
        return order
    }

    /// Returns to the usual order after failures, because a person wants everything sent.
    mutating func forgetFailures() { (exception, failureCounts) = (nil, [:]) }

    /// Notes how an attempt with records of a kind ended, and how long it took.
    mutating func note(_ ending: RunEnding, of kind: Kind, milliseconds: Int64, using generator: inout some RandomNumberGenerator) {
        exception = nil
        switch kind {
        case .deadLetters: break
        case .events: eventTime += milliseconds
        case .positions: eventTime = 0
        }
        switch ending {
        case .sent, .refused: failureCounts[kind] = nil
        case .skipped, .empty, .dryRun: break
        case .denied: exception = (kind, false)
        case .failed:
            let count = failureCounts[kind, default: 0] + 1
            failureCounts[kind] = count
            exception = (kind, count == 1 || Bool.random(using: &generator))
        }
    }
}
