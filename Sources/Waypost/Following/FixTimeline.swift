/// The timeline on which the durations between live fixes are measured: that of the machine's own clock.
///
/// As long as the receiver's time keeps pace with the machine's clock, its steps count, because they do not depend on when a fix was delivered:
/// fixes that were held up, and come together, were measured one after the other. A time that jumps, stands still or goes back moves nothing:
/// there the clock goes on alone, and the receiver's time counts again from where it is then. So a wrong date, or none at first, makes no wait
/// longer or shorter. Where fix after fix comes quicker than its time passes, what was recorded is played into a socket or a pipe, and its times
/// count.
///
/// The timeline begins with the reading of the clock, so that those of two runs in one boot are comparable, within a few seconds.
/// - Concurrency: a value; one step per fix.
package struct FixTimeline: Sendable {
    /// What a receiver's time may be ahead of the clock, or behind it for longer than fixes are held up, in milliseconds.
    private static let tolerance = Int64(ConfirmedTime.toleranceMilliseconds)
    /// How long fixes that were held up may take to come, in milliseconds.
    private static let longestCatchUp: Int64 = 3_000
    /// The longest step between two of them, and the most by which fixes are late for good; more may be a jump, in milliseconds.
    private static let longestHeldStep: Int64 = 10_000
    /// How often the clock is corrected by the receiver's time, in milliseconds, and by at most what share: more than a quartz drifts.
    private static let correctionMilliseconds: Int64 = 10_000
    private static let correctionDivisor: Int64 = 1_000
    /// After how many steps in a row, each more than a fifth longer than the clock's, fixes are played.
    ///
    /// No receiver delivers so many that it did not owe. After as many that are not, they are live again.
    private static let playedSteps = 10
    /// Whether a step that gains so much in that time is one of them.
    private static func isQuick(_ gain: Int64, _ passed: Int64) -> Bool { 5 * gain > passed }

    private var last: (moment: Int64, clock: Int64)?
    /// The last fix with a time, and the clock's reading then.
    private var timed: (time: Int64, clock: Int64)?

    /// What the receiver's time has gained on the clock, less the corrections; negative while fixes that were held up are still to come.
    private var lead: Int64 = 0
    private var lateSince: Int64?
    private var corrected: Int64 = 0
    /// What passed by the clock while the receiver's time stood still: receivers that tell whole seconds make up for it with the next one.
    private var owed: Int64 = 0
    private var quickSteps = 0
    private var slowSteps = 0
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
        var moment = last.map { $0.moment + (clock - $0.clock) } ?? clock
        if clock - corrected >= FixTimeline.correctionMilliseconds {
            let most = (clock - corrected) / FixTimeline.correctionDivisor
            lead -= min(max(lead, -most), most)
            corrected = clock
        }
        if let time = time?.millisecondsSince1970 {
            if let timed { moment += gain(time - timed.time, in: clock - timed.clock, at: clock) }
            timed = (time, clock)
        }
        moment = max(moment, last?.moment ?? moment)
        last = (moment, clock)
        return moment
    }

    /// What a step of the receiver's time has more than the clock's, as far as it counts.
    private mutating func gain(_ step: Int64, in passed: Int64, at clock: Int64) -> Int64 {
        let isPlayed = quickSteps == FixTimeline.playedSteps
        // The same fix again; and a recording that begins again is still one.
        if step == 0 && passed == 0 || step < 0 && isPlayed { return 0 }
        guard step > 0 else {
            (quickSteps, withheld) = (0, 0)
            if isPlayed { return -passed }
            owed += step == 0 ? passed : 0
            return 0
        }
        var gain = step - passed
        if gain > 0, gain <= owed + FixTimeline.tolerance {
            let paid = min(gain, owed)
            owed -= paid
            gain -= paid
        } else if gain <= 0 {
            owed = 0
        }
        if isPlayed {
            slowSteps = FixTimeline.isQuick(gain, passed) ? 0 : slowSteps + 1
            if slowSteps == FixTimeline.playedSteps { (quickSteps, slowSteps) = (0, 0) }
            return gain
        }
        let isCatchingUp = lead < 0
        let isBelieved = lead + gain <= FixTimeline.tolerance && (!isCatchingUp || step <= FixTimeline.longestHeldStep)
        let counted = gain <= 0 || isBelieved ? gain : 0
        lead += counted
        return counted + (FixTimeline.isQuick(gain, passed) && !isCatchingUp ? play(gain - counted) : settle(at: clock))
    }

    /// A quick step; returns what was withheld of such steps once they are known as those of a recording.
    private mutating func play(_ gain: Int64) -> Int64 {
        lateSince = nil
        withheld += gain
        quickSteps += 1
        guard quickSteps == FixTimeline.playedSteps else { return 0 }
        defer { (lead, withheld) = (0, 0) }
        return withheld
    }

    /// Any other step; returns what the receiver's time lacks for good, if that is more than fixes are ever late by.
    ///
    /// Fixes that come later by a few seconds from now on are as far apart as before.
    private mutating func settle(at clock: Int64) -> Int64 {
        (quickSteps, withheld) = (0, 0)
        guard lead < -FixTimeline.tolerance else {
            lateSince = nil
            return 0
        }
        let since = lateSince ?? clock
        lateSince = since
        guard clock - since > FixTimeline.longestCatchUp else { return 0 }
        defer { (lead, lateSince) = (0, nil) }
        return lead < -FixTimeline.longestHeldStep ? -lead : 0
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
