import func Glibc.exp

/// Finds the roads on which fixes were made: live, a little later, or for a whole track.
///
/// ```swift
/// var matcher = MapMatcher(roads: roads, mode: .car, lag: .zero)   // at once; nil waits for the end
/// for fix in track { for match in matcher.process(fix) { use(match) } }
/// for match in matcher.finish() { use(match) }
/// ```
/// Every fix gets one ``FixMatch``, in order. The receiver's speed, course and accuracy are used where a fix has them.
/// - Cost: a few microseconds for a fix at 1 Hz, more when fixes are far apart; memory for the lag's fixes. Without a lag those on which
///   all hypotheses agree are let go.
public struct MapMatcher: Sendable {
    /// What was found for a fix.
    public struct FixMatch: Sendable {
        /// The fix as it came.
        public var position: Position
        /// The fix on the road; nil off the roads, or outside of the map.
        public var match: MatchedPosition?
        /// The number of the road's edge, for ``MapMatcher/road(of:)``.
        var edge: UInt32?
    }

    /// The roads.
    public let roads: Roads
    /// How the device travels.
    public let mode: TravelMode
    /// How long after a fix its match is decided; nil decides at the end.
    public let lag: Duration?

    private let lagSeconds: Double?
    var model: MatchingModel
    /// The fixes that wait for their matches, and the last one.
    private var steps: [MatchingStep] = []
    /// How many of the first steps have been answered.
    private var answered = 0
    private var sigma: Double?
    private var slowVariance = 0.0
    private var transitions = MatchingTransitions()

    /// Confidence is taken that long after a fix, when its match waits longer.
    private static let shareSeconds = 30.0
    /// A longer silence begins a new chain.
    private static let longestGapSeconds = 180.0

    /// Creates a matcher before the first fix.
    public init(roads: Roads, mode: TravelMode = .car, lag: Duration? = .zero) {
        self.roads = roads
        self.mode = mode
        self.lag = lag
        lagSeconds = lag.map { max(0, $0 / .seconds(1)) }
        model = MatchingModel(mode)
    }

    /// The road of a match; nil when there is none.
    public func road(of match: FixMatch) -> Road? { match.edge.map { roads.road(ofEdge: roads.edge($0)) } }

    /// Adds a fix; returns the matches that are decided now, in the order of fixes.
    ///
    /// A fix that is older than the one before, or comes after a long silence, begins a new chain: nothing leads from the old roads to the new ones.
    public mutating func process(_ position: Position) -> [FixMatch] {
        let last = steps.last
        let seconds = position.time.map { Double($0.millisecondsSince1970) / 1_000 } ?? (last?.seconds ?? 0) + MapMatcher.assumedSeconds
        let gap = last.map { seconds - $0.seconds }
        var matches: [FixMatch] = []
        if let gap, gap < 0 || gap > MapMatcher.longestGapSeconds { matches = settle() }
        let isNew = steps.isEmpty

        noteAccuracy(position)
        let sigma = sigma ?? MapMatcher.assumedSigma
        let deviation = (sigma * sigma + model.mapMetres * model.mapMetres).squareRoot()
        transitions.prepare(position, deviation: deviation, roads: roads, mode: mode, model: model)
        var states: [MatchingState] = []
        if !isNew, let last = steps.last {
            let elapsed = max(seconds - last.seconds, 0.1)
            let variance = advanceSlowVariance(elapsed: elapsed, deviation: deviation)
            states = transitions.follow(
                last, elapsed: elapsed, deviation: deviation, slowVariance: variance, roads: roads, mode: mode, model: model)
        }
        if states.isEmpty {
            if !steps.isEmpty { matches += settle() }
            slowVariance = model.slowPart * model.slowPart * deviation * deviation
            states = transitions.begin(deviation: deviation, model: model)
        }
        steps.append(MatchingStep(position: position, seconds: seconds, states: states))
        matches += takeDecided(at: seconds)
        return matches
    }

    /// The matches of all fixes that still wait; the next fix begins anew.
    public mutating func finish() -> [FixMatch] { settle() }

    // MARK: Accuracy

    private static let assumedSeconds = 5.0
    /// The deviation of a fix without accuracy, per axis, in metres.
    private static let assumedSigma = 5.0
    /// A circle that holds 68 % of fixes has 1.51 deviations: (-2 ln 0.32)^1/2.
    private static let deviationsOfAccuracy = 1.51

    private mutating func noteAccuracy(_ position: Position) {
        guard let radius = position.accuracy?.radiusMetres, radius.isFinite, radius > 0 else { return }
        let new = min(max(radius / MapMatcher.deviationsOfAccuracy, 2), 100)
        sigma = sigma.map { $0 + 0.1 * (new - $0) } ?? new
    }

