import Testing
import Waypost

@Suite struct RecordingRhythmTests {
    private func rhythm(_ steps: [Double]) -> RecordingRhythm {
        var rhythm = RecordingRhythm(longestMilliseconds: 600_000)
        var moment: Int64 = 1_800_000_000_000
        rhythm.learn(UTCTime(millisecondsSince1970: moment), beginsSegment: true)
        for step in steps {
            moment += Int64(step * 1_000)
            rhythm.learn(UTCTime(millisecondsSince1970: moment), beginsSegment: false)
        }
        return rhythm
    }

    @Test func findsTheGapOfAReceiver() {
        let steady = rhythm(Array(repeating: 1, count: 100) + [20] + Array(repeating: 1, count: 100))
        #expect(!steady.isLoss(stepMilliseconds: 5_000))
        #expect(steady.isLoss(stepMilliseconds: 5_001))
        let slow = rhythm(Array(repeating: 10, count: 100))
        #expect(!slow.isLoss(stepMilliseconds: 30_000))
        #expect(slow.isLoss(stepMilliseconds: 30_001))
    }

    /// Telephones and watches: as far apart as the way is straight.
    @Test(arguments: [
        [2.0, 3, 2, 2, 17, 3, 2, 4, 9, 2], [2, 5, 17, 11, 8, 3, 14, 6, 2, 17], [1, 1, 1, 1, 1, 17, 1, 1, 1, 1, 1, 1, 5, 1],
    ])
    func findsNoGapInARecordingWithoutABeat(steps: [Double]) {
        let sparse = rhythm((0..<30).flatMap { _ in steps })
        for step in [6.0, 17, 60, 300] { #expect(!sparse.isLoss(stepMilliseconds: Int64(step * 1_000)), "\(step)") }
        #expect(sparse.isLoss(stepMilliseconds: 600_001))
    }

    @Test func judgesNothingBeforeItKnowsEnough() {
        #expect(!rhythm([1, 1, 1]).isLoss(stepMilliseconds: 20_000))
        #expect(rhythm([]).isLoss(stepMilliseconds: 600_001))
    }

    @Test func takesNoHarmFromTimesThatGoBackOrAreMissing() {
        var rhythm = rhythm([1, 1])
        rhythm.learn(nil, beginsSegment: false)
        rhythm.learn(UTCTime(millisecondsSince1970: .min), beginsSegment: false)
        rhythm.learn(UTCTime(millisecondsSince1970: .max), beginsSegment: false)
        #expect(!rhythm.isLoss(stepMilliseconds: 20_000))
    }
}
