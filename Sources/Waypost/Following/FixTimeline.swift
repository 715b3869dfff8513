/// The timeline on which the durations between live fixes are measured: that of the machine's own clock.
///
/// As long as the receiver's time keeps pace with the machine's clock, its steps count, because they do not depend on when a fix was delivered.
/// A time that jumps, stands still or goes back moves nothing: there the clock goes on alone, and the receiver's time counts again from where
/// it is then. So a wrong date, or none at first, makes no wait longer or shorter. Where fix after fix comes quicker than its time passes, what
/// was recorded is played into a socket or a pipe, and its times count.
///
/// The timeline begins with the receiver's time, or with the clock's where the receiver has none; only differences on it mean something.
/// - Concurrency: a value; one step per fix.
package struct FixTimeline: Sendable {
    /// What a receiver's time may be ahead of the clock or behind it, in milliseconds.
    private static let tolerance = Int64(ConfirmedTime.toleranceMilliseconds)
    /// How often the clock is corrected by the receiver's time, in milliseconds, and by at most what share: more than a quartz drifts.
    private static let correctionMilliseconds: Int64 = 10_000
    private static let correctionDivisor: Int64 = 1_000
    /// After how many steps in a row, each more than twice the clock's, fixes are played: no receiver delivers so many that it did not owe.
    private static let playedSteps = 10

    private var now: Int64?
    private var last = Int64.min
    private var clock: Int64 = 0
    /// The last fix with a time, and the clock's reading then.
    private var timed: (time: Int64, clock: Int64)?

    /// What the receiver's time has gained on the clock, less the corrections.
    private var lead: Int64 = 0
    private var corrected: Int64 = 0
    /// What passed by the clock without the receiver's time: fixes that were held up, and come together, make up for it.
    private var owed: Int64 = 0
    private var quickSteps = 0
    /// What quick steps gained that was not believed.
    private var withheld: Int64 = 0

    /// Creates a timeline before its first fix.
    package init() {}

    /// The moment of the next fix, in milliseconds; never earlier than that of the fix before.
    ///
    /// - Parameters:
    ///   - time: the time of the fix, within the years 1 to 9999.
    ///   - clock: the machine's clock that never jumps and also runs during sleep (CLOCK_BOOTTIME), in milliseconds.
    package mutating func moment(of time: UTCTime?, at clock: Int64) -> Int64 {
        let time = time?.millisecondsSince1970
        var now = (self.now ?? time ?? clock) + (self.now == nil ? 0 : clock - self.clock)
        if let time {
            if let timed { now += gain(time - timed.time, in: clock - timed.clock) }
            timed = (time, clock)
        }
        if clock - corrected >= FixTimeline.correctionMilliseconds {
            let most = (clock - corrected) / FixTimeline.correctionDivisor
            lead -= min(max(lead, -most), most)
            corrected = clock
        }
        (self.now, self.clock, last) = (now, clock, max(now, last))
        return last
    }

    /// What a step of the receiver's time has more than the clock's, as far as it counts.
    private mutating func gain(_ step: Int64, in passed: Int64) -> Int64 {
        let isPlayed = quickSteps == FixTimeline.playedSteps
        var gain = step - passed
        // The same fix again; and a recording that begins again is still one.
        if step == 0 && passed == 0 || step < 0 && isPlayed { return 0 }
        if step > 0, gain > 0 {
            let paid = min(gain, owed)
            owed -= paid
            gain -= paid
        }
        guard gain > passed else {
            (quickSteps, withheld) = (0, 0)
            return isPlayed ? max(gain, -passed) : believed(gain, step)
        }
        if isPlayed { return gain }
        let counted = believed(gain, step)
        withheld += gain - counted
        quickSteps += 1
        guard quickSteps == FixTimeline.playedSteps else { return counted }
        defer { (lead, withheld) = (0, 0) }
        return counted + withheld
    }

    /// What counts of a gain, while the receiver's time keeps pace with the clock.
    private mutating func believed(_ gain: Int64, _ step: Int64) -> Int64 {
        guard gain < 0 else {
            guard lead + gain <= FixTimeline.tolerance else { return 0 }
            lead += gain
            return gain
        }
        guard step >= 0 else { return 0 }
        // A time that stands still says nothing.
        let counted = step == 0 ? 0 : max(gain, min(0, -FixTimeline.tolerance - lead))
        owed += counted - gain
        lead += counted
        return counted
    }
}

/// When a live fix came, on the ``FixTimeline`` of its manager; unknown for what is recorded, where the times of the fixes alone count.
///
/// It is no part of what a position says: two positions that differ only in it are equal.
@usableFromInline
package struct FixMoment: Sendable, Hashable {
    /// The moment, in milliseconds; nil when it is unknown.
    package var milliseconds: Int64?

    /// An unknown moment.
    @usableFromInline
    package init() {}

    /// Any two moments are equal.
    @usableFromInline
    package static func == (left: FixMoment, right: FixMoment) -> Bool { true }

    /// Nothing is hashed.
    @usableFromInline
    package func hash(into hasher: inout Hasher) {}
}

extension Position {
    /// What durations are measured with, in milliseconds: the moment of a live fix, the time of any other; nil when neither is known.
    package var durationMilliseconds: Int64? { moment.milliseconds ?? time?.millisecondsSince1970 }

    /// How much later than another fix this one is, in milliseconds; nil when that is unknown.
    package func milliseconds(since earlier: Position) -> Int64? {
        if let moment = moment.milliseconds, let before = earlier.moment.milliseconds { return moment - before }
        guard let time, let before = earlier.time else { return nil }
        return time.millisecondsSince1970 - before.millisecondsSince1970
    }
}
