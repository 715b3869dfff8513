/// Makes a road file of ways and nodes.
///
/// ```swift
/// var builder = RoadFileBuilder()
/// for way in ways { builder.add(way.road, nodes: way.nodes) }     // ways and restrictions first
/// for node in nodes where builder.needs(node.number) { builder.add(node: node.number, at: node.place) }
/// let file = try builder.finish()
/// ```
/// A way without the place of some of its nodes, as at the edge of an extract, is cut there; so is one over the antimeridian.
/// - Cost: for each node of a way 20 bytes, for each node 20 bytes; the file and a sort at the end.
public struct RoadFileBuilder: Sendable {
    /// The number of each way's first node in `references`; one more at the end.
    var firstReferences: [Int] = [0]
    var ways: [RoadWay] = []
    /// Before the first node the nodes' numbers, then their indices.
    var references: [Int64] = []
    var restrictions: [TurnRestriction] = []
    /// The nodes of ways, in order.
    var numbers: [Int64] = []
    var places: [RoadPlace?] = []
    var closed: [UInt8] = []
    private var hasNodes = false

    /// When the map was made; nil when that is not known.
    public var dataTime: UTCTime?

    /// Creates a builder without a road.
    public init() {}

    /// How many ways were added.
    public var wayCount: Int { ways.count }

    /// Adds a way and the numbers of its nodes in order; one with fewer than two is left out.
    public mutating func add(_ way: RoadWay, nodes: some Collection<Int64>) {
        precondition(!hasNodes, "ways come before nodes")
        guard nodes.count >= 2 else { return }
        ways.append(way)
        references.append(contentsOf: nodes)
        firstReferences.append(references.count)
    }

    /// Adds a restriction; one of ways or nodes that are not there has no effect.
    public mutating func add(_ restriction: TurnRestriction) { restrictions.append(restriction) }

    /// Whether a node belongs to a way that was added; the first call ends the ways.
    public mutating func needs(_ node: Int64) -> Bool { index(of: node) != nil }

    /// Adds a node, of which others are left out; the first one ends the ways.
    ///
    /// - Parameters:
    ///   - node: its number.
    ///   - coordinate: its place.
    ///   - closed: the modes that cannot pass it.
    public mutating func add(node: Int64, at coordinate: Coordinate, closedTo closed: Set<TravelMode> = []) {
        guard let index = index(of: node) else { return }
        places[index] = RoadPlace(coordinate)
        self.closed[index] = UInt8(closed.reduce(0) { $0 | $1.closedBit })
    }

    private mutating func index(of node: Int64) -> Int? {
        if !hasNodes { endWays() }
        return RoadFileBuilder.index(of: node, in: numbers)
    }

    /// Sorts the nodes of ways, and replaces their numbers by their order.
    mutating func endWays() {
        guard !hasNodes else { return }
        hasNodes = true
        numbers = references
        numbers.sort()
        var count = 0
        for index in numbers.indices where index == 0 || numbers[index] != numbers[index - 1] {
            numbers[count] = numbers[index]
            count += 1
        }
        numbers.removeLast(numbers.count - count)
        for index in references.indices {
            // Every reference is among them.
            references[index] = Int64(RoadFileBuilder.index(of: references[index], in: numbers) ?? 0)
        }
        places = Array(repeating: nil, count: numbers.count)
        closed = Array(repeating: 0, count: numbers.count)
    }

    private static func index(of number: Int64, in numbers: [Int64]) -> Int? {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number ? low : nil
    }

    /// What came of it.
    public struct Result: Sendable {
        /// The road file.
        public var file: [UInt8]
        /// How many restrictions have an effect.
        public var restrictionCount: Int
    }

    /// The file; nil when no road is left.
    public consuming func finish() -> Result? {
        endWays()
        var edges = RoadEdges(self)
        guard !edges.edges.isEmpty else { return nil }
        edges.sort()
        let turns = edges.forbiddenTurns(restrictions, nodes: numbers)
        let writer = RoadFileWriter(edges: edges, ways: ways, turns: turns, dataTime: dataTime)
        return Result(file: writer.file(), restrictionCount: turns.count)
    }
}
