import Testing
import WaypostSystem

@Suite(.timeLimit(.minutes(1))) struct WaitingTasksTests {
    /// A task that is about to wait may be off its actor when it happens.
    @Test func doesNotWaitForWhatHasHappenedSinceTheMark() async {
        let waiting = WaitingTasks()
        let mark = waiting.mark
        waiting.resumeAll()
        #expect(await waiting.wait(since: mark))
    }

    @Test func waitsForWhatHappensNext() async {
        let waiting = WaitingTasks()
        waiting.resumeAll()
        let mark = waiting.mark
        let waiter = Task { await waiting.wait(since: mark) }
        await Task.yield()
        waiting.resumeAll()
        #expect(await waiter.value)
    }

    @Test func endsWithTheTask() async {
        let waiting = WaitingTasks()
        let mark = waiting.mark
        let waiter = Task { await waiting.wait(since: mark) }
        waiter.cancel()
        #expect(await waiter.value == false)
    }

    /// Each looks at the turn before it waits; none is forgotten.
    @Test func letsEveryoneOfACrowdThrough() async {
        let gate = Gate()
        await withTaskGroup { group in
            for _ in 0..<2_000 { group.addTask { await gate.pass() } }
        }
        #expect(await gate.passed == 2_000)
    }

    private actor Gate {
        private let waiting = WaitingTasks()
        private var isTaken = false
        private(set) var passed = 0

        func pass() async {
            while case let mark = waiting.mark, isTaken { _ = await waiting.wait(since: mark) }
            isTaken = true
            await Task.yield()
            (isTaken, passed) = (false, passed + 1)
            waiting.resumeAll()
        }
    }
}
