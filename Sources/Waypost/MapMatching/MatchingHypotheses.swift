/// The best hypothesis for each road near a fix, while they are found; its memory is used again for every fix.
struct MatchingHypotheses: Sendable {
    /// The states of the step before, those of least cost first, by their numbers.
    private(set) var order: [Int32] = []
    /// What costs more is not followed: it lies too far beyond the best one that is known.
    private(set) var greatestCost = Double.infinity
    /// The cost for each candidate and, last, off the roads; infinite while there is none.
    private var costs: [Double] = []
    private var states: [MatchingState] = []
    private var beam = 0.0

    private static let none = MatchingState(
        arc: nil, alongMetres: 0, restMetres: 0, latitudeDegrees: 0, longitudeDegrees: 0, biasEast: 0, biasNorth: 0, wayNumber: 0,
        offsetMetres: 0, cost: .infinity, previous: -1)

    /// Forgets the hypotheses of the fix before.
    mutating func begin(candidateCount: Int, beam: Double) {
        self.beam = beam
        greatestCost = .infinity
        for index in costs.indices { costs[index] = .infinity }
        while costs.count <= candidateCount {
            costs.append(.infinity)
            states.append(MatchingHypotheses.none)
        }
    }

    /// Puts the states of the step before in order.
    mutating func sort(_ states: [MatchingState]) {
        order.removeAll(keepingCapacity: true)
        for number in states.indices {
            order.append(Int32(number))
            var place = number
            while place > 0, states[Int(order[place - 1])].cost > states[number].cost {
                order[place] = order[place - 1]
                place -= 1
            }
            order[place] = Int32(number)
        }
    }

    /// Whether a hypothesis of that cost, or any that goes on from it, can be worth following.
    @inline(__always)
    func admits(_ cost: Double, for index: Int) -> Bool { cost < costs[index] && cost <= greatestCost }

    /// Keeps a hypothesis that is admitted.
    @inline(__always)
    mutating func keep(_ state: MatchingState, for index: Int) {
        costs[index] = state.cost
        states[index] = state
        greatestCost = min(greatestCost, state.cost + beam)
    }

    /// What is likely enough to be followed, with costs beyond that of the best one.
    var likely: [MatchingState] {
        guard greatestCost < .infinity else { return [] }
        let least = greatestCost - beam
        var likely: [MatchingState] = []
        likely.reserveCapacity(costs.reduce(0) { $1 <= greatestCost ? $0 + 1 : $0 })
        for index in costs.indices where costs[index] <= greatestCost {
            likely.append(states[index])
            likely[likely.count - 1].cost -= least
        }
        return likely
    }
}
