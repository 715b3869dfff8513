/// Decides which positions one listener gets, and how closely the device must be followed for that.
public struct PositionSelection: Sendable {
    /// What a listener asks for.
    public struct Options: Sendable, Hashable {
        /// Only significant changes (``SignificantChangeRule``); distance and accuracy do not apply then.
        public var isSignificantOnly: Bool
        /// The shortest distance between two positions, in metres; 0 = any.
        public var distanceFilterMetres: Double
        /// How accurate the positions should be; where the receiver is worse, those that it has come all the same (``UpdateFilter``).
        public var accuracy: DesiredAccuracy

        /// Creates options for every fix, unless the parameters ask for less.
        public init(isSignificantOnly: Bool = false, distanceFilterMetres: Double = 0, accuracy: DesiredAccuracy = .best) {
            self.isSignificantOnly = isSignificantOnly
            self.distanceFilterMetres = distanceFilterMetres
            self.accuracy = accuracy
        }

        /// Every fix.
        public static let everyFix = Options()
        /// Only significant changes: 500 m and 5 min from the last one.
        public static let significantChanges = Options(isSignificantOnly: true)

        /// Whether every fix is wanted, at least if it is as good as it gets.
        public var takesEverything: Bool { !isSignificantOnly && stepMetres == 0 }
        /// The larger of the two distances.
        var stepMetres: Double { max(distanceFilterMetres, accuracy.stepMetres) }
    }

    /// What the listener gets for a position.
    public enum Choice: Sendable, Equatable {
        case nothing
        case position
        case significantChange(SignificantChangeRule.Report)
    }

    /// The step in metres from which the receiver may sleep; for smaller steps the sleeps would be too short to pay.
    static let sleepingStepMetres = 1_000.0

    /// What the listener asks for.
    public let options: Options
    private var filter: UpdateFilter
    private var significant = SignificantChangeRule()

    /// Creates a selection before its first position.
    ///
    /// - Parameters:
    ///   - options: what the listener asks for.
    ///   - takesPoor: whether poor positions are chosen like all others: for a log.
    public init(_ options: Options = Options(), takesPoor: Bool = false) {
        self.options = options
        filter = UpdateFilter(distanceMetres: options.distanceFilterMetres, accuracy: options.accuracy, takesPoor: takesPoor)
    }

    /// Starts with the last known position; returns the first report for a listener to significant changes.
    public mutating func start(stored: Position?) -> SignificantChangeRule.Report? {
        guard options.isSignificantOnly, let stored else { return nil }
        return significant.start(stored: stored)
    }

    /// Processes the next position.
    public mutating func process(_ position: Position) -> Choice {
        guard options.isSignificantOnly else { return filter.passes(position) ? .position : .nothing }
        return significant.process(position).map(Choice.significantChange) ?? .nothing
    }

    /// Notes that the position was lost: the next one passes.
    public mutating func lose() {
        filter.lose()
    }

    /// How closely the device must be followed from the last position on.
    public func need(isStationary: Bool) -> PositioningNeed {
        guard options.isSignificantOnly else {
            let step = options.stepMetres
            return step < PositionSelection.sleepingStepMetres ? .everyFix : .movement(metres: step)
        }
        if significant.isInDoubt { return .within(.zero) }
        return .within(.milliseconds(significant.millisecondsUntilNextReport(isStationary: isStationary)))
    }
}
