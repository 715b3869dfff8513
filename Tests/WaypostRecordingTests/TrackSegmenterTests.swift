import Testing
import Waypost
import WaypostRecording

@Suite struct TrackSegmenterTests {
    private func fix(milliseconds: Int64) -> Position {
        var position = Sample.bare()
        position.time = Sample.start.advanced(byMilliseconds: milliseconds)
        return position
    }

    @Test func beginsSegmentsAtStartLossAndJumps() {
        var segmenter = TrackSegmenter()
        #expect(segmenter.process(fix(milliseconds: 0)) == .log(after: .start))
        #expect(segmenter.process(fix(milliseconds: 100)) == .log(after: nil))
        #expect(segmenter.process(fix(milliseconds: 600_100)) == .log(after: nil))
        #expect(segmenter.process(fix(milliseconds: 1_200_101)) == .log(after: .jump))
        #expect(segmenter.process(fix(milliseconds: 1_200_100)) == .log(after: .jump))
        segmenter.note(.loss)
        segmenter.note(.restart)
        #expect(segmenter.process(fix(milliseconds: 1_300_000)) == .log(after: .loss))
        #expect(segmenter.process(fix(milliseconds: 1_300_001)) == .log(after: nil))
    }

    @Test func leavesOutWhatHasNoPlaceInATrack() {
        var segmenter = TrackSegmenter()
        #expect(segmenter.process(Sample.bare()) == .leaveOut(.untimed))
        #expect(segmenter.process(fix(milliseconds: .max)) == .leaveOut(.untimed))
        var simulated = fix(milliseconds: 0)
        simulated.status = .simulated
        #expect(segmenter.process(simulated) == .leaveOut(.notMeasured))
        #expect(segmenter.process(fix(milliseconds: 0)) == .log(after: .start))
        segmenter.note(.loss)
        #expect(segmenter.process(fix(milliseconds: 0)) == .leaveOut(.repeated))
        #expect(segmenter.process(fix(milliseconds: 1_000)) == .log(after: .loss))

        var including = TrackSegmenter(includesNotMeasured: true)
        #expect(including.process(simulated) == .log(after: .start))
    }
}
