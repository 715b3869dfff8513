import Waypost
import WaypostRecording

/// Which recent fixes were not logged, and why: stretches of time, so that hours of a parked device are one line.
///
/// In memory, and gone with the process: a fix that is left out must not cost a write.
struct FilteredFixes: Sendable {
    /// Fixes of a stretch of time that were left out for one reason.
    struct Stretch: Sendable, Equatable {
        /// The times of the first and the last, by the confirmed time; nil while it was unknown.
        var from: UTCTime?
        var to: UTCTime?
        var count = 1
        /// Why, for people.
        var reason: String
    }

    /// The latest stretches, oldest first.
    private(set) var stretches: [Stretch] = []

    /// How many stretches are kept.
    static let maximumCount = 256
    /// A fix with the same reason within this time belongs to the stretch, in milliseconds.
    static let longestGapMilliseconds: Int64 = 600_000

    /// Notes a fix that was left out.
    mutating func note(_ time: UTCTime?, because reason: String) {
        if let index = stretches.lastIndex(where: { $0.reason == reason }), FilteredFixes.continues(stretches[index].to, at: time) {
            stretches[index].count += 1
            stretches[index].to = time
            return
        }
        if stretches.count == FilteredFixes.maximumCount { stretches.removeFirst() }
        stretches.append(Stretch(from: time, to: time, reason: reason))
    }

    private static func continues(_ last: UTCTime?, at time: UTCTime?) -> Bool {
        guard let last, let time else { return last == nil && time == nil }
        return (0...longestGapMilliseconds).contains(time.millisecondsSince1970 - last.millisecondsSince1970)
    }
}

extension TrackSegmenter.Reason {
    /// Why a fix is not logged, for people.
    var words: String {
        switch self {
        case .untimed: "the receiver has not given the date yet"
        case .notMeasured: "dead reckoning, simulated or entered by hand"
        case .repeated: "it has the time of the one before"
        }
    }
}
