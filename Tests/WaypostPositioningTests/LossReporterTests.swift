import Testing
import Waypost

@testable import WaypostPositioning

@Suite struct LossReporterTests {
    private let silence = [PositionSourceEvent.status(.stillLost(.silent))]

    /// In the moment of a connection nothing can have come yet, which says nothing about the receiver.
    @Test(arguments: [LossReason.disconnected("refused"), .deviceGone("unplugged")])
    func tellsTheSilenceAfterAnAnswerOnceMore(reason: LossReason) {
        var losses = LossReporter()
        let events = losses.lose(reason) + losses.connect()
        #expect(events == [.lost(reason)] + silence)
        let later = losses.lose(.silent)
        #expect(later == silence)
        let again = losses.lose(.silent) + losses.connect()
        #expect(again.isEmpty)
        let gone = losses.lose(reason)
        #expect(gone == [.status(.stillLost(reason))])
    }

    /// A receiver without a fix is no silent one, until it falls silent.
    @Test(arguments: [LossReason.silent, .disconnected("ended"), .unreadable])
    func tellsEachSilenceAfterAReport(reason: LossReason) {
        var losses = LossReporter()
        _ = losses.lose(reason)
        for _ in 0..<2 {
            losses.noteReport()
            let told = losses.lose(.silent)
            #expect(told == silence)
            let repeated = losses.lose(.silent)
            #expect(repeated.isEmpty)
        }
    }
}
