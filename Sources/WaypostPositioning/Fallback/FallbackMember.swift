import Waypost

/// What ``FallbackRule`` knows of one member.
struct FallbackMember: Sendable {
    private(set) var isRunning = false
    private(set) var hasEnded = false
    private(set) var hasHadFix = false
    private(set) var loss: LossReason?

    private let leastSilence: Int64
    private var startedAt: Int64 = 0
    private var dataAt: Int64?
    private var fixAt: Int64?
    /// Since when every report has been a fix.
    private var fixesSince: Int64?
    /// Until when a slow reader kept it from saying anything.
    private var heldUntil: Int64 = 0
    private var silence: SilenceRule

    init(leastSilence: Int64) {
        self.leastSilence = leastSilence
        silence = SilenceRule(leastMilliseconds: leastSilence)
    }

    // MARK: What it says

    mutating func start(at now: Int64) {
        self = FallbackMember(leastSilence: leastSilence)
        isRunning = true
        startedAt = now
        heldUntil = now
    }

    mutating func stop() {
        self = FallbackMember(leastSilence: leastSilence)
    }

    mutating func note(_ report: FallbackRule.Report, at now: Int64) {
        switch report {
        case .fix(let time):
            // After a silence that nobody has told, fixes begin anew.
            if fixesSince == nil || isSilent(at: now) { fixesSince = now }
            noteData(of: time, at: now)
            fixAt = now
            hasHadFix = true
        case .noFix(let time):
            noteData(of: time, at: now)
            fixesSince = nil
        case .lost(let reason):
            loss = reason
            fixesSince = nil
        // A source that is lost is not held up by the reader, however often it says so.
        case .resumed: if loss == nil { heldUntil = now }
        case .ended:
            stop()
            hasEnded = true
        }
    }

    private mutating func noteData(of time: UTCTime?, at now: Int64) {
        dataAt = now
        loss = nil
        silence.addReport(at: time)
    }

    // MARK: How it fares

    /// How long without data is silence for this receiver; one long pause alone does not lengthen it.
    var silenceLimit: Int64 { silence.limitMilliseconds }

    /// The last moment at which there was data, or could not be.
    var quietSince: Int64 { max(dataAt ?? startedAt, heldUntil) }

    /// The last moment at which there was a fix, or the start; while a slow reader holds it up, there could not be one.
    var fixlessSince: Int64 { fixesSince != nil ? max(fixAt ?? startedAt, heldUntil) : fixAt ?? startedAt }

    func isSilent(at now: Int64) -> Bool { now - quietSince >= silenceLimit }

    func hasData(at now: Int64) -> Bool { isRunning && loss == nil && dataAt != nil && !isSilent(at: now) }

    func hasFix(at now: Int64) -> Bool { fixesSince != nil && hasData(at: now) }

    func isHealthy(for span: Int64, at now: Int64) -> Bool {
        guard let fixesSince, hasFix(at: now) else { return false }
        return now - fixesSince >= span
    }

    func state(at now: Int64) -> SourceMember.State {
        if hasEnded { return .ended }
        if !isRunning { return .standby }
        if let loss { return .lost(loss) }
        if dataAt == nil { return .starting }
        if isSilent(at: now) { return .lost(.silent) }
        return hasFix(at: now) ? .fix : .searching
    }
}
