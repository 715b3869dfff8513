/// How likely it is that a fix was made on a road, after another one on another road: all numbers of map matching.
///
/// Costs are negative logarithms of likelihoods ("nats"). A receiver's error has a slow part, which moves all fixes of a minute to the same side,
/// and a fast one. So a hypothesis remembers how far the fixes have lately been from its road, and pays for what it did not expect:
/// a road that runs apart from the fixes costs, one that is always 8 m to the left does not.
/// - Source: P. Newson and J. Krumm, Hidden Markov map matching through noise and sparseness (2009), for the lattice and the cost of a
///   detour; R. E. Kalman (1960) for the slow error; the numbers are tuned on drives and walks with known truth in Heidelberg and Liechtenstein.
struct MatchingModel: Sendable {
    /// How long the slow error takes to change, in seconds.
    var slowSeconds = 43.0
    /// The slow and the fast error as parts of a fix's standard deviation.
    var slowPart = 0.85
    var fastPart = 0.46
    /// How long fast errors last: fixes that follow sooner say less.
    var fastSeconds = 2.5
    /// What maps and lanes add to an error, in metres.
    var mapMetres = 2.5
    /// Beyond that many standard deviations an error's cost grows no longer with its square.
    var huber = 2.0

    /// What a device may have accelerated between fixes, in m/s².
    var acceleration: Double
    /// The deviations of the way between fixes, in metres, of a speed, in m/s, and of a way on the map, which cuts or rounds corners otherwise
    /// than the device did.
    var travelFloor = 0.9
    var speedError = 0.25
    var speedShare = 0.05
    /// A detour of that many metres and that part of the straight line costs one nat, when fixes are ten seconds apart.
    var detourMetres = 40.0
    var detourShare = 0.1
    /// A turn's cost of that many metres is one nat.
    var turnMetres = 10.0
    var turns: TurnCost

    /// The deviation of a course: of a velocity across the road, in m/s, at rest and per m/s.
    var courseFloor: Double
    var courseShare: Double
    /// A course costs at most that, and less when the last one was less than that many seconds before.
    var courseLimit = 6.0
    var courseSeconds = 2.2

    /// The costs of going back along a road, of leaving the network, of five seconds off it, and of coming back.
    var backCost = 0.8
    var leaveCost = 12.0
    var offCost = 6.0
    var returnCost = 3.0

    /// A hypothesis that costs more than the best one by less than that is followed.
    var beam = 12.0

    init(_ mode: TravelMode) {
        switch mode {
        case .car:
            acceleration = 1.6
            turns = TurnCost(factor: 60, uTurnMetres: 80)
            courseFloor = 0.5
            courseShare = 0.12
        case .foot:
            // Walkers stop, turn and cross as they like; their paths are many.
            slowSeconds = 30
            slowPart = 0.95
            fastSeconds = 2
            huber = 1.5
            acceleration = 0.3
            travelFloor = 1.5
            speedError = 0.35
            detourMetres = 30
            turns = TurnCost(factor: 20, uTurnMetres: 24)
            courseFloor = 0.3
            courseShare = 0.14
            courseLimit = 4.7
            leaveCost = 10
            offCost = 5
            returnCost = 4
            beam = 9
        case .bicycle:
            acceleration = 0.8
            turns = TurnCost(factor: 40, uTurnMetres: 50)
            courseFloor = 0.4
            courseShare = 0.12
        }
    }

    /// The cost of an error of that many standard deviations, squared.
    ///
    /// - Source: P. J. Huber, Robust estimation of a location parameter (1964).
    @inline(__always)
    func robust(_ square: Double) -> Double {
        square <= huber * huber ? square / 2 : huber * (square.squareRoot() - huber / 2)
    }

    /// The cost of entering a road: few trips go there.
    @inline(__always)
    func entryCost(_ line: Neighbourhood.Line, _ mode: TravelMode) -> Double {
        var cost = 0.0
        if mode == .car {
            if line.edge.isLimited { cost += 2 }
            if line.roadClass == .service { cost += 0.7 }
        }
        if line.roadClass == .ferry { cost += 3 }
        return cost
    }

    /// The cost of a velocity on a road of that direction.
    @inline(__always)
    func courseCost(_ velocity: (east: Double, north: Double), _ east: Double, _ north: Double) -> Double {
        let along = velocity.east * east + velocity.north * north
        let across = velocity.east * north - velocity.north * east
        let speed = (along * along + across * across).squareRoot()
        let deviation = courseFloor + courseShare * speed
        let wrong = across * across + (along < 0 ? along * along : 0)
        return min(courseLimit, wrong / (2 * deviation * deviation))
    }
}
