/// Finds the speed of a serial line: which to try, on what evidence to stay, when to move on.
///
/// A receiver at another speed gives noise; one that is silent tells nothing; one that reports once a second is silent most of the time,
/// and a fast one has said everything within milliseconds. Four reports are all there is to find one of nine speeds in four seconds, so
/// each must turn down as many as it can:
/// - **Stay** at one sentence with the right checksum (three without checksum, for receivers that have none), or at UBX frames when no
///   sentence has come by the end of the time.
/// - **Turn down** in the first round after four bytes of noise that are a quarter of what came, at the end of a burst that was no text,
///   after 400 bytes of text that are no sentence, and after 1.2 s of silence at the first speed, 1.1 s at the others. What comes in the
///   first 20 ms and 50 bytes at a speed does not count against it: adapters hand over what came before up to 16 ms late, and in the
///   middle of a burst it takes some bytes to find where they begin.
/// - Once each may be turned down in the middle of a burst for being out of step: it is tried again in a later one.
/// - **Within a burst** go on to the fastest speed at which it would not be over yet; a slow line's burst turns down all others.
/// - **After a burst** go on to the last good speed, or to the one at which so long a burst is a usual one (``SpeechRhythm``), so that the next one finds it.
/// - A speed at which a run of text is heard, or UBX, is listened to longer, 2.5 s at most.
/// - **Begin** with the last good speed. Without one begin with 460800: its burst and those of its neighbours are too short to try
///   another speed in them, and only the lengths of the others' are easily told.
/// - The second round waits its 1.3 s at every speed whatever comes, for lines that are noisy or carry binary protocols beside NMEA. Then
///   the search is exhausted, and whoever runs it opens the line anew.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct BaudSearch: Sendable {
    /// What to do now.
    enum Step: Equatable {
        /// Listen on, until ``deadline`` at the latest.
        case listen
        /// Set this speed, then call ``begin(at:)``.
        case change(baudRate: Int)
        /// The speed is right.
        case found(Speech)
        /// No speed is right; the line should be opened anew.
        case exhausted
        /// The one speed that was asked for gives noise; listen on.
        case garbled
    }

    /// What the receiver speaks.
    enum Speech: Equatable {
        case nmea
        case ubx
    }

    // The order while nothing has been heard.
    private static let order = [460_800, 9_600, 115_200, 38_400, 4_800, 57_600, 230_400, 921_600, 19_200]
    private static let roundCount = 2
    private static let lateMilliseconds: Int64 = 20
    private static let bytesOutOfStep = 50
    private static let noiseBytes = 4
    // So much text at the end: the line has just got into step.
    private static let textInStep = 6
    private static let textBytes = 400
    // One in a billion that random bytes do that.
    private static let textRun = 12

    /// The speed that is tried now.
    private(set) var baudRate: Int
    private let isOnlyOne: Bool
    /// The other speeds of this round that nothing speaks against yet.
    private var others: [Int]
    /// Those that were turned down in the middle of the burst that goes on, perhaps only for being out of step; each may be once.
    private var doubted: [Int] = []
    private var wereDoubted: Set<Int> = []
    private let lastGood: Int?
    private var round = 0
    private var hasTriedAny = false
    private var spotter = LineSpotter()
    private var rhythm = SpeechRhythm()
    /// When the speed was set, and what came too early after that to count.
    private var begunAt: Int64 = 0
    private var early = (noise: 0, text: 0)
    private var hasHeardBeginning = false
    private var latestDeadline: Int64 = 0

    /// Until when to listen without further bytes; then call ``process(_:at:)`` with none.
    private(set) var deadline: Int64 = 0
    /// Whether anything came that was no NMEA, at any speed.
    private(set) var hasHeardNoise = false

    /// A search over all speeds.
    ///
    /// - Parameter lastGood: the speed at which this line was right the last time.
    init(lastGood: Int? = nil) {
        self.lastGood = lastGood
        baudRate = lastGood ?? BaudSearch.order[0]
        isOnlyOne = false
        others = []
        others = BaudSearch.order.filter { $0 != baudRate }
    }

    /// A search that has only one answer: it waits for it, and is never exhausted.
    init(only baudRate: Int) {
        self.baudRate = baudRate
        lastGood = baudRate
        isOnlyOne = true
        others = []
    }

    /// The line has the speed ``baudRate`` from now on.
    mutating func begin(at now: Int64) {
        spotter = LineSpotter()
        early = (0, 0)
        hasHeardBeginning = false
        begunAt = now
        deadline = now + (round > 0 ? 1_300 : hasTriedAny ? 1_100 : 1_200)
        latestDeadline = now + 2_500
        if round == 0, !isOnlyOne, rhythm.isInBurst(at: now) { deadline = min(deadline, rhythm.quietAt) }
        hasTriedAny = true
    }

    /// Takes what came since the last call; nothing when only time has passed.
    mutating func process(_ bytes: Span<UInt8>, at now: Int64) -> Step {
        for offset in 0..<bytes.count { spotter.process(bytes[offset]) }
        if spotter.sentenceCount > 0 || spotter.uncheckedCount >= 3 { return .found(.nmea) }
        if spotter.noiseCount > 0 { hasHeardNoise = true }
        if bytes.count > 0 { noteBytes(at: now) }
        if isTurnedDown || now >= deadline {
            return spotter.frameCount > 0 ? .found(.ubx) : moveOn(at: now)
        }
        return .listen
    }

    /// The device cannot do the speed it was asked for.
    mutating func refuse(at now: Int64) -> Step { change(at: now) }

    // MARK: The evidence

    private mutating func noteBytes(at now: Int64) {
        if !rhythm.isInBurst(at: now), now - begunAt >= SpeechRhythm.gapMilliseconds { hasHeardBeginning = true }
        rhythm.noteBytes(at: now)
        if now - begunAt < earlyMilliseconds { early = (spotter.noiseCount, spotter.textCount) }
        if round > 0 || isPromising {
            // Something is being said: a sentence at 4800 takes 0.17 s.
            deadline = min(max(deadline, now + 300), latestDeadline)
        } else if !isOnlyOne {
            deadline = min(rhythm.quietAt, latestDeadline)
        }
    }

    /// Until when what comes may be another speed's, or out of step: set within a burst, a line takes some bytes to find where they begin.
    private var earlyMilliseconds: Int64 { BaudSearch.lateMilliseconds + Int64(BaudSearch.bytesOutOfStep * 10_000 / baudRate) }

    private var noise: Int { spotter.noiseCount - early.noise }
    private var text: Int { spotter.textCount - early.text }

    /// Whether what came is worth listening on.
    private var isPromising: Bool { spotter.frameCount > 0 || spotter.textRun >= BaudSearch.textRun }

    /// Whether what came speaks against the speed.
    private var isTurnedDown: Bool {
        guard round == 0, !isOnlyOne, spotter.frameCount == 0 else { return false }
        return noise >= BaudSearch.noiseBytes && 3 * noise >= text && spotter.endingRun < BaudSearch.textInStep
            || text > BaudSearch.textBytes
    }

    // MARK: The next one

    private mutating func moveOn(at now: Int64) -> Step {
        if isOnlyOne {
            let isGarbled = spotter.noiseCount >= BaudSearch.noiseBytes
            begin(at: now)
            return isGarbled ? .garbled : .listen
        }
        // A burst has ended in which the speed was not really tried: it may be the one that the next burst finds.
        let isPromising = isPromising && now < latestDeadline
        let isOpen = noise == 0 || 3 * noise < text
        if round == 0, !isTurnedDown, isPromising || isOpen && now < begunAt + 1_000 {
            if isPromising || rhythm.likeliest(of: others + [baudRate], at: now) == baudRate {
                deadline = isPromising ? latestDeadline : now + 1_100
                return .listen
            }
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
        if !isInBurst, round == 0, let lastGood, others.contains(lastGood) {
            baudRate = lastGood
        } else {
            baudRate = rhythm.likeliest(of: others, at: now) ?? others[0]
        }
        others.removeAll { $0 == baudRate }
        return .change(baudRate: baudRate)
    }
}
