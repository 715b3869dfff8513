/// Decides at each beat whether the service manager may hear that all is well: every stage has answered, and data that is due arrives.
///
/// At each beat every stage is asked for an answer, unless it still owes one. A stage that owes the answer to the previous beat withholds the
/// beat. One that answers late is healthy again from then on: a disk may take seconds.
public struct WatchdogRule: Sendable, Equatable {
    /// The result of a beat.
    public enum Verdict: Sendable, Equatable {
        /// The manager may be notified.
        case well
        /// It may not: these stages owe an answer, and these sources deliver nothing although they should.
        case withheld(stages: [String], sources: [String])
    }

    private let stages: [String]
    private var owing: Set<String> = []

    /// A rule for these stages, none of which has been asked yet.
    public init(stages: [String]) {
        self.stages = stages
    }

    /// Evaluates a beat.
    ///
    /// - Parameter overdueSources: the sources that should have delivered something and have not; empty while nothing is due.
    /// - Returns: whether all is well, and which stages to ask now.
    public mutating func beat(overdueSources: [String]) -> (verdict: Verdict, asks: [String]) {
        let late = stages.filter(owing.contains)
        let asks = stages.filter { !owing.contains($0) }
        owing = Set(stages)
        return (late.isEmpty && overdueSources.isEmpty ? .well : .withheld(stages: late, sources: overdueSources), asks)
    }

    /// Notes that a stage has answered.
    public mutating func note(answerOf stage: String) {
        owing.remove(stage)
    }
}
