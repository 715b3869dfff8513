import Waypost

/// Turns gpsd's reports into events: follows one receiver, drops repeated fixes, and notices silence.
///
/// The rules:
/// - One receiver at a time. The first that has a fix is followed; another takes over when the first has had no fix for the time
///   limit of silence, or has gone. Sky views of others are dropped.
/// - A fix with the same time as the previous one is a repetition and is dropped; so are up to two fixes that go back in time. The
///   third in a row is believed: the receiver has corrected its date.
/// - gpsd sends fixes without a time in the first second, before it knows the receiver's cycle, and the same fix with its time follows.
/// They are dropped until no report with a time has come for three seconds; only then is the time really unknown.
/// - The dilutions and the number of satellites come from the last SKY, if it is less than two periods old; gpsd sends it just before
///   the TPV of the same epoch, or just after.
/// - Silence means that nothing new (a fix, or a report without one) comes for as long as `SilenceRule` says; if the same fix keeps coming
///   meanwhile, that is reported instead.
/// - Satellites alone count as a report without a fix after half of that time.
/// - A loss is reported once, by ``LossReporter``.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct GPSDInterpreter {
    private static let timelessGraceMilliseconds: Int64 = 3_000
    private static let stepsBackBelieved = 3

    private let name: String
    private let reportedDevice: String?
    private let isLocal: Bool

    private var followed: String?
    private var lastFixAt: Int64?
    private var lastReportAt: Int64
    private var lastTimedReportAt: Int64
    private var silence = SilenceRule()
    private var lastFix: Position?
    private var lastFixTime: UTCTime?
    private var stepsBack = 0
    private var sky: (quality: PositionQuality, at: Int64)?
    private var losses = LossReporter()
    private var isGreeted = false
    /// The fix that was last repeated, and when.
    private var repetition: (time: UTCTime, at: Int64)?
    private let findCandidates: () -> [SourceObstacle.Candidate]
    /// Whether the gpsd that is connected has no receiver.
    private var hasNoReceiver = false

    /// How often the receiver reports, in milliseconds; nil until two times are known.
    var periodMilliseconds: Int64? { silence.periodMilliseconds }

    /// An interpreter that follows no receiver yet.
    ///
    /// - Parameters:
    ///   - name: the source that every position carries.
    ///   - device: the only receiver asked for, or nil.
    ///   - isLocal: whether gpsd runs on this machine.
    ///   - findCandidates: returns the lines of this machine that may have a receiver; called while gpsd has none.
    init(
        name: String, device: String?, isLocal: Bool = true, at now: Int64,
        findCandidates: @escaping () -> [SourceObstacle.Candidate] = { [] }
    ) {
        self.isLocal = isLocal
        self.findCandidates = findCandidates
        self.name = name
        reportedDevice = device
        lastReportAt = now
        lastTimedReportAt = now
    }

    /// The moment at which silence becomes a loss, unless a report comes before.
    var silenceDeadline: Int64 { lastReportAt + silence.limitMilliseconds }

    // MARK: The connection

    /// A connection is open: waiting for reports begins anew.
    mutating func connected(at now: Int64) {
        lastReportAt = now
        lastTimedReportAt = now
        isGreeted = false
        hasNoReceiver = false
        repetition = nil
    }

    /// The connection has gone or cannot be made.
    mutating func disconnected(_ reason: LossDetail) -> [PositionSourceEvent] {
        followed = nil
        lastFixAt = nil
        sky = nil
        return losses.lose(.disconnected(reason))
    }

    /// The silence deadline may have passed.
    mutating func checkSilence(at now: Int64) -> [PositionSourceEvent] {
        if now < silenceDeadline { return [] }
        guard let repetition, now - repetition.at < silence.limitMilliseconds else { return losses.lose(.silent) }
        return losses.lose(.repeatedFix(of: repetition.time))
    }

    // MARK: Reports

    /// The events that a report causes.
    mutating func process(_ report: GPSDReport, at now: Int64) -> [PositionSourceEvent] {
        switch report {
        case .fix(let fix, let device): return process(fix, from: device, at: now)
        case .sky(let sky, let device): return process(sky.view, from: device, at: now)
        case .device(let device, let isActive):
            if isActive { hasNoReceiver = false }
            return isActive ? losses.connect() : deactivated(device)
        case .deviceCount(let count):
            hasNoReceiver = count == 0
            return hasNoReceiver ? tellNoReceiver() : losses.connect()
        // Devices that were plugged in meanwhile, and that gpsd does not find, are worth reporting.
        case .version(let release): return greet(release) + (hasNoReceiver ? tellNoReceiver() : [])
        case .error(let words): return reportedDevice == nil ? losses.warn("gpsd: \(words)") : losses.lose(.deviceGone("gpsd: \(words)"))
        case .other: return []
        }
    }

    private mutating func tellNoReceiver() -> [PositionSourceEvent] {
        let candidates = isLocal ? findCandidates() : []
        let obstacle = SourceObstacle.gpsdWithoutReceiver(isLocal: isLocal, candidates: candidates)
        return losses.lose(.deviceGone(LossDetail("gpsd has no receiver", obstacle: obstacle)))
    }

    private mutating func greet(_ release: String) -> [PositionSourceEvent] {
        if isGreeted { return [] }
        isGreeted = true
        return [.status(.connected("gpsd \(release)"))] + losses.connect()
    }

    private mutating func process(_ fix: GPSDFix, from device: String, at now: Int64) -> [PositionSourceEvent] {
        guard follows(device, hasFix: fix.position != nil, at: now) else { return [] }
        guard var position = fix.position else { return takeNoFix(time: fix.time, at: now) }
        guard isNew(position, at: now) else { return [] }
        lastReportAt = now
        lastFixAt = now
        noteTime(fix.time, at: now)
        lastFix = position
        lastFixTime = fix.time ?? lastFixTime
        if let sky, now - sky.at < 2 * (periodMilliseconds ?? 1_000) {
            position.quality.hdop = sky.quality.hdop
            position.quality.vdop = sky.quality.vdop
            position.quality.pdop = sky.quality.pdop
            position.quality.satellitesUsed = sky.quality.satellitesUsed
        }
        position.source = name
        losses.endLoss()
        return [.position(position)]
    }

    private mutating func process(_ view: SkyView, from device: String, at now: Int64) -> [PositionSourceEvent] {
        guard followed == nil || followed == device else { return [] }
        var quality = view.quality
        // A SKY with dilutions alone does not say how many satellites are used.
        if view.satellites.isEmpty { quality.satellitesUsed = quality.satellitesUsed ?? sky?.quality.satellitesUsed }
        sky = (quality, now)
        let news = takeSatellitesAlone(at: now)
        guard !view.satellites.isEmpty else { return news }
        var view = view
        view.source = name
        return [.sky(view)] + news
    }

    /// A receiver that gives satellites alone is not silent; one that repeats its fix is judged by that.
    private mutating func takeSatellitesAlone(at now: Int64) -> [PositionSourceEvent] {
        let isRepeating = repetition.map { now - $0.at < silence.limitMilliseconds } ?? false
        if isRepeating || 2 * (now - lastReportAt) < silence.limitMilliseconds { return [] }
        return takeNoFix(time: nil, at: now)
    }

    private mutating func takeNoFix(time: UTCTime?, at now: Int64) -> [PositionSourceEvent] {
        lastReportAt = now
        losses.noteReport()
        noteTime(time, at: now)
        return [.noFix(NoFix(time: time, source: name))]
    }

    private mutating func deactivated(_ device: String) -> [PositionSourceEvent] {
        guard followed == nil || followed == device else { return [] }
        followed = nil
        lastFixAt = nil
        sky = nil
        return losses.lose(.deviceGone("gpsd has deactivated \(device)"))
    }

    // MARK: The rules

    private mutating func follows(_ device: String, hasFix: Bool, at now: Int64) -> Bool {
        if followed == device { return true }
        guard hasFix else { return followed == nil }
        if let lastFixAt, followed != nil, now - lastFixAt < silence.limitMilliseconds { return false }
        if followed != nil { sky = nil }
        followed = device
        silence = SilenceRule()
        return true
    }

    private mutating func isNew(_ position: Position, at now: Int64) -> Bool {
        guard let time = position.time else {
            guard now - lastTimedReportAt >= GPSDInterpreter.timelessGraceMilliseconds else { return false }
            return position != lastFix
        }
        guard let previous = lastFixTime else { return true }
        if time == previous {
            repetition = (time, now)
            return false
        }
        stepsBack = time < previous ? stepsBack + 1 : 0
        guard stepsBack == 0 || stepsBack >= GPSDInterpreter.stepsBackBelieved else { return false }
        stepsBack = 0
        return true
    }

    private mutating func noteTime(_ time: UTCTime?, at now: Int64) {
        guard let time else { return }
        lastTimedReportAt = now
        silence.addReport(at: time)
    }
}
