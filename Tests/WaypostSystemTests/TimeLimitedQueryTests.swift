import Testing
import WaypostSystem

/// Questions that may never be answered.
struct TimeLimitedQueryTests {
    @Test func givesTheNewAnswer() async {
        let question = TimeLimitedQuery { 7 }
        let (answer, isNew) = await question.answer()
        #expect(answer == 7 && isNew)
    }

    @Test func doesWithoutOneThatTakesTooLong() async {
        let (stream, go) = AsyncStream.makeStream(of: Int.self)
        let question = TimeLimitedQuery(within: .milliseconds(50)) { await stream.first { _ in true } }
        let first = await question.answer()
        #expect(first.answer == nil && !first.isNew)
        go.yield(1)
        // It is still the first question that is answered.
        let second = await question.answer()
        #expect(second.answer == 1)
        let third = await question.answer()
        #expect(third.answer == 1 && !third.isNew)
        go.finish()
    }
}
