import Testing

@testable import WaypostSystem

@Suite struct DelayQueueTests {
    @Test func givesNothingBeforeItsTime() {
        var queue = DelayQueue<String>()
        #expect(queue.alarm == nil)
        #expect(queue.removeFirst(dueAt: .max) == nil)
        queue.insert("later", notBefore: 20)
        queue.insert("sooner", notBefore: 10)
        #expect(queue.alarm == 10)
        #expect(queue.removeFirst(dueAt: 9) == nil)
        #expect(queue.removeFirst(dueAt: 10) == "sooner")
        #expect(queue.removeFirst(dueAt: 19) == nil)
        #expect(queue.removeFirst(dueAt: 1_000) == "later")
        #expect(queue.alarm == nil)
    }

    @Test func servesWhatToleratesItWithOneAlarm() {
        var queue = DelayQueue<String>()
        queue.insert("patient", notBefore: 10, tolerance: 100)
        queue.insert("exact", notBefore: 60)
        queue.insert("most patient", notBefore: 50, tolerance: 1_000)
        queue.insert("not yet", notBefore: 200, tolerance: 5_000)
        #expect(queue.alarm == 60)
        #expect(due(&queue, at: 60) == ["exact", "patient", "most patient"])
        #expect(queue.alarm == 5_200)
    }

    @Test func takesTimesBeyondTheEndOfTime() {
        var queue = DelayQueue<String>()
        queue.insert("never", notBefore: .max, tolerance: .max)
        queue.insert("long over", notBefore: .min)
        queue.insert("badly said", notBefore: 5, tolerance: -1)
        #expect(due(&queue, at: 5) == ["long over", "badly said"])
        #expect(queue.alarm == .max)
    }

    /// Against a plain list: what comes out is due, nothing that must have happened is left, and no element is lost.
    @Test func agreesWithAListOnRandomTimes() {
        var random = SystemRandomNumberGenerator()
        var queue = DelayQueue<Int>()
        var waiting: [Int: (notBefore: Int64, noLaterThan: Int64)] = [:]
        var number = 0
        for now in Int64(0)..<5_000 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let notBefore = now + .random(in: -5...200, using: &random)
                let tolerance = Int64.random(in: 0...50, using: &random)
                queue.insert(number, notBefore: notBefore, tolerance: tolerance)
                waiting[number] = (notBefore, notBefore + tolerance)
                number += 1
            }
            #expect(queue.alarm == waiting.values.map(\.noLaterThan).min())
            // Only when the alarm says so: whatever must happen has to come with it.
            guard let alarm = queue.alarm, alarm <= now else { continue }
            for element in due(&queue, at: now) {
                guard let times = waiting.removeValue(forKey: element) else {
                    Issue.record("\(element) came twice")
                    return
                }
                #expect(times.notBefore <= now)
            }
            #expect(waiting.values.allSatisfy { $0.noLaterThan > now })
            #expect(queue.count == waiting.count)
        }
        #expect(number > 5_000)
    }

    private func due<Element>(_ queue: inout DelayQueue<Element>, at now: Int64) -> [Element] {
        var elements: [Element] = []
        while let element = queue.removeFirst(dueAt: now) { elements.append(element) }
        return elements
    }
}
