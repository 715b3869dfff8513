/// Runs a query that may wait for a disk, and returns the previous answer when that takes too long.
///
/// Callers in the meantime share the query: one that hangs costs no more than one.
public actor TimeLimitedQuery<Answer: Sendable> {
    private let limit: Duration
    private let ask: @Sendable () async -> Answer
    private let waiting = WaitingTasks()
    private var last: Answer?
    private var answerCount = 0
    private var isAsking = false

    /// A query that has not run yet.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for an answer.
    ///   - ask: runs the query.
    public init(within limit: Duration = .seconds(2), _ ask: @escaping @Sendable () async -> Answer) {
        (self.limit, self.ask) = (limit, ask)
    }

    /// The newest answer, nil when there never was one; and whether it is from this call.
    public func answer() async -> (answer: Answer?, isNew: Bool) {
        if !isAsking {
            isAsking = true
            Task { note(await ask()) }
        }
        let known = answerCount
        let waiter = Task { while case let mark = waiting.mark, answerCount == known, await waiting.wait(since: mark) {} }
        let timer = Task {
            try? await Task.sleep(for: limit)  // Cancelled: the answer is there.
            waiter.cancel()
        }
        await waiter.value
        timer.cancel()
        return (last, answerCount != known)
    }

    private func note(_ answer: Answer) {
        (last, isAsking) = (answer, false)
        answerCount += 1
        waiting.resumeAll()
    }
}
