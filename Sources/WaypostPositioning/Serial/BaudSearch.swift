/// Finds the speed of a serial line: which speed to try, on what evidence to stay, when to move on.
///
/// A receiver at another speed produces noise; a silent one gives no evidence; one that reports once a second is silent most of the time,
/// and a fast one has sent everything within milliseconds. There are only four reports to find one of nine speeds in four seconds, so
/// each must rule out as many as it can:
/// - **Stay** at one sentence with the right checksum (three without checksum, for receivers that have none), or at UBX frames when no
///   sentence has come by the end of the time.
/// - **Rule out** in the first round after four bytes of noise that are a quarter of all bytes, at the end of a burst that was not text,
///   after 400 bytes of text without a sentence, and when no burst has come by when the next one was due (12 s after the last one while
///   there was only one, as from a receiver that reports each ten seconds). Bytes in the
///   first 20 ms and the first 50 bytes at a speed do not count against it: adapters deliver earlier bytes up to 16 ms late, and in the
///   middle of a burst it takes some bytes to find where they begin.
/// - Each speed may be ruled out once in the middle of a burst for being out of step: it is tried again in a later burst.
/// - **Within a burst** go on to the fastest speed at which it would not be over yet; the burst of a slow line rules out all others.
/// - **After a burst** go on to the last good speed, or to the one at which this length of burst is usual (``SpeechRhythm``), so that the next
///   burst finds it.
/// - Sentences and frames in the first 20 ms after a change may have been received at the former speed: the next burst decides, and if it is
///   noise, the former speed is next.
/// - A speed that was left without a verdict is returned to twice at most, then listened to until there is one: a burst that comes again and
///   again within the first milliseconds must not make the search endless.
/// - A speed at which a run of text or UBX is received is tried longer, for 2.5 s or until the next report has come.
/// - While nothing has come at all, the first speed is kept for 12 s: another one would not show more. The first bytes then begin the search.
/// - **Begin** with the last good speed. Without one begin with 460800: its burst and those of its neighbours are too short to try
///   another speed in them, and only the lengths of the others' bursts are easy to tell apart.
/// - The second round waits 1.3 s or a report at every speed whatever comes, for lines that are noisy or carry binary protocols beside NMEA. Then
///   the search is exhausted, and the caller opens the line again.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct BaudSearch: Sendable {
    /// What to do next.
    enum Step: Equatable {
        /// Keep listening, until ``deadline`` at the latest.
        case listen
        /// Set this speed, then call ``begin(at:)``.
        case change(baudRate: Int)
        /// The speed is right.
        case found(Speech)
        /// No speed is right; the line should be opened again.
        case exhausted
        /// The one requested speed produces noise; keep listening.
        case garbled
    }

    /// The protocol of the receiver.
    enum Speech: Equatable {
        case nmea
        case ubx
    }

    // The order while nothing has been heard.
    private static let order = [460_800, 9_600, 115_200, 38_400, 4_800, 57_600, 230_400, 921_600, 19_200]
    private static let roundCount = 2
    private static let lateMilliseconds: Int64 = 20
    private static let mostReturns = 2
    private static let longestTrial: Int64 = 2_500
    private static let bytesOutOfStep = 50
    private static let noiseBytes = 4
    // This much text at the end: the line has just got into step.
    private static let textInStep = 6
    private static let textBytes = 400
    // Random bytes do that once in a billion.
    private static let textRun = 12

    /// The speed that is being tried.
    private(set) var baudRate: Int
    /// Whether it is for one given speed.
    let isOnlyOne: Bool
    /// The other speeds of this round that are not ruled out yet.
    private var others: [Int]
    /// The speeds that were ruled out in the middle of the current burst, perhaps only for being out of step; each may be once.
    private var doubted: [Int] = []
    private var wereDoubted: Set<Int> = []
    /// How often each speed was left and returned to without a verdict; without a limit the search need not end.
    private var returns: [Int: Int] = [:]
    private let lastGood: Int?
    private var round = 0
    private var hasTriedAny = false
    /// The speed that the line has, and the one it had before; nil for the first.
    private var lineRate: Int?
    private var formerRate: Int?
    /// Whether sentences or frames came so early that they may have been received at the former speed.
    private var isOfEitherRate = false
    private var spotter = LineSpotter()
    private var rhythm = SpeechRhythm()
    /// When the speed was set, and the bytes that came too early after that to count.
    private var begunAt: Int64 = 0
    private var early = (noise: 0, text: 0)
    private var hasHeardBeginning = false
    private var latestDeadline: Int64 = 0
    private var isExtended = false

    /// How long to wait for further bytes; then call ``process(_:at:)`` with none.
    private(set) var deadline: Int64 = 0
    /// Whether bytes other than NMEA came, at any speed.
    private(set) var hasHeardNoise = false

    /// Whether each speed has been tried once.
    var hasTriedAll: Bool { isOnlyOne || round > 0 }

    /// A search over all speeds.
    ///
    /// - Parameter lastGood: the last good speed of this line.
    init(lastGood: Int? = nil) {
        self.lastGood = lastGood
        baudRate = lastGood ?? BaudSearch.order[0]
        isOnlyOne = false
        others = []
        others = BaudSearch.order.filter { $0 != baudRate }
    }

    /// A search for one given speed: it waits for that speed, and is never exhausted.
    init(only baudRate: Int) {
        self.baudRate = baudRate
        lastGood = baudRate
        isOnlyOne = true
        others = []
    }

    /// The line has the speed ``baudRate`` from now on.
    mutating func begin(at now: Int64) {
        spotter = LineSpotter()
        formerRate = lineRate == baudRate ? nil : lineRate
        lineRate = baudRate
        isOfEitherRate = false
        early = (0, 0)
        hasHeardBeginning = false
        begunAt = now
        deadline = waitForBurst(at: now, atLeast: round > 0 ? 1_300 : 1_100)
        latestDeadline = now + BaudSearch.longestTrial
        isExtended = false
        if round == 0, !isOnlyOne, rhythm.isInBurst(at: now) { deadline = min(deadline, rhythm.quietAt) }
        hasTriedAny = true
    }

    /// Until when to wait for a burst: in silence no other speed would show more than this one.
    private func waitForBurst(at now: Int64, atLeast milliseconds: Int64) -> Int64 {
        if isOnlyOne { return now + milliseconds }
        return max(now + milliseconds, rhythm.nextAt ?? (hasTriedAny ? now : now + SpeechRhythm.longestPauseMilliseconds))
    }

    /// Processes the bytes since the last call; none when only time has passed.
    mutating func process(_ bytes: Span<UInt8>, at now: Int64) -> Step {
        for offset in 0..<bytes.count { spotter.process(bytes[offset]) }
        let isUnderstood = spotter.sentenceCount > 0 || spotter.uncheckedCount >= 3
        if formerRate != nil, now < begunAt + BaudSearch.lateMilliseconds, isUnderstood || spotter.frameCount > 0 {
            isOfEitherRate = true
            spotter = LineSpotter()
        } else if isUnderstood {
            return .found(.nmea)
        }
        if spotter.noiseCount > 0 { hasHeardNoise = true }
        if bytes.count > 0 { noteBytes(at: now) }
        if isTurnedDown || now >= deadline {
            return spotter.frameCount > 0 ? .found(.ubx) : moveOn(at: now)
        }
        return .listen
    }

    /// The device cannot do the requested speed.
    mutating func refuse(at now: Int64) -> Step { change(at: now) }

    // MARK: The evidence

    private mutating func noteBytes(at now: Int64) {
        if !rhythm.isInBurst(at: now), now - begunAt >= SpeechRhythm.gapMilliseconds { hasHeardBeginning = true }
        if !rhythm.hasBegun, !isOnlyOne {
            // Silence is no evidence against the speeds before.
            others = BaudSearch.order.filter { $0 != baudRate }
            round = 0
        }
        if !rhythm.isInBurst(at: now), !isExtended, latestDeadline < now + BaudSearch.longestTrial / 2 {
            // A report that has been waited for.
            (isExtended, latestDeadline) = (true, now + BaudSearch.longestTrial)
        }
        rhythm.noteBytes(at: now)
        if now - begunAt < earlyMilliseconds { early = (spotter.noiseCount, spotter.textCount) }
        if isOfEitherRate {
            deadline = max(latestDeadline, waitForBurst(at: now, atLeast: 0))
        } else if round > 0 || isPromising {
            // The receiver is sending: a sentence at 4800 takes 0.17 s.
            deadline = min(max(deadline, now + 300), latestDeadline)
        } else if !isOnlyOne {
            deadline = min(rhythm.quietAt, latestDeadline)
        }
    }

    /// How long bytes may still be of another speed or out of step: set within a burst, a line takes some bytes to find where they begin.
    private var earlyMilliseconds: Int64 { BaudSearch.lateMilliseconds + Int64(BaudSearch.bytesOutOfStep * 10_000 / baudRate) }

    private var noise: Int { spotter.noiseCount - early.noise }
    private var text: Int { spotter.textCount - early.text }

    /// Whether the bytes justify listening longer.
    private var isPromising: Bool { spotter.frameCount > 0 || spotter.textRun >= BaudSearch.textRun }

    /// Whether the bytes rule out the speed.
    private var isTurnedDown: Bool {
        guard round == 0, !isOnlyOne, spotter.frameCount == 0 else { return false }
        return noise >= BaudSearch.noiseBytes && 3 * noise >= text && spotter.endingRun < BaudSearch.textInStep
            || text > BaudSearch.textBytes
    }

    // MARK: The next speed

    private mutating func moveOn(at now: Int64) -> Step {
        if isOnlyOne {
            let isGarbled = spotter.noiseCount >= BaudSearch.noiseBytes
            begin(at: now)
            return isGarbled ? .garbled : .listen
        }
        // A burst has ended in which the speed was not really tested: it may be right in the next burst.
        let isPromising = isPromising && now < latestDeadline
        let isOpen = noise == 0 || 3 * noise < text
        if round == 0, !isTurnedDown, isPromising || isOpen && now < begunAt + max(1_000, rhythm.pauseMilliseconds) {
            let count = returns[baudRate, default: 0]
            if isPromising || baudRate == lastGood || count == BaudSearch.mostReturns
                || rhythm.likeliest(of: others + [baudRate], at: now) == baudRate
            {
                deadline = max(isPromising ? latestDeadline : now + 1_100, waitForBurst(at: now, atLeast: 0))
                return .listen
            }
            returns[baudRate] = count + 1
            others.append(baudRate)
        } else if round == 0, isTurnedDown, !hasHeardBeginning, wereDoubted.insert(baudRate).inserted {
            doubted.append(baudRate)
        }
        return change(at: now)
    }

    private mutating func change(at now: Int64) -> Step {
        let isInBurst = rhythm.isInBurst(at: now)
        if others.isEmpty || !isInBurst {
            others += doubted
            doubted = []
        }
        if others.isEmpty {
            round += 1
            if round == BaudSearch.roundCount { return .exhausted }
            others = BaudSearch.order
        }
        if isOfEitherRate, let formerRate, returns[formerRate, default: 0] < BaudSearch.mostReturns {
            returns[formerRate, default: 0] += 1
            baudRate = formerRate
        } else if !isInBurst, round == 0, let lastGood, others.contains(lastGood) {
            baudRate = lastGood
        } else {
            baudRate = rhythm.likeliest(of: others, at: now) ?? others[0]
        }
        others.removeAll { $0 == baudRate }
        doubted.removeAll { $0 == baudRate }
        return .change(baudRate: baudRate)
    }
}