    /// The variance of the slow error before the fix; afterwards that which is left when the fix is taken into account.
    private mutating func advanceSlowVariance(elapsed: Double, deviation: Double) -> Double {
        let keeps = exp(-elapsed / model.slowSeconds)
        let whole = model.slowPart * model.slowPart * deviation * deviation
        let before = keeps * keeps * slowVariance + (1 - keeps * keeps) * whole
        let fast = model.fastPart * model.fastPart * deviation * deviation
        slowVariance = before * fast / (before + fast)
        return before
    }

    // MARK: Answers

    private mutating func takeDecided(at seconds: Double) -> [FixMatch] {
        guard let lagSeconds else {
            shareConfidence(at: seconds, after: MapMatcher.shareSeconds)
            return steps.count - answered >= 64 ? takeAgreed() : []
        }
        var count = answered
        while count < steps.count, seconds - steps[count].seconds >= lagSeconds { count += 1 }
        guard count > answered else { return [] }
        if lagSeconds > 0 { shareConfidence(at: seconds, after: 0) } else { shareOfLast() }
        return answer(upTo: count)
    }

    /// In steps that are old enough, gives each state its part of the likelihood that is left.
    private mutating func shareConfidence(at seconds: Double, after age: Double) {
        guard let lastStep = steps.last else { return }
        var pending = steps.count - 1
        while pending >= 0, !steps[pending].hasShares { pending -= 1 }
        pending += 1
        var end = pending
        while end < steps.count, seconds - steps[end].seconds >= age { end += 1 }
        guard end > pending else { return }
        let weights = lastStep.states.map { exp(-$0.cost) }
        let whole = weights.reduce(0, +)
        for (index, weight) in weights.enumerated() {
            var state = index
            for step in stride(from: steps.count - 1, through: pending, by: -1) {
                if step < end { steps[step].states[state].share += weight / whole }
                state = Int(steps[step].states[state].previous)
            }
        }
        for step in pending..<end { steps[step].hasShares = true }
    }

    private mutating func shareOfLast() {
        let last = steps.count - 1
        let whole = steps[last].states.reduce(0) { $0 + exp(-$1.cost) }
        for index in steps[last].states.indices { steps[last].states[index].share = exp(-steps[last].states[index].cost) / whole }
        steps[last].hasShares = true
    }

    /// The states of the best chain, from the first step that is not answered.
    private func bestChain() -> [Int] {
        guard let last = steps.last else { return [] }
        var state = last.states.indices.min { last.states[$0].cost < last.states[$1].cost } ?? 0
        var chain: [Int] = []
        for step in stride(from: steps.count - 1, through: answered, by: -1) {
            chain.append(state)
            state = Int(steps[step].states[state].previous)
        }
        return chain.reversed()
    }

    private mutating func answer(upTo end: Int) -> [FixMatch] {
        let chain = bestChain()
        var matches: [FixMatch] = []
        for step in answered..<end { matches.append(match(steps[step], steps[step].states[chain[step - answered]])) }
        answered = end
        // The last step stays: the next one follows from it.
        let gone = min(answered, steps.count - 1)
        steps.removeFirst(gone)
        answered -= gone
        return matches
    }

    /// Answers the steps before the last one at which all hypotheses have the same past.
    private mutating func takeAgreed() -> [FixMatch] {
        guard let last = steps.last else { return [] }
        var alive = Set(last.states.indices)
        for step in stride(from: steps.count - 1, to: answered, by: -1) {
            alive = Set(alive.map { Int(steps[step].states[$0].previous) })
            if alive.count == 1 {
                // Confidence must have been taken there.
                var end = step
                while end > answered, !steps[end - 1].hasShares { end -= 1 }
                return end > answered ? answer(upTo: end) : []
            }
        }
        return []
    }

    /// Answers everything, and forgets the chain.
    private mutating func settle() -> [FixMatch] {
        guard let last = steps.last else { return [] }
        shareConfidence(at: last.seconds, after: 0)
        let matches = steps.count > answered ? answer(upTo: steps.count) : []
        steps.removeAll()
        answered = 0
        return matches
    }

    private func match(_ step: MatchingStep, _ state: MatchingState) -> FixMatch {
        guard let arc = state.arc,
            let coordinate = Coordinate(latitudeDegrees: state.latitudeDegrees, longitudeDegrees: state.longitudeDegrees)
        else { return FixMatch(position: step.position, match: nil, edge: nil) }
        // What counts is the road, whatever the direction.
        let share = step.states.reduce(0) { $1.arc != nil && $1.wayNumber == state.wayNumber ? $0 + $1.share : $0 }
        var position = step.position
        position.coordinate = coordinate
        return FixMatch(
            position: step.position,
            match: MatchedPosition(
                position: position, confidence: min(share, 1), wayID: state.wayNumber, offsetMetres: state.offsetMetres),
            edge: arc.edge)
    }
}
