import Waypost

/// Turns the bytes of a live NMEA line into events: whole epochs, no fix twice, silence noticed, a loss told once.
///
/// The rules:
/// - A fix with the time and the place of the one before is a repetition and is dropped; nothing else for as long as `SilenceRule` says is a
///   loss of its own.
/// - Silence is no whole sentence for as long as `SilenceRule` says; noise does not end it, but what comes all the time is not silence: it is
///   reported as data that cannot be read.
/// - A loss is told once, by ``LossReporter``.
/// - One line in ten damaged, over a hundred lines, is a warning: it is what a second reader of the same port looks like.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct NMEAInterpreter {
    private static let linesToJudge = 100
    /// Fewer bytes say nothing: a plug that is pulled, an adapter that wakes.
    private static let leastNoiseBytes = 32

    private let name: String
    private let correctsWeekRollover: Bool

    private var decoder = NMEADecoder()
    private var decoded: [NMEAEvent] = []
    private var sentenceCount = 0
    private var lateSentenceCount = 0
    private var lastFix: Position?
    private var silence = SilenceRule()
    private var losses = LossReporter()
    private var judged = (lines: 0, damaged: 0)
    /// What has come since the last whole sentence, and when.
    private var noise: (byteCount: Int, at: Int64) = (0, 0)
    /// When there was the last new fix or report without one, or the connection.
    private var newsAt: Int64

    /// When the last whole sentence came, or the connection if none has.
    private(set) var lastSentenceAt: Int64
    /// How often the receiver reports, in milliseconds; nil until two times are known.
    var periodMilliseconds: Int64? { silence.periodMilliseconds }

    /// Nothing connected yet.
    ///
    /// - Parameters:
    ///   - name: the source that every position carries.
    ///   - correctsWeekRollover: whether dates before 2020 get 1024 weeks added; for live receivers, not for recordings sent live.
    init(name: String, correctsWeekRollover: Bool = true, at now: Int64) {
        self.name = name
        self.correctsWeekRollover = correctsWeekRollover
        lastSentenceAt = now
        newsAt = now
    }

    /// The moment at which silence will be a loss, unless a sentence comes before.
    var silenceDeadline: Int64 { lastSentenceAt + silence.limitMilliseconds }

    /// What came over this connection, and what of it was damaged.
    var counters: NMEACounters { decoder.counters }

    /// Whether an epoch waits for its end: for the next one's beginning, or for a quiet gap.
    var isEpochOpen: Bool { decoder.isEpochOpen }

    // MARK: The connection

    /// A connection stands: what was half read of the one before is gone, and waiting for sentences begins anew.
    ///
    /// - Parameter isAnswer: whether that alone shows that the other side is well again.
    mutating func connected(to peer: String, isAnswer: Bool = true, at now: Int64) -> [PositionSourceEvent] {
        var options = NMEADecoder.Options()
        options.deliversSky = true
        options.endsEpochAtLearnedSentence = true
        options.correctsWeekRollover = correctsWeekRollover
        decoder = NMEADecoder(options: options)
        sentenceCount = 0
        lateSentenceCount = 0
        judged = (0, 0)
        noise = (0, now)
        lastSentenceAt = now
        newsAt = now
        return [.status(.connected(peer))] + (isAnswer ? losses.connect() : [])
    }

    /// There are no positions until further notice, and why.
    mutating func lose(_ reason: LossReason) -> [PositionSourceEvent] { losses.lose(reason) }

    /// Something that a person should know, once until the next loss.
    mutating func warn(_ text: String) -> [PositionSourceEvent] { losses.warn(text) }

    // MARK: The line

    /// Takes the next bytes, cut anywhere.
    mutating func process(_ bytes: Span<UInt8>, at now: Int64) -> [PositionSourceEvent] {
        decoder.decode(bytes, into: &decoded)
        let counters = decoder.counters
        if counters.sentences != sentenceCount {
            sentenceCount = counters.sentences
            lastSentenceAt = now
            noise = (0, now)
        } else {
            noteNoise(bytes.count, at: now)
        }
        return takeDecoded() + judgeRepetition() + judge(counters)
    }

    /// Bytes have come that nothing could be read from so far.
    mutating func noteNoise(_ byteCount: Int, at now: Int64) {
        if byteCount > 0 { noise = (min(noise.byteCount, Int.max / 2) + byteCount, now) }
    }

    /// Takes a report that came in another language than NMEA; the source's name replaces the report's own.
    mutating func process(_ report: PositionReport, at now: Int64) -> [PositionSourceEvent] {
        lastSentenceAt = now
        noise = (0, now)
        switch report {
        case .position(let position): return take(position, time: position.time, moment: position.time?.millisecondsSince1970)
        case .noFix(let report): return take(nil, time: report.time, moment: report.time?.millisecondsSince1970)
        case .sky(let view): return take(view)
        }
    }

    /// The line has fallen quiet: what was said belongs together.
    mutating func endEpoch() -> [PositionSourceEvent] {
        decoder.endEpoch(into: &decoded)
        return takeDecoded()
    }

    /// The silence deadline may have passed.
    mutating func checkSilence(at now: Int64) -> [PositionSourceEvent] {
        if now < silenceDeadline { return [] }
        let isNoisy = noise.byteCount >= NMEAInterpreter.leastNoiseBytes && now - noise.at < silence.limitMilliseconds
        return lose(isNoisy ? .unreadable : .silent)
    }

    private mutating func takeDecoded() -> [PositionSourceEvent] {
        if decoded.isEmpty { return [] }
        var events: [PositionSourceEvent] = []
        for event in decoded {
            switch event {
            case .sky(let view): events += take(view)
            case .epoch(let epoch):
                let moment = epoch.time?.millisecondsSince1970 ?? epoch.millisecondOfDay.map(Int64.init)
                events += take(epoch.position, time: epoch.time, moment: moment)
            }
        }
        decoded.removeAll(keepingCapacity: true)
        return events
    }

    private func take(_ view: SkyView) -> [PositionSourceEvent] {
        var view = view
        view.source = name
        return [.sky(view)]
    }

    /// One epoch, with or without a fix; the moment teaches the period.
    private mutating func take(_ position: Position?, time: UTCTime?, moment: Int64?) -> [PositionSourceEvent] {
        if let moment { silence.addReport(atMilliseconds: moment) }
        guard var position else {
            newsAt = lastSentenceAt
            losses.noteReport()
            return [.noFix(NoFix(time: time, source: name))]
        }
        position.source = name
        guard isNew(position) else { return noteRepetition() }
        newsAt = lastSentenceAt
        lastFix = position
        losses.endLoss()
        return [.position(position)]
    }

    /// The decoder leaves out, or holds back, most of what has the time and the place of the epoch before.
    private mutating func judgeRepetition() -> [PositionSourceEvent] {
        defer { lateSentenceCount = decoder.lateSentenceCount }
        return decoder.lateSentenceCount != lateSentenceCount || decoder.isEpochOpen ? noteRepetition() : []
    }

    private mutating func noteRepetition() -> [PositionSourceEvent] {
        guard let time = lastFix?.time, lastSentenceAt - newsAt >= silence.limitMilliseconds else { return [] }
        return losses.lose(.repeatedFix(of: time))
    }

    private func isNew(_ position: Position) -> Bool {
        guard let time = position.time, let last = lastFix else { return true }
        return time != last.time || position.coordinate != last.coordinate
    }

    private mutating func judge(_ counters: NMEACounters) -> [PositionSourceEvent] {
        guard counters.lines - judged.lines >= NMEAInterpreter.linesToJudge else { return [] }
        let damaged = counters[.badChecksum].count + counters[.cut].count
        defer { judged = (counters.lines, damaged) }
        guard 10 * (damaged - judged.damaged) >= counters.lines - judged.lines else { return [] }
        return warn("more than one line in ten is damaged: the line is noisy, or another program reads from it too")
    }
}
