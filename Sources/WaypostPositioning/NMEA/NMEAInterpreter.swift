import Waypost

/// Turns the bytes of a live NMEA line into events: whole epochs, no repeated fixes, silence noticed, each loss reported once.
///
/// The rules:
/// - A fix with the time and the place of the previous one is a repetition and is dropped; if only repetitions come for as long as
///   `SilenceRule` says, that is a loss with its own reason.
/// - Silence means that no whole sentence comes for as long as `SilenceRule` says; noise does not end it, but a constant stream of bytes is
///   not silence: it is reported as data that cannot be read.
/// - A loss is reported once, by ``LossReporter``.
/// - Sentences that tell neither a place nor that there is none (satellites alone) count as a report without a fix after half of that time.
/// - If one line in ten is damaged, over a hundred lines, there is a warning: a second reader of the same port looks like this.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct NMEAInterpreter {
    private static let linesToJudge = 100
    /// Fewer bytes prove nothing: an unplugged connector, an adapter that wakes up.
    private static let leastNoiseBytes = 32
    /// How long a silent connection is kept at most, in milliseconds.
    private static let longestPatience: Int64 = 30_000
    /// How long one sentence may take to arrive, in milliseconds: some 80 bytes at less than two a second.
    private static let slowestSentence: Int64 = 60_000

    private enum Repetition { case none, begun, judged }

    private let name: String
    private let correctsWeekRollover: Bool

    private var decoder: NMEADecoder
    private var decoded: [NMEAEvent] = []
    private var sentenceCount = 0
    private var lateSentenceCount = 0
    /// Whether the last fix has come again since the last news, and whether that has been judged.
    private var repetition = Repetition.none
    /// Since when an epoch waits for its end.
    private var openedAt: Int64?
    private var lastFix: Position?
    private var silence = SilenceRule()
    private var losses = LossReporter()
    private var judged = (lines: 0, damaged: 0)
    /// How many bytes have come since the last whole sentence, and when.
    private var noise: (byteCount: Int, at: Int64) = (0, 0)
    /// Since when the speed of an open line is looked for, and whether each has been tried; nil once it is known.
    private var speedSearch: (since: Int64, hasTriedAll: Bool)?
    /// The moment of the last new fix, report without a fix, or connection.
    private var newsAt: Int64
    /// The moment of the last new fix, or connection.
    private var fixAt: Int64
    /// How many connections in a row have ended without a whole sentence; nil before the first connection.
    private var fruitlessCount: Int?

    /// The moment of the last whole sentence, or of the connection if none has come.
    private(set) var lastSentenceAt: Int64
    /// How often the receiver reports, in milliseconds; nil until two times are known.
    var periodMilliseconds: Int64? { silence.periodMilliseconds }

    /// An interpreter without a connection.
    ///
    /// - Parameters:
    ///   - name: the source that every position carries.
    ///   - correctsWeekRollover: whether dates before 2020 get 1024 weeks added; for live receivers, not for recordings played live.
    init(name: String, correctsWeekRollover: Bool = true, at now: Int64) {
        self.name = name
        self.correctsWeekRollover = correctsWeekRollover
        decoder = NMEAInterpreter.makeDecoder(correctsWeekRollover: correctsWeekRollover)
        lastSentenceAt = now
        newsAt = now
        fixAt = now
    }

    private static func makeDecoder(correctsWeekRollover: Bool) -> NMEADecoder {
        var options = NMEADecoder.Options()
        options.deliversSky = true
        options.endsEpochAtLearnedSentence = true
        options.correctsWeekRollover = correctsWeekRollover
        return NMEADecoder(options: options)
    }

    /// The moment at which silence becomes a loss, unless a sentence comes before.
    var silenceDeadline: Int64 { lastSentenceAt + silence.limitMilliseconds }

    /// The moment of the next ``judge(at:)``: at which silence, or a fix that comes again and again, becomes a loss.
    ///
    /// Not the next repetition: who waits for a fix would call it silence before that comes.
    var judgementDeadline: Int64 {
        repetition == .begun ? min(silenceDeadline, newsAt + silence.limitMilliseconds) : silenceDeadline
    }

    /// The moment at which the lack of a new fix becomes a loss.
    var fixDeadline: Int64 { fixAt + silence.limitMilliseconds }

    /// The moment from which a silent connection may be given up: later with each that brought nothing, and while bytes come in that may
    /// yet be a sentence.
    ///
    /// A fixed rhythm of connections could miss a slow server's sentences for ever.
    var closingDeadline: Int64 {
        let limit = silence.limitMilliseconds
        let patience = max(limit, min(limit << min(fruitlessCount ?? 0, 4), NMEAInterpreter.longestPatience))
        return lastSentenceAt + max(patience, min(noise.at + limit - lastSentenceAt, NMEAInterpreter.slowestSentence))
    }

    /// What has arrived over this connection, and how much of it was damaged.
    var counters: NMEACounters { decoder.counters }

    /// Whether an epoch waits for its end: for the start of the next one, or for a quiet gap.
    var isEpochOpen: Bool { decoder.isEpochOpen }

    // MARK: The connection

    /// A connection is open: half-read data of the previous one is dropped, and waiting for sentences begins anew.
    ///
    /// - Parameter isAnswer: whether the connection alone shows that the other side is healthy again.
    mutating func connected(to peer: String, isAnswer: Bool = true, at now: Int64) -> [PositionSourceEvent] {
        decoder = NMEAInterpreter.makeDecoder(correctsWeekRollover: correctsWeekRollover)
        fruitlessCount = fruitlessCount.map { sentenceCount == 0 ? $0 + 1 : 0 } ?? 0
        sentenceCount = 0
        lateSentenceCount = 0
        judged = (0, 0)
        noise = (0, now)
        openedAt = nil
        speedSearch = nil
        lastSentenceAt = now
        noteNews()
        fixAt = now
        return [.status(.connected(peer))] + (isAnswer ? losses.connect() : [])
    }

    /// A line is open whose speed has to be found: at the wrong ones every receiver sends bytes that cannot be read.
    mutating func searchSpeed(at now: Int64) {
        // A search that begins again while such bytes come does not make a silence of them.
        noise = (now - noise.at < silence.limitMilliseconds ? noise.byteCount : 0, now)
        speedSearch = (now, false)
    }

    /// Each speed has been tried once.
    mutating func noteEverySpeedTried() { speedSearch?.hasTriedAll = true }

    /// There are no positions until further notice, for this reason.
    mutating func lose(_ reason: LossReason) -> [PositionSourceEvent] { losses.lose(reason) }

    /// A warning for people, once until the next loss.
    mutating func warn(_ text: String) -> [PositionSourceEvent] { losses.warn(text) }

    // MARK: The line

    /// Processes the next bytes, cut anywhere.
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
        if !decoder.isEpochOpen { openedAt = nil } else if openedAt == nil || !decoded.isEmpty { openedAt = now }
        return takeDecoded() + judgeRepetition() + judgeNews() + judgeDamage(counters)
    }

    /// Bytes have come that could not be read as anything so far.
    mutating func noteNoise(_ byteCount: Int, at now: Int64) {
        if byteCount > 0 { noise = (min(noise.byteCount, Int.max / 2) + byteCount, now) }
    }

    /// Processes a report in a format other than NMEA; the source's name replaces the report's own.
    mutating func process(_ report: PositionReport, at now: Int64) -> [PositionSourceEvent] {
        lastSentenceAt = now
        noise = (0, now)
        switch report {
        case .position(let position): return take(position, time: position.time, moment: position.time?.millisecondsSince1970)
        case .noFix(let report): return take(nil, time: report.time, moment: report.time?.millisecondsSince1970)
        case .sky(let view): return take(view)
        }
    }

    /// The line has fallen quiet: the sentences so far belong together.
    mutating func endEpoch() -> [PositionSourceEvent] {
        decoder.endEpoch(into: &decoded)
        openedAt = nil
        return takeDecoded()
    }

    /// Nothing comes any more: a last sentence needs no line end.
    mutating func finish() -> [PositionSourceEvent] {
        decoder.finish(into: &decoded)
        return takeDecoded()
    }

    /// The judgement deadline may have passed.
    mutating func judge(at now: Int64) -> [PositionSourceEvent] {
        if now < silenceDeadline { return now < judgementDeadline ? [] : loseByRepetition() }
        let isNoisy = noise.byteCount >= NMEAInterpreter.leastNoiseBytes && now - noise.at < silence.limitMilliseconds
        // The next speed may be the right one.
        if isNoisy, let search = speedSearch, !search.hasTriedAll || now - search.since < silence.limitMilliseconds { return [] }
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

    /// Processes one epoch, with or without a fix; its moment adjusts the known period.
    private mutating func take(_ position: Position?, time: UTCTime?, moment: Int64?) -> [PositionSourceEvent] {
        if let moment { silence.addReport(atMilliseconds: moment) }
        guard var position else {
            return takeNoFix(time: time)
        }
        position.source = name
        guard isNew(position) else {
            return noteRepetition()
        }
        noteNews()
        fixAt = lastSentenceAt
        lastFix = position
        losses.endLoss()
        return [.position(position)]
    }

    private mutating func takeNoFix(time: UTCTime?) -> [PositionSourceEvent] {
        noteNews()
        losses.noteReport()
        return [.noFix(NoFix(time: time, source: name))]
    }

    private mutating func noteNews() {
        newsAt = lastSentenceAt
        repetition = .none
    }

    /// A receiver that has been told to send satellites alone is neither silent nor unreadable.
    private mutating func judgeNews() -> [PositionSourceEvent] {
        if repetition != .none || decoder.isEpochOpen || 2 * (lastSentenceAt - newsAt) < silence.limitMilliseconds { return [] }
        return takeNoFix(time: nil)
    }

    /// The decoder drops, or holds back, most sentences with the time and the place of the previous epoch.
    private mutating func judgeRepetition() -> [PositionSourceEvent] {
        defer { lateSentenceCount = decoder.lateSentenceCount }
        if decoder.lateSentenceCount != lateSentenceCount { return noteRepetition() }
        // Without a quiet gap they hold an epoch open; one that has just begun may be anything.
        return openedAt.map { lastSentenceAt - $0 >= silence.limitMilliseconds } ?? false ? loseByRepetition() : []
    }

    private mutating func noteRepetition() -> [PositionSourceEvent] {
        if repetition == .none { repetition = .begun }
        return isRepetitionDue ? loseByRepetition() : []
    }

    private var isRepetitionDue: Bool { lastSentenceAt - newsAt >= silence.limitMilliseconds }

    private mutating func loseByRepetition() -> [PositionSourceEvent] {
        repetition = .judged
        return lastFix?.time.map { losses.lose(.repeatedFix(of: $0)) } ?? []
    }

    private func isNew(_ position: Position) -> Bool {
        guard let time = position.time, let last = lastFix else { return true }
        return time != last.time || position.coordinate != last.coordinate
    }

    private mutating func judgeDamage(_ counters: NMEACounters) -> [PositionSourceEvent] {
        guard counters.lines - judged.lines >= NMEAInterpreter.linesToJudge else { return [] }
        let damaged = counters[.badChecksum].count + counters[.cut].count
        defer { judged = (counters.lines, damaged) }
        guard 10 * (damaged - judged.damaged) >= counters.lines - judged.lines else { return [] }
        return warn("more than one line in ten is damaged: the line is noisy, or another program reads from it too")
    }
}
