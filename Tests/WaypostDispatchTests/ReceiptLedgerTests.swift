import Testing

@testable import WaypostDispatch

@Suite struct ReceiptLedgerTests {
    private let ids = ["a", "b", "c"]

    private func started(_ now: Int64 = 1_000) -> ReceiptLedger {
        var ledger = ReceiptLedger(pauseMilliseconds: 60_000, quietMilliseconds: 5_000)
        #expect(ledger.begin(ids, hasForgotten: false, now: now) == ids)
        ledger.notePublished(ids, now: now)
        return ledger
    }

    @Test(arguments: [
        "a\nb\nc", "a\r\nb\r\nc\r\n", #"["c","a","b"]"#, #" {"received":["a","b","c"]}"#, #"{"received":["a","b"],"refused":["c"]}"#,
    ])
    func takesIDsInAnyFormAndOrder(message: String) {
        var ledger = started()
        ledger.process(Array(message.utf8), now: 2_000)
        #expect(ledger.isComplete && ledger.missingCount == 0)
        let (received, refused) = ledger.finish()
        #expect(refused == (message.contains("refused") ? ["c": "refused by the application"] : [:]))
        #expect(received == Set(ids).subtracting(refused.keys))
    }

    @Test(arguments: ["", "  ", "d", "[1,2]", #"["a""#, #"{"received":"a"}"#, "{}", "null", "\u{0}\u{ff}", #"{"id":"a"}"#])
    func takesNothingElse(message: String) {
        var ledger = started()
        ledger.process(Array(message.utf8), now: 2_000)
        #expect(!ledger.isComplete && ledger.missingCount == 3)
    }

    @Test func waitsForWhatIsOnItsWay() {
        var ledger = started()
        ledger.process(Array("b".utf8), now: 1_000)
        #expect(ledger.begin(ids, hasForgotten: false, now: 30_000) == [])
        #expect(ledger.missingCount == 2)
    }

    @Test func publishesAgainWhatAnApplicationThatIsThereHasNotGot() {
        var ledger = started()
        ledger.process(Array("c".utf8), now: 2_000)
        // It may be in the middle of them.
        #expect(ledger.begin(ids, hasForgotten: false, now: 6_999) == [])
        #expect(ledger.begin(ids, hasForgotten: false, now: 7_000) == ["a", "b"])
        ledger.notePublished(["a", "b"], now: 7_000)
        #expect(ledger.begin(ids, hasForgotten: false, now: 20_000) == [])
    }

    /// Anybody may write to the topic, and the application may repeat itself: only a receipt that settles something shows that it is there.
    @Test(arguments: ["x", #"{"x":1}"#, "c", #"{"refused":["x"]}"#]) func hearsNothingInWordsThatSettleNothing(words: String) {
        var ledger = ReceiptLedger(pauseMilliseconds: 60_000, quietMilliseconds: 5_000)
        #expect(ledger.begin(["c"], hasForgotten: false, now: 0) == ["c"])
        ledger.notePublished(["c"], now: 0)
        ledger.process(Array("c".utf8), now: 500)
        #expect(ledger.finish().received == ["c"])
        #expect(ledger.begin(["a", "b"], hasForgotten: false, now: 1_000) == ["a", "b"])
        ledger.notePublished(["a", "b"], now: 1_000)
        ledger.process(Array(words.utf8), now: 2_000)
        #expect(!ledger.shouldEnd(now: 60_000))
        #expect(ledger.begin(["a", "b"], hasForgotten: false, now: 8_000) == [])
        // Nor do they make it less silent.
        ledger.process(Array("b".utf8), now: 9_000)
        ledger.process(Array(words.utf8), now: 13_999)
        #expect(ledger.begin(["a"], hasForgotten: false, now: 14_000) == ["a"])
    }

    @Test func publishesAgainWhatABrokerHasForgotten() {
        var ledger = started()
        #expect(ledger.begin(ids, hasForgotten: true, now: 2_000) == ids)
    }

    @Test func publishesAgainWhatMayNotHaveArrived() {
        var ledger = started()
        ledger.noteLost(["b"])
        #expect(ledger.begin(ids, hasForgotten: false, now: 2_000) == ["b"])
    }

    @Test func publishesSeldomForAnApplicationThatIsAwayForLong() {
        var ledger = started(0)
        var count = 0
        for minute in 1...(7 * 24 * 60) {
            let due = ledger.begin(ids, hasForgotten: false, now: Int64(minute) * 60_000)
            #expect(due.isEmpty || due == ids)
            if !due.isEmpty {
                count += 1
                ledger.notePublished(due, now: Int64(minute) * 60_000)
            }
        }
        // After 1, 2, 4, 8, 16, 32 minutes, and then every hour of the week.
        #expect(count == 6 + 166)
    }

    @Test func knowsABatchAgainThatAnotherLaneHasOvertaken() {
        var ledger = started()
        #expect(ledger.begin(["x"], hasForgotten: false, now: 2_000) == ["x"])
        ledger.notePublished(["x"], now: 2_000)
        ledger.process(Array("a\nb\nc\nx".utf8), now: 2_000)
        #expect(ledger.finish().received == ["x"])
        #expect(ledger.begin(ids, hasForgotten: false, now: 3_000) == [])
        #expect(ledger.isComplete)
    }

    @Test func forgetsWhatIsSettled() {
        var ledger = started()
        ledger.process(Array("a\nb\nc".utf8), now: 2_000)
        #expect(ledger.finish().received == Set(ids))
        // The same ids once more are dead letters that somebody wants tried again.
        #expect(ledger.begin(ids, hasForgotten: false, now: 3_000) == ids)
    }

    @Test func staysSmall() {
        var ledger = ReceiptLedger(pauseMilliseconds: 60_000, quietMilliseconds: 5_000)
        for batch in 0..<100 { _ = ledger.begin((0..<500).map { "\(batch)-\($0)" }, hasForgotten: false, now: 0) }
        #expect(ledger.knownCount <= 4_096)
        for round in 0..<100 { ledger.process(Array((0..<500).map { "early \(round)-\($0)" }.joined(separator: "\n").utf8), now: 0) }
        #expect(ledger.knownCount <= 2 * 4_096)
    }

    /// After a start the broker gives what was said while we were away, before anything is asked.
    @Test func knowsWhatWasSaidBeforeItWasAsked() {
        var ledger = ReceiptLedger(pauseMilliseconds: 60_000, quietMilliseconds: 5_000)
        ledger.process(Array(#"{"received":["b"],"refused":["c"]}"#.utf8), now: 500)
        #expect(ledger.begin(ids, hasForgotten: false, now: 1_000) == ["a", "c"])
        #expect(ledger.shouldEnd(now: 1_500))
        #expect(ledger.finish() == (["b"], [:]))
    }

    @Test func tellsEachByItself() {
        var ledger = started()
        #expect(!ledger.shouldEnd(now: 100_000))
        ledger.process(Array("b".utf8), now: 2_000)
        #expect(!ledger.shouldEnd(now: 2_499) && ledger.shouldEnd(now: 2_500))
        ledger.process(Array("c".utf8), now: 2_400)
        // One that comes a second time is no news.
        ledger.process(Array("c".utf8), now: 2_800)
        #expect(!ledger.shouldEnd(now: 2_899) && ledger.shouldEnd(now: 2_900))
        #expect(ledger.finish() == (["b", "c"], [:]))
        #expect(ledger.begin(["a", "d"], hasForgotten: false, now: 3_000) == ["d"])
        #expect(!ledger.shouldEnd(now: 100_000))
    }

    @Test func publishesAgainWhenSomebodyWantsIt() {
        var ledger = started()
        ledger.hurry(now: 5_999)
        #expect(ledger.shouldEnd(now: 6_000))
        // They may be on their way.
        #expect(ledger.begin(ids, hasForgotten: false, now: 6_000) == [])
        ledger.process(Array("b".utf8), now: 6_000)
        ledger.hurry(now: 6_000)
        #expect(ledger.begin(ids, hasForgotten: false, now: 6_001) == ["a", "c"])
        #expect(!ledger.shouldEnd(now: 6_100))
    }

    /// While one batch waits, the receipts of another one come.
    @Test func endsABatchForTheReceiptsOfOthersWhoTakeThem() {
        var ledger = started()
        _ = ledger.finish()
        let nothing = ledger.takeLate(of: Set(ids))
        #expect(nothing.received.isEmpty && nothing.refused.isEmpty)
        #expect(ledger.begin(["x"], hasForgotten: false, now: 2_000) == ["x"])
        ledger.notePublished(["x"], now: 2_000)
        ledger.process(Array(#"{"received":["a"],"refused":["b"]}"#.utf8), now: 3_000)
        #expect(ledger.hasLate && !ledger.shouldEnd(now: 3_400) && ledger.shouldEnd(now: 3_500))
        let (own, _) = ledger.finish()
        #expect(own.isEmpty)
        // Of what is not at hand now nothing is forgotten, but it ends no further batch.
        let late = ledger.takeLate(of: ["b", "c"])
        #expect(late.received.isEmpty && late.refused == ["b": "refused by the application"])
        #expect(ledger.begin(["x"], hasForgotten: false, now: 4_000) == [])
        #expect(!ledger.hasLate && !ledger.shouldEnd(now: 9_000))
        let rest = ledger.takeLate(of: ["a", "b"])
        #expect(rest.received == ["a"] && rest.refused.isEmpty)
    }
}
