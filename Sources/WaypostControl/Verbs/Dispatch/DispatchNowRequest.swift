import Waypost

/// `dispatch`, `now`: sends everything that waits.
public struct DispatchNowRequest: DispatchRequest {
    /// `now`.
    public static let action: String? = "now"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = "Sends everything that waits, now; the answer comes at the end."

    /// The destination; nil for all.
    public var destination: String?

    /// A request for all destinations.
    public init() {}

    /// The result of sending.
    public typealias Answer = DispatchOutcome
}

/// `dispatch`, `drain`: sends until nothing waits, something fails or the time is up.
public struct DrainDispatchRequest: DispatchRequest {
    /// `drain`.
    public static let action: String? = "drain"
    /// Its description in the guide of the control socket.
    public static let documentation = "Sends until nothing waits, something fails or the time is up."

    /// The longest budget: a day.
    public static let maximumBudgetSeconds: UInt64 = 86_400
    /// The default budget.
    public static let usualBudgetSeconds: UInt64 = 30

    /// The destination; nil for all.
    public var destination: String?
    /// The time limit.
    public var budgetSeconds = DrainDispatchRequest.usualBudgetSeconds

    /// A request for all destinations, for at most half a minute.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - destination: the destination; nil for all.
    ///   - budgetSeconds: the time limit: from 1 to ``maximumBudgetSeconds``.
    public init(destination: String?, budgetSeconds: UInt64) {
        self.init(destination: destination)
        self.budgetSeconds = budgetSeconds
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.destination(&destination)
        let longest = DrainDispatchRequest.maximumBudgetSeconds
        try codec.member(
            "budget", &budgetSeconds, absent: DrainDispatchRequest.usualBudgetSeconds, isOmitted: false,
            rule: ControlRule("seconds, from 1 to \(longest)") { (1...longest).contains($0) }, "How long it may take; 30 when absent.")
    }

    /// The result of sending.
    public typealias Answer = DispatchOutcome
}

/// The result of sending.
public struct DispatchOutcome: ControlAnswer {
    /// `DISPATCHED`.
    public static let className = "DISPATCHED"
    /// Its description in the guide of the control socket.
    public static let documentation = "The result of sending."

    /// The result, in a word.
    public struct Completion: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// Something was sent, and nothing failed.
        public static let good = Completion("good")
        /// There was nothing to send, or no network.
        public static let noData = Completion("no_data")
        /// An attempt failed, or none is allowed now.
        public static let error = Completion("error")

        /// The words of this version.
        public static let known: [Completion] = [.good, .noData, .error]
    }

    /// A destination that did not get its waiting records.
    public struct Failure: ControlObject {
        /// Its name.
        public var destination = ""
        /// The reason, for people.
        public var reason = ""

        /// A failure with no values set.
        public init() {}

        /// A failure.
        ///
        /// - Parameters:
        ///   - destination: the destination that did not get its waiting records.
        ///   - reason: the reason, for people.
        public init(destination: String, reason: String) {
            self.destination = destination
            self.reason = reason
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("destination", &destination, "Its name.")
            try codec.member("reason", &reason, "The reason, for people.")
        }
    }

    /// What a destination has received.
    public struct Receipt: ControlObject {
        /// Its name.
        public var destination = ""
        /// How many records.
        public var count = 0

        /// A receipt with no values set.
        public init() {}

        /// A receipt.
        ///
        /// - Parameters:
        ///   - destination: the destination.
        ///   - count: how many records it has received.
        public init(destination: String, count: Int) {
            self.destination = destination
            self.count = count
        }

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("destination", &destination, "Its name.")
            try codec.member("records", &count, "How many records it has received because of this request, and no other.")
        }
    }

    /// The result of sending.
    public var completion = Completion.noData
    /// The reason for a failure, for people; nil when there was none.
    public var reason: String?
    /// Every destination that did not get its waiting records.
    public var failures: [Failure] = []
    /// Every destination that has received anything, and how much.
    public var receipts: [Receipt] = []

    /// An answer for when there was nothing to send.
    public init() {}

    /// An answer.
    ///
    /// - Parameters:
    ///   - completion: the result.
    ///   - failures: every destination that did not get its waiting records.
    ///   - receipts: every destination that has received anything, and how much.
    public init(_ completion: Completion, failures: [Failure], receipts: [Receipt] = []) {
        self.completion = completion
        self.receipts = receipts
        self.failures = failures
        reason = failures.isEmpty ? nil : failures.map { "\($0.destination): \($0.reason)" }.joined(separator: "; ")
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("completion", &completion, "The result; `no_data`: nothing waits, or there is no network.")
        try codec.member("reason", &reason, "The reason for a failure, for people.")
        try codec.member(
            "failures", &failures, absent: [], "Every destination that did not get its waiting records, or refused some for good.")
        try codec.member("received", &receipts, absent: [], "Every destination that has received anything, and how much.")
    }
}
