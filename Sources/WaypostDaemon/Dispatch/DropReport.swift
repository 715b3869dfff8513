import Waypost
import WaypostSystem

/// What limits took from those that waited for it, told in the log once a minute at most, and by `status` for an hour.
struct DropReport {
    /// The sentence that says how many.
    private let sentence: @Sendable (Int) -> String
    private var count = 0
    private var grewAt: Int64?
    private var toldAt: Int64?
    private var toldCount = 0

    private static let pause: Int64 = 60_000
    private static let memory: Int64 = 3_600_000

    private init(_ sentence: @escaping @Sendable (Int) -> String) { self.sentence = sentence }

    /// Of what the limits of the outbox took.
    static var events: DropReport {
        DropReport {
            "\(counted($0, "event")) dropped before every destination had them: the outbox is full or they are too old ([dispatch] max_bytes, max_age)"
        }
    }

    /// Of tracks that were deleted by a key of `[log]`.
    static func positions(deletedBy key: String) -> DropReport {
        DropReport { "\(counted($0, "position")) deleted with old tracks before every destination had them ([log] \(key))" }
    }

    private var words: String { sentence(count) }

    /// What is wrong, for people.
    var problem: String? {
        grewAt.flatMap { MonotonicClock.milliseconds - $0 < DropReport.memory ? words : nil }
    }

    /// Takes that so many more went.
    mutating func add(_ more: Int) -> String? { more > 0 ? note(count + more) : nil }

    /// Takes the newest count since the outbox was opened, which shrinks when some come to their destinations after all; the line to log, if there
    /// is a new one.
    mutating func note(_ newCount: Int) -> String? {
        let now = MonotonicClock.milliseconds
        if newCount > count { grewAt = now }
        if newCount == 0 { grewAt = nil }
        toldCount = min(toldCount, newCount)
        count = newCount
        guard count > toldCount, toldAt.map({ now - $0 >= DropReport.pause }) ?? true else { return nil }
        (toldAt, toldCount) = (now, count)
        return words
    }
}
