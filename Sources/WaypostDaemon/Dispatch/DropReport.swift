import Waypost
import WaypostKit
import WaypostRecording
import WaypostSystem

/// Counts what limits removed before it was sent; reported in the log at most once a minute, and by `status` for an hour.
struct DropReport {
    /// Makes the sentence for a count.
    private let sentence: @Sendable (Int) -> String
    private var count = 0
    private var grewAt: Int64?
    private var toldAt: Int64?
    private var toldCount = 0

    private static let pause: Int64 = 60_000
    private static let memory: Int64 = 3_600_000

    private init(_ sentence: @escaping @Sendable (Int) -> String) { self.sentence = sentence }

    /// A report of events that the limits of the outbox removed.
    static var events: DropReport {
        DropReport {
            "\(counted($0, "event")) dropped before every destination had them: the outbox is full or they are too old ([dispatch] max_bytes, max_age)"
        }
    }

    /// A report of tracks that a key of `[log]` deleted.
    static func positions(deletedBy key: String) -> DropReport {
        let keys = key == DeletionReport.anyLimit ? "max_age, max_bytes or min_free" : key
        return DropReport { "\(counted($0, "position")) deleted with old tracks before every destination had them ([log] \(keys))" }
    }

    /// A report of positions or events that the log has lost.
    static func lost(_ kind: LostRecords, by loss: LogLoss) -> DropReport {
        if loss.note == .deleted {
            return DropReport { "\(counted($0, "event")) deleted with old tracks before the outbox could take them: they count as dropped" }
        }
        let damage = loss.note == nil ? loss.damage : "\(loss.damage) (\(loss.after + 1) to \(loss.through))"
        return DropReport { [isBounded = loss.isBounded] count in
            switch (kind, isBounded) {
            case (.positions, true): "up to \(counted(count, "record")) lost before every destination had them: \(damage)"
            case (.positions, false): "records lost before every destination had them: \(damage)"
            case (.events, true): "up to \(counted(count, "record")) lost, among them perhaps events that were not queued yet: \(damage)"
            case (.events, false): "records lost, among them perhaps events that were not queued yet: \(damage)"
            }
        }
    }

    private var words: String { sentence(count) }

    /// The problem, in words for people.
    var problem: String? {
        grewAt.flatMap { MonotonicClock.milliseconds - $0 < DropReport.memory ? words : nil }
    }

    /// Adds to the count; returns the line to log, if there is a new one.
    mutating func add(_ more: Int) -> String? { more > 0 ? note(count + more) : nil }

    /// Notes the newest count since the outbox was opened; returns the line to log, if there is a new one.
    ///
    /// The count shrinks when some reach their destinations after all.
    ///
    /// - Parameters:
    ///   - newCount: the count.
    ///   - age: how long ago it grew, when that was not just now.
    mutating func note(_ newCount: Int, grownBefore age: Duration = .zero) -> String? {
        let now = MonotonicClock.milliseconds
        if newCount > count { grewAt = now - age.milliseconds }
        if newCount == 0 { grewAt = nil }
        toldCount = min(toldCount, newCount)
        count = newCount
        guard count > toldCount, toldAt.map({ now - $0 >= DropReport.pause }) ?? true else { return nil }
        (toldAt, toldCount) = (now, count)
        return words
    }
}

extension LogLoss {
    /// What is wrong with the journal, or the log, for people.
    var damage: String {
        switch note {
        case .forgotten: "\(path) has neither their journal nor their track"
        case .elsewhere: "\(path) is an older copy of the log, without them"
        case .moved: "\(path) never had them: another folder was that of the log then"
        case .deleted: "the limits of \(path) deleted them"
        case nil: isMissing ? "\(path) is missing" : "\(path) is damaged at byte \(offset)"
        }
    }
}
