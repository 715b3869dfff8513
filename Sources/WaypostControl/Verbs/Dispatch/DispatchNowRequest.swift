import Waypost

/// `dispatch`, `now`: sends everything that waits.
public struct DispatchNowRequest: DispatchRequest {
    /// `now`.
    public static let action: String? = "now"
    /// What the guide of the control socket says of it.
    public static let documentation = "Sends everything that waits, now; the answer comes when that has ended."

    /// To which destination; nil for all.
    public var destination: String?

    /// To all destinations.
    public init() {}

    /// How it ended.
    public typealias Answer = DispatchOutcome
}

/// `dispatch`, `drain`: sends until nothing waits, something fails or the time is up.
public struct DrainDispatchRequest: DispatchRequest {
    /// `drain`.
    public static let action: String? = "drain"
    /// What the guide of the control socket says of it.
    public static let documentation = "Sends until nothing waits, something fails or the time is up."

    /// The longest budget: a day.
    public static let maximumBudgetSeconds: UInt64 = 86_400
    /// The budget where none is named.
    public static let usualBudgetSeconds: UInt64 = 30

    /// To which destination; nil for all.
    public var destination: String?
    /// How long it may take.
    public var budgetSeconds = DrainDispatchRequest.usualBudgetSeconds

    /// To all destinations, for at most half a minute.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: to which destination; nil for all.
    ///   - budgetSeconds: how long it may take: from 1 to ``maximumBudgetSeconds``.
    public init(destination: String?, budgetSeconds: UInt64) {
        self.init(destination: destination)
        self.budgetSeconds = budgetSeconds
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        let longest = DrainDispatchRequest.maximumBudgetSeconds
        try codec.member(
            "budget", &budgetSeconds, absent: DrainDispatchRequest.usualBudgetSeconds, isOmitted: false,
            rule: ControlRule("seconds, from 1 to \(longest)") { (1...longest).contains($0) }, "How long it may take; 30 when absent.")
    }

    /// How it ended.
    public typealias Answer = DispatchOutcome
}

/// How sending ended.
public struct DispatchOutcome: ControlAnswer {
    /// `DISPATCHED`.
    public static let className = "DISPATCHED"
    /// What the guide of the control socket says of it.
    public static let documentation = "How sending ended."

    /// How it ended, in a word.
    public struct Completion: ControlWord {
        /// The word on the wire.
        public let text: String

        /// The word of that text.
        public init(_ text: String) {
            self.text = text
        }

        /// Something was sent, and nothing failed.
        public static let good = Completion("good")
        /// Nothing was to be sent, or there was no network.
        public static let noData = Completion("no_data")
        /// It was tried and failed, or is not to be tried now.
        public static let error = Completion("error")

        /// Those that this version has.
        public static let known: [Completion] = [.good, .noData, .error]
    }

    /// A destination that did not get what waits for it.
    public struct Failure: ControlObject {
        /// Its name.
        public var destination = ""
        /// Why, for people.
        public var reason = ""

        /// A failure of which nothing is known yet.
        public init() {}

        /// A failure.
        ///
        /// - Parameters:
        ///   - destination: the destination that did not get what waits for it.
        ///   - reason: why, for people.
        public init(destination: String, reason: String) {
            self.destination = destination
            self.reason = reason
        }

        /// Hands its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("destination", &destination, "Its name.")
            try codec.member("reason", &reason, "Why, for people.")
        }
    }

    /// How it ended.
    public var completion = Completion.noData
    /// Why something failed, for people; nil when nothing did.
    public var reason: String?
    /// Every destination that did not get what waits for it.
    public var failures: [Failure] = []

    /// An answer: there was nothing to send.
    public init() {}

    /// An answer.
    ///
    /// - Parameters:
    ///   - completion: how it ended.
    ///   - failures: every destination that did not get what waits for it.
    public init(_ completion: Completion, failures: [Failure]) {
        self.completion = completion
        self.failures = failures
        reason = failures.isEmpty ? nil : failures.map { "\($0.destination): \($0.reason)" }.joined(separator: "; ")
    }

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("completion", &completion, "How it ended; `no_data`: nothing waits, or there is no network.")
        try codec.member("reason", &reason, "Why something failed, for people.")
        try codec.member("failures", &failures, absent: [], "Every destination that did not get what waits for it.")
    }
}
