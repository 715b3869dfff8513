import Waypost

extension ControlRequest {
    /// What to do about sending.
    public struct DispatchCommand: Sendable, Hashable {
        /// What is done.
        public enum Action: String, Sendable, Hashable, CaseIterable {
            /// Sends everything that waits, now.
            case now
            /// Says how the destinations are.
            case status
            /// Stops sending, over restarts.
            case pause
            /// Lets it go on.
            case resume
            /// Sends until nothing waits, something fails or the budget is used up.
            case drain
            /// Shows the dead letters.
            case list
            /// Sends dead letters once more.
            case retry
            /// Removes dead letters for good.
            case drop
        }

        /// What is done.
        public var action: Action
        /// With which destination; nil for all.
        public var destination: String?
        /// With which dead letter; nil for all.
        public var number: UInt64?
        /// How long draining may take, seconds.
        public var budgetSeconds: UInt64

        /// The longest budget: a day.
        public static let maximumBudgetSeconds: UInt64 = 86_400

        /// A command.
        public init(_ action: Action, destination: String? = nil, number: UInt64? = nil, budgetSeconds: UInt64 = 30) {
            self.action = action
            self.destination = destination
            self.number = number
            self.budgetSeconds = budgetSeconds
        }
    }
}
