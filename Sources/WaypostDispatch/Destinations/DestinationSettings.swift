import Waypost

/// How a destination is served; none of it changes what waits for it.
public struct DestinationSettings: Sendable, Hashable {
    /// Which positions go first.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// As they happened.
        case oldest
        /// After an outage what is new first, then what was missed, oldest first.
        case live
    }

    /// Its name, under which the outbox knows how far it is.
    public var name: String
    /// What this device is called there; nil where it has its usual name.
    public var device: String?
    /// When it is due.
    public var schedule: DispatchSchedule.Settings
    /// Which positions go first.
    public var order = Order.oldest
    /// The most records of a batch; the destination's own limit when that is less.
    public var batchCount = 250
    /// By when, every day, everything must be gone; nil for no such time.
    ///
    /// What happened before and is sent later is marked and counted as late.
    public var cutoff: DailyMoment?
    /// Whether nothing leaves: what would be sent is told, and stays.
    public var isDryRun = false
    /// Whether positions of the log are sent, and not only events.
    public var sendsPositions = true

    /// Settings where not told otherwise those of a new destination.
    public init(name: String, schedule: DispatchSchedule.Settings) {
        self.name = name
        self.schedule = schedule
    }
}

/// How a dispatch that somebody asked for ended.
public struct DispatchCompletion: Sendable, Hashable {
    /// The word for it.
    public enum Word: String, Sendable, Hashable {
        /// Something was sent, and nothing failed.
        case good
        /// Nothing was to be sent, or there was no network: no name could be resolved.
        case noData = "no_data"
        /// It was tried and failed, or is not to be tried now.
        case error
    }

    /// A destination that did not get what waits for it.
    public struct Failure: Sendable, Hashable {
        /// Its name.
        public var destination: String
        /// Why, for people.
        public var reason: String
    }

    /// In a word, for programs.
    public var word: Word
    /// Every destination that did not get what waits for it, and why: with an error, and when there was no network.
    public var failures: [Failure] = []

    /// Something was sent, and nothing failed.
    public static let good = DispatchCompletion(word: .good)
    /// Nothing was to be sent.
    public static let noData = DispatchCompletion(word: .noData)

    /// It was tried and failed, or is not to be tried now.
    public static func error(_ destination: String, _ reason: String) -> DispatchCompletion {
        DispatchCompletion(word: .error, failures: [Failure(destination: destination, reason: reason)])
    }

    /// That of several destinations: an error is one, whatever the others did.
    public func joined(with other: DispatchCompletion) -> DispatchCompletion {
        let word: Word = self.word == .error || other.word == .error ? .error : self.word == .good ? .good : other.word
        return DispatchCompletion(word: word, failures: failures + other.failures)
    }
}

/// The state of a destination.
public struct DestinationStatus: Sendable, Hashable {
    /// How far it is.
    public var state: DestinationState
    /// Whether it is attached; if not, it was in an earlier run, and its queue is kept.
    public var isAttached = true
    /// Whether it is sending now.
    public var isSending: Bool
    /// Whether it is sent only when somebody asks for it.
    public var isOnDemand = false
    /// Why it could not be reached the last time; nil when it could.
    public var failure: String?
    /// Whether somebody has to change something before it can be reached.
    public var needsMending: Bool
    /// Milliseconds since it could not be reached for the first time; nil when it could the last time.
    public var failingMilliseconds: Int64?
    /// Whether that has lasted for two intervals and more than a minute, while something waits.
    public var isStalled = false
    /// Milliseconds until it is tried next; nil when nothing waits, or only on demand.
    public var nextAttemptMilliseconds: Int64?
    /// Milliseconds since the last receipt of this run; nil when there was none.
    public var lastReceiptMilliseconds: Int64?
    /// How many positions wait, of very many about so many; nil while the log cannot be read.
    public var waitingPositionCount: Int?
}

/// Something that people should be told.
public enum DispatchNotice: Sendable, Hashable {
    /// A destination cannot be reached, or refuses.
    case failing(destination: String, reason: String, needsMending: Bool)
    /// It takes records again.
    case recovered(destination: String)
    /// It refused records for good; the server's answer to the last.
    case buried(destination: String, count: Int, reason: String)
    /// A dry run: how many records would have been sent.
    case dryRun(destination: String, count: Int)
}
