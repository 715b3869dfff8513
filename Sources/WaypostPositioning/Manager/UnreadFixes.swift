import Waypost

/// Dates fixes that waited unread while this process was stopped or held up: they came before they were read.
///
/// A fix came as long after the one before as their times say, but not after it was read. That holds for a few seconds after a pause only: a
/// receiver whose fixes are late for good is not a lost one.
/// - Concurrency: a value; milliseconds of one monotonic clock, given by the caller.
struct UnreadFixes: Sendable {
    /// How long after a pause there may be fixes that have waited.
    private static let readingMilliseconds: Int64 = 3_000
    private static let leastPauseMilliseconds: Int64 = 500

    private var last: (time: Int64, at: Int64)?
    private var nextLookAt: Int64?
    private var readingEnd: Int64?

    /// This process looks again at that moment, unless it is held up; nil when it does not.
    mutating func expectLook(at moment: Int64?) { nextLookAt = moment }

    /// It looks now.
    mutating func look(at now: Int64) {
        guard let nextLookAt, now - nextLookAt > UnreadFixes.leastPauseMilliseconds else { return }
        self.nextLookAt = nil
        readingEnd = now + UnreadFixes.readingMilliseconds
    }

    /// For how long a fix that is read now has waited.
    mutating func waitingMilliseconds(of time: UTCTime?, readAt now: Int64) -> Int64 {
        look(at: now)
        guard let time = time?.millisecondsSince1970 else {
            last = nil
            return 0
        }
        var moment = now
        if let readingEnd, now < readingEnd, let last, time > last.time { moment = min(now, last.at + time - last.time) }
        last = (time, moment)
        return now - moment
    }
}
