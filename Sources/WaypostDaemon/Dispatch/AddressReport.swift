import WaypostSystem

/// The destinations whose records from before go to another server, reported for an hour.
struct AddressReport {
    private var words: [String] = []
    private var toldAt: Int64 = 0

    private static let memory: Int64 = 3_600_000

    /// The problems, in words for people.
    var problems: [String] { MonotonicClock.milliseconds - toldAt < AddressReport.memory ? words : [] }

    /// Notes what the tracker found when it opened the outbox.
    mutating func note(_ words: [String]) { (self.words, toldAt) = (words, MonotonicClock.milliseconds) }
}
