/// Asks something that may wait for a disk, and keeps the last answer when that takes too long.
///
/// Whoever asks meanwhile shares the question: one that hangs costs no more than one.
public actor TimeLimitedQuery<Answer: Sendable> {
    private let limit: Duration
    private let ask: @Sendable () async -> Answer
    private let waiting = WaitingTasks()
    private var last: Answer?
    private var answerCount = 0
    private var isAsking = false

    /// A question that nobody has asked yet.
    ///
    /// - Parameters:
    ///   - limit: so long an answer is waited for.
    ///   - ask: asks.
    public init(within limit: Duration = .seconds(2), _ ask: @escaping @Sendable () async -> Answer) {
        (self.limit, self.ask) = (limit, ask)
    }

    /// The newest answer, nil when there never was one; and whether it was given now.
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
