import Waypost

/// When a destination is due: once per interval, at its own moment, and only when something waits.
///
/// A fleet of devices that all get power at the same moment does not send at the same moment: each has its own phase. An empty queue is
/// never due, and so wakes nothing.
/// - Units: milliseconds of a clock that never jumps and keeps running while the machine sleeps.
/// - Concurrency: a value; one step per occurrence.
public struct DispatchSchedule: Sendable, Hashable {
    /// How often, and when.
    public struct Settings: Sendable, Hashable {
        /// The time between two dispatches; less than a second means only on demand.
        public var interval: Duration
        /// The moment within the interval at which this device sends, in whole milliseconds.
        public var phase: Duration
        /// Whether it also sends when another destination was reached.
        public var goesAlong: Bool

        /// 120 s, at a moment derived from a text, such as the device's and the destination's name.
        public init(interval: Duration = .seconds(120), phaseOf text: String, goesAlong: Bool = false) {
            self.interval = interval
            // FNV-1a: the same in every run, unlike the standard library's hash.
            let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            phase = interval >= .milliseconds(1) ? .milliseconds(Int64(hash % UInt64(interval.milliseconds))) : .zero
            self.goesAlong = goesAlong
        }

        /// Whether it sends only on demand.
        public var isManual: Bool { interval < .seconds(1) }

        /// A warning about an interval that probably means something else; nil when there is none.
        public var warning: String? {
            interval > .zero && isManual ? "an interval below 1 s means: only on demand" : nil
        }
    }

    /// What happened.
    public enum Input: Sendable, Hashable {
        /// Something waits, or still waits.
        case waiting
        /// Nothing waits any more.
        case empty
        /// Another destination was reached.
        case reachedOther
        /// Everything must be sent by this moment (`cutoff`); nil for no such moment.
        case cutoff(Int64?)
        /// The scheduled attempt was made; whether everything is sent comes as ``waiting`` or ``empty``.
        case attempted
    }

    /// How long before a cutoff it is due, milliseconds: early enough for a backlog, and once more for records that came since.
    public static let cutoffLeads: [Int64] = [300_000, 30_000]

    /// The settings of the schedule.
    public let settings: Settings
    /// When it is due next; nil while nothing waits, or only on demand.
    public private(set) var wake: Int64?
    private var isWaiting = false
    private var cutoff: Int64?

    /// A schedule with nothing waiting.
    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// Processes an input, and decides when it is due next.
    public mutating func process(_ input: Input, at now: Int64) {
        switch input {
        case .waiting:
            // Further records do not move the moment.
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

    /// The next moment of the interval's grid, or one before the cutoff when that is earlier; nil when it sends only on demand.
    private func next(after now: Int64) -> Int64? {
        var moment: Int64?
        if !settings.isManual {
            let interval = settings.interval.milliseconds
            // The distance to the grid's next moment: 1...interval, for any signs.
            let past = ((now - settings.phase.milliseconds) % interval + interval) % interval
            moment = now + interval - past
        }
        if let cutoff {
            for lead in DispatchSchedule.cutoffLeads where cutoff - lead > now { moment = min(moment ?? .max, cutoff - lead) }
        }
        return moment
    }
}
