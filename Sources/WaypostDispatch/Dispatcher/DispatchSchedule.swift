import Waypost

/// When a destination is due: every interval, at a moment of its own, and only when something waits.
///
/// A fleet whose boxes all get power at the same moment does not send at the same moment: each has its phase. An empty queue is never due, and so
/// wakes nobody.
/// - Units: milliseconds of a clock that never jumps and runs while the machine sleeps.
/// - Concurrency: a value; one step per occurrence.
public struct DispatchSchedule: Sendable, Hashable {
    /// How often, and when.
    public struct Settings: Sendable, Hashable {
        /// Between two dispatches, milliseconds; below a second only on demand.
        public var intervalMilliseconds: Int64
        /// The moment within the interval at which this box sends, milliseconds.
        public var phaseMilliseconds: Int64
        /// Whether it goes along when another destination was reached.
        public var goesAlong: Bool

        /// 120 s at the moment that follows from a text, such as the device's and the destination's name.
        public init(interval: Duration = .seconds(120), phaseOf text: String, goesAlong: Bool = false) {
            intervalMilliseconds = interval.milliseconds
            // FNV-1a: the same in every run, unlike the standard library's.
            let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            phaseMilliseconds = intervalMilliseconds > 0 ? Int64(hash % UInt64(intervalMilliseconds)) : 0
            self.goesAlong = goesAlong
        }

        /// Whether it sends only on demand.
        public var isManual: Bool { intervalMilliseconds < 1_000 }

        /// What a person should hear about an interval that is probably meant otherwise; nil when all is well.
        public var warning: String? {
            intervalMilliseconds > 0 && isManual ? "an interval below 1 s means: only on demand" : nil
        }
    }

    /// What happened.
    public enum Input: Sendable, Hashable {
        /// Something waits, or waits still.
        case waiting
        /// Nothing waits any more.
        case empty
        /// Another destination was reached.
        case reachedOther
        /// It must all be gone by that moment (`cutoff`); nil for no such moment.
        case cutoff(Int64?)
        /// It was tried at its moment; whether it is all gone comes as ``waiting`` or ``empty``.
        case attempted
    }

    /// How long before a cutoff it is due, milliseconds: early enough for a backlog, and once more for what came since.
    public static let cutoffLeads: [Int64] = [300_000, 30_000]

    /// How it is set.
    public let settings: Settings
    /// When it is due next; nil while nothing waits, or only on demand.
    public private(set) var wake: Int64?
    private var isWaiting = false
    private var cutoff: Int64?

    /// A schedule with nothing waiting.
    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// Takes what happened, and decides when it is due next.
    public mutating func process(_ input: Input, at now: Int64) {
        switch input {
        case .waiting:
            // What waits already does not move the moment.
            if isWaiting, wake != nil { return }
            isWaiting = true
            wake = next(after: now)
        case .empty:
            isWaiting = false
            wake = nil
        case .reachedOther:
            if isWaiting, settings.goesAlong { wake = min(wake ?? now, now) }
        case .cutoff(let moment):
            cutoff = moment
            if isWaiting { wake = next(after: now) }
        case .attempted:
            wake = isWaiting ? next(after: now) : nil
        }
    }

    /// The next moment of the interval's grid, or one before the cutoff when that is earlier; nil when only on demand.
    private func next(after now: Int64) -> Int64? {
        var moment: Int64?
        if !settings.isManual {
            let interval = settings.intervalMilliseconds
            // How far the grid's next moment is away: 1...interval, whatever the signs are.
            let past = ((now - settings.phaseMilliseconds) % interval + interval) % interval
            moment = now + interval - past
        }
        if let cutoff {
            for lead in DispatchSchedule.cutoffLeads where cutoff - lead > now { moment = min(moment ?? .max, cutoff - lead) }
        }
        return moment
    }
}
