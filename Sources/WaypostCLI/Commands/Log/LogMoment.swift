import ArgumentParser
import Waypost

/// A place in a log as people name it: a cursor, or a time.
enum LogMoment: ExpressibleByArgument, Equatable {
    /// Behind the record of that number.
    case cursor(UInt64)
    /// At that moment.
    case time(UTCTime)

    /// `4711`, `2026-11-21T11:33:28Z`, or a day, `2026-11-21`, which begins at midnight UTC.
    init?(argument: String) {
        if let number = UInt64(argument) {
            self = .cursor(number)
        } else if let time = UTCTime(rfc3339: argument) ?? UTCTime(rfc3339: argument + "T00:00:00Z") {
            self = .time(time)
        } else {
            return nil
        }
    }

    static let form = "a cursor, a time (2026-11-21T11:33:28Z) or a day (2026-11-21, UTC)"
}

/// A moment of UTC as people name it.
struct MomentArgument: ExpressibleByArgument, Equatable {
    let time: UTCTime

    /// A time or a day, as of ``LogMoment``.
    init?(argument: String) {
        guard case .time(let time)? = LogMoment(argument: argument) else { return nil }
        self.time = time
    }
}
