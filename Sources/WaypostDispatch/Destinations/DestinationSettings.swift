import Waypost
import WaypostSystem

/// How a destination is served; none of these settings changes its queue.
public struct DestinationSettings: Sendable, Hashable {
    /// Which positions are sent first.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// In the order in which they happened.
        case oldest
        /// After an outage new positions first, then the missed ones, oldest first.
        case live
    }

    /// Its name, under which the outbox stores its progress.
    public var name: String
    /// The name of this device there; nil for its usual name.
    public var device: String?
    /// When it is due.
    public var schedule: DispatchSchedule.Settings
    /// Which positions are sent first.
    public var order = Order.oldest
    /// The most records in a batch; the destination's own limit if that is smaller.
    public var batchCount = 250
    /// The time, every day, by which everything must be sent; nil for no such time.
    ///
    /// Records from before it that are sent later are marked and counted as late.
    public var cutoff: DailyMoment?
    /// Whether nothing is sent: what would be sent is reported, and stays in the queue.
    public var isDryRun = false
    /// Whether positions of the log are sent, and not only events.
    public var sendsPositions = true
    /// How long an attempt may take, whatever it waits for; nil for as long as it likes.
    package var attemptLimit: Duration?

    /// Settings with the defaults of a new destination.
    public init(name: String, schedule: DispatchSchedule.Settings) {
        self.name = name
        self.schedule = schedule
    }

    /// Settings of a destination that is served once per interval, at a moment that differs from machine to machine.
    ///
    /// - Parameters:
    ///   - name: its name, under which the outbox stores its progress.
    ///   - interval: the time between two dispatches; less than a second means only on demand.
    public init(name: String, every interval: Duration) {
        self.init(name: name, schedule: .init(interval: interval, phaseOf: SystemProcess.hostName + "/" + name))
    }
}

/// The result of a requested dispatch.
public struct DispatchCompletion: Sendable, Hashable {
    /// The result in a word.
    public enum Word: String, Sendable, Hashable {
        /// Something was sent, and nothing failed.
        case good
        /// There was nothing to send, or no network: no name could be resolved.
        case noData = "no_data"
        /// An attempt failed, or none is allowed now.
        case error
    }

    /// A destination that did not get its waiting records.
    public struct Failure: Sendable, Hashable {
        /// Its name.
        public var destination: String
        /// The reason, for people.
        public var reason: String
    }

    /// What a destination has received.
    public struct Receipt: Sendable, Hashable {
        /// Its name.
        public var destination: String
        /// How many records it has received in this attempt, and no other.
        public var count: Int
    }

    /// The result in a word, for programs.
    public var word: Word
    /// Every destination that has received anything, and how much, also where something failed in the end.
    public var receipts: [Receipt] = []
    /// Every destination that did not get its waiting records, and why: after an error, without a network, and where a server has refused some of
    /// them for good.
    public var failures: [Failure] = []

    /// Something was sent, and nothing failed.
    public static let good = DispatchCompletion(word: .good)
    /// There was nothing to send.
    public static let noData = DispatchCompletion(word: .noData)

    /// An attempt failed, or none is allowed now.
    public static func error(_ destination: String, _ reason: String) -> DispatchCompletion {
        DispatchCompletion(word: .error, failures: [Failure(destination: destination, reason: reason)])
    }

    /// Adds what a server has refused for good: an error, unless it has received something, too.
    mutating func note(_ refusal: Failure) {
        if receipts.isEmpty { word = .error }
        failures.append(refusal)
    }

    /// The result for several destinations: an error of one is an error of all.
    public func joined(with other: DispatchCompletion) -> DispatchCompletion {
        let word: Word = self.word == .error || other.word == .error ? .error : self.word == .good ? .good : other.word
        return DispatchCompletion(word: word, receipts: receipts + other.receipts, failures: failures + other.failures)
    }
}

/// The state of a destination.
public struct DestinationStatus: Sendable, Hashable {
    /// Its progress.
    public var state: DestinationState
    /// Whether it is attached; if not, it was in an earlier run, and its queue is kept.
    public var isAttached = true
    /// Whether sending is switched off for good (``Dispatcher/setOptedOut(_:)``): then nothing waits.
    public var isOptedOut = false
    /// Whether it is sending at the moment.
    public var isSending: Bool
    /// Whether it sends only on demand.
    public var isOnDemand = false
    /// Why the last attempt failed; nil when it succeeded.
    public var failure: String?
    /// Whether a person has to change something before it can be reached.
    public var needsMending: Bool
    /// The time since the first failure; nil when the last attempt succeeded.
    public var failingTime: Duration?
    /// Whether it has taken nothing for two intervals and more than a minute while something waits: so long ago was the first failure, or so long
    /// has the attempt taken that is under way.
    public var isStalled = false
    /// The time until the next attempt; nil when nothing waits, or it sends only on demand.
    public var timeToNextAttempt: Duration?
    /// The time since the last receipt of this run; nil when there was none.
    public var timeSinceReceipt: Duration?
    /// How long the attempt that is under way has taken already; nil while there is none.
    public var timeSending: Duration?
    /// How many positions wait, approximately if there are very many; nil while the log cannot be read.
    public var waitingPositionCount: Int?
}

/// A notice for people.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DispatchNotice: Sendable, Hashable {
    /// A destination cannot be reached, or refuses records.
    case failing(destination: String, reason: String, needsMending: Bool)
    /// It accepts records again.
    case recovered(destination: String)
    /// It refused records permanently; the reason is the server's answer to the last.
    case buried(destination: String, count: Int, reason: String)
    /// A dry run: how many records would have been sent.
    case dryRun(destination: String, count: Int)
}
