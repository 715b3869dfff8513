/// Finds the speed of a serial line: which to try, on what evidence to stay, when to move on.
///
/// A receiver at another speed gives noise; one that is silent tells nothing; one that reports once a second is silent most of the time.
/// So:
/// - **Stay** at one sentence with the right checksum (three without checksum, for receivers that have none), or at UBX frames when no
///   sentence has come by the end of the time.
/// - **Move on** in the first round after four bytes of noise that are a quarter of what came, after 120 ms of quiet behind less noise,
///   after 400 bytes of text that are no sentence, and after 1.2 s of silence at the first speed, 1.1 s at the others.
/// - A speed at which something sensible is being said is listened to longer, 2.5 s at most.
/// - The second round waits its 1.3 s at every speed whatever comes, for lines that are noisy or carry binary protocols beside NMEA. Then
///   the search is exhausted, and whoever runs it opens the line anew.
/// - **Order**: the last good speed, then 9600 and 115200, which most receivers have; then the fast ones, then the slow ones. A slow
///   line's burst lasts long enough to turn down every other speed within it, with some bytes of noise each; a fast one's is over in
///   milliseconds and costs a second of waiting for the next. So the fast ones go first.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct BaudSearch {
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
    }

    /// What the receiver speaks.
    enum Speech: Equatable {
        case nmea
        case ubx
    }

    private static let order = [9_600, 115_200, 460_800, 921_600, 230_400, 38_400, 57_600, 19_200, 4_800]
    private static let roundCount = 2

    private let candidates: [Int]
    private var index = 0
    private var round = 0
    private var spotter = LineSpotter()
    private var latestDeadline: Int64 = 0

    /// Until when to listen without further bytes; then call ``process(_:at:)`` with none.
    private(set) var deadline: Int64 = 0
    /// Whether anything came that was no NMEA, at any speed.
    private(set) var hasHeardNoise = false

    /// A search over all speeds.
    ///
    /// - Parameter lastGood: the speed at which this line was right the last time.
    init(lastGood: Int? = nil) {
        candidates = (lastGood.map { [$0] } ?? []) + BaudSearch.order.filter { $0 != lastGood }
    }

    /// A search that has only one answer: it waits for it, and is never exhausted.
    init(only baudRate: Int) {
        candidates = [baudRate]
    }

    /// The speed that is tried now.
    var baudRate: Int { candidates[index] }

    /// The line has the speed ``baudRate`` from now on.
    mutating func begin(at now: Int64) {
        spotter = LineSpotter()
        deadline = now + (round > 0 ? 1_300 : index == 0 ? 1_200 : 1_100)
        latestDeadline = now + 2_500
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
    mutating func refuse(at now: Int64) -> Step { moveOn(at: now) }

    private mutating func noteBytes(at now: Int64) {
        if round > 0 || spotter.frameCount > 0 || spotter.textCount > 8 {
            // Something is being said: a sentence at 4800 takes 0.17 s.
            deadline = min(max(deadline, now + 300), latestDeadline)
        } else if spotter.noiseCount > 0 {
            deadline = min(deadline, now + 120)
        }
    }

    /// Whether what came speaks against the speed.
    private var isTurnedDown: Bool {
        guard round == 0, spotter.frameCount == 0 else { return false }
        let (noise, text) = (spotter.noiseCount, spotter.textCount)
        return noise >= 4 && 3 * noise >= text || text > 400
    }

    private mutating func moveOn(at now: Int64) -> Step {
        guard candidates.count > 1 else {
            begin(at: now)
            return .listen
        }
        index += 1
        if index == candidates.count {
            index = 0
            round += 1
            if round == BaudSearch.roundCount { return .exhausted }
        }
        return .change(baudRate: baudRate)
    }
}
