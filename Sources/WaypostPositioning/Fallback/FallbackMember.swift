import Waypost

/// The state that ``FallbackRule`` keeps for one member.
struct FallbackMember: Sendable {
    private(set) var isRunning = false
    private(set) var hasEnded = false
    private(set) var hasHadFix = false
    private(set) var loss: LossReason?

    private let leastSilence: Int64
    private var startedAt: Int64 = 0
    private var dataAt: Int64?
    private var fixAt: Int64?
    /// The moment since which every report has been a fix.
    private var fixesSince: Int64?
    /// The moment until which a slow reader kept it from reporting.
    private var heldUntil: Int64 = 0
    /// What is known of the receiver's rhythm.
    private(set) var silence: SilenceRule

    init(leastSilence: Int64) {
        self.leastSilence = leastSilence
        silence = SilenceRule(leastMilliseconds: leastSilence)
    }

    // MARK: Its reports

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
            // After an unreported silence, the count of fixes begins anew.
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
        // A source that is lost is not held up by the reader, however often it reports a resumption.
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

    // MARK: Its state

    /// How long without data counts as silence for this receiver; one long pause alone does not lengthen it.
    var silenceLimit: Int64 { silence.limitMilliseconds }

    /// The last moment at which there was data, or at which there could not be any.
    var quietSince: Int64 { max(dataAt ?? startedAt, heldUntil) }

    /// The last moment with a fix, or the start; the time in which a slow reader held it up counts as if it had fixes.
    var fixlessSince: Int64 { fixesSince != nil ? max(fixAt ?? startedAt, heldUntil) : fixAt ?? startedAt }

    func isSilent(at now: Int64) -> Bool { now - quietSince >= silenceLimit }

    func hasData(at now: Int64) -> Bool { isRunning && loss == nil && dataAt != nil && !isSilent(at: now) }

    func hasFix(at now: Int64) -> Bool { fixesSince != nil && hasData(at: now) }

    /// Whether it got its fix that long ago, and has it still.
    func hasFix(for span: Int64, at now: Int64) -> Bool {
        guard let fixesSince, hasFix(at: now) else { return false }
        return now - fixesSince >= span
    }

    /// Whether its fixes without a break span that time; the silence since the last one is no health.
    func isHealthy(for span: Int64, at now: Int64) -> Bool {
        guard let fixesSince, let fixAt, hasFix(at: now) else { return false }
        return fixAt - fixesSince >= span
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
