/// Decides at each beat whether the service manager may be told that all is well: every stage has answered, and data that is due goes through.
///
/// At a beat every stage is asked for an answer, unless it still owes one. A stage that owes the answer of the beat before withholds the
/// beat. One that answers late is well again from then on: a disk may take seconds.
public struct WatchdogRule: Sendable, Equatable {
    /// What a beat comes to.
    public enum Verdict: Sendable, Equatable {
        /// The manager may be told.
        case well
        /// It may not: these stages owe an answer, and these sources give nothing, although they should.
        case withheld(stages: [String], sources: [String])
    }

    private let stages: [String]
    private var owing: Set<String> = []

    /// A rule for these stages, none of which was asked yet.
    public init(stages: [String]) {
        self.stages = stages
    }

    /// A beat.
    ///
    /// - Parameter overdueSources: the sources that should have given something by now and have not; empty while nothing is due.
    /// - Returns: whether all is well, and whom to ask now.
    public mutating func beat(overdueSources: [String]) -> (verdict: Verdict, asks: [String]) {
        let late = stages.filter(owing.contains)
        let asks = stages.filter { !owing.contains($0) }
        owing = Set(stages)
        return (late.isEmpty && overdueSources.isEmpty ? .well : .withheld(stages: late, sources: overdueSources), asks)
    }

    /// A stage has answered.
    public mutating func note(answerOf stage: String) {
        owing.remove(stage)
    }
}
