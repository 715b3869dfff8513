/// What becomes of records when a server refuses what it is sent (400, 410, 413, 415, 422): which of them is to blame, and whether it is one.
///
/// A refused batch is halved until a single record is refused: a suspect. A server that does not know the device (or is being upgraded) refuses
/// everything in the same way, so a suspect is dead only when the server has accepted another record since and then refuses it once more;
/// what is settled without being sent (``pass(_:)``) is not accepted by anybody.
/// After three single refusals in a row sending is paused for a while; then a suspect is tried again, each time the next one, and records that
/// were not tried yet are after it, so that many bad ones in a row do not stop the rest for ever.
///
/// It counts the records of a lane that are not settled, from the first on, and knows nothing of what they are.
///
/// ```
/// plan 0..<8 - refused - plan 0..<4 - accepted - plan 4..<6 - refused - plan 4..<5 - refused (a suspect)
///      plan 5..<6 - accepted - plan 4..<5 - refused: dead
/// ```
/// - Concurrency: a value; one step per answer.
public struct RefusalRule: Sendable, Hashable {
    /// What to do next.
    public enum Plan: Sendable, Hashable {
        /// Send these, counted from the first that is not settled.
        case send(Range<Int>)
        /// Nothing more now: later, as after a failure that a person has to mend.
        case hold
    }

    /// What became of a record.
    public enum Fate: Sendable, Hashable {
        /// The server has it, or is not to get it.
        case accepted
        /// The server will never take it, for that reason.
        case dead(reason: String)
    }

    /// So many single refusals in a row hold the lane.
    public static let refusalsBeforeHold = 3
    /// With so many suspects nothing further is tried: after days of refusing everything one more would say nothing new.
    public static let maximumSuspectCount = 200

    private enum Standing: Hashable {
        case untried
        case suspect(reason: String)
        case settled(Fate)
    }

    // Of the first records; those behind are untried.
    private var standings: [Standing] = []
    private var refusalsInRow = 0
    // How many are sent together, less than all while the one to blame is looked for.
    private var limit = Int.max
    // Something was accepted after the suspects were refused.
    private var hasAcceptedSince = false
    // After a hold a suspect comes first, the next one after that of the last time.
    private var triesSuspect = false
    private var lastRetried = -1
    // How many single records were refused since the hold.
    private var refusalsInRound = 0

    /// A record whose fate is known.
    public struct Settled: Sendable, Hashable {
        /// Its place, counted from the first that was not settled before.
        public var place: Int
        /// What became of it.
        public var fate: Fate

        /// The fate of a record.
        public init(_ place: Int, _ fate: Fate) {
            (self.place, self.fate) = (place, fate)
        }
    }

    /// Nothing was refused yet.
    public init() {}

    /// Whether there are records that were refused alone.
    public var hasSuspects: Bool { firstSuspect != nil }

    /// How many of the first records must be at hand for a plan: the next that was not tried may be behind some that were.
    public var standingCount: Int { standings.count }

    /// What to send of the first `count` records.
    public func plan(count: Int) -> Plan {
        if let first = firstSuspect {
            if hasAcceptedSince { return .send(first..<first + 1) }
            let again = standings.indices.first { $0 > lastRetried && isSuspect($0) } ?? first
            if triesSuspect { return .send(again..<again + 1) }
            if standings.count < RefusalRule.maximumSuspectCount, let next = firstUntried(below: count) { return .send(next..<next + 1) }
            return refusalsInRound < suspectCount ? .send(again..<again + 1) : .hold
        }
        guard let first = firstUntried(below: count) else { return .hold }
        // Up to the next whose fate is known already.
        let end = standings[first...].firstIndex { $0 != .untried } ?? count
        return .send(first..<min(count, end, first + min(limit, count)))
    }

    /// Takes that the server has accepted these, but for some that it will never take, and why.
    public mutating func accept(_ places: some Collection<Int>, refusing refused: [Int: String] = [:]) {
        reach((places.max() ?? -1) + 1)
        let wasSuspect = places.contains { isSuspect($0) && refused[$0] == nil }
        for index in places { standings[index] = .settled(refused[index].map(Fate.dead) ?? .accepted) }
        if wasSuspect {
            // The server has changed its mind: what it said of the others says nothing any more.
            for index in standings.indices where isSuspect(index) { standings[index] = .untried }
            limit = .max
        } else {
            // What was to blame may be behind us.
            limit = limit > Int.max / 2 ? .max : limit * 2
        }
        noteAcceptedElsewhere()
    }

    /// Takes that these are settled without a word of the server, as its format has none for them: that says nothing of what it refused.
    public mutating func pass(_ places: some Collection<Int>) {
        reach((places.max() ?? -1) + 1)
        for index in places { standings[index] = .settled(.accepted) }
    }

    /// Takes that the same server has accepted a record of another lane.
    public mutating func noteAcceptedElsewhere() {
        refusalsInRow = 0
        triesSuspect = false
        hasAcceptedSince = hasSuspects
    }

    /// Takes that the server has refused these; whether to hold now.
    public mutating func refuse(_ range: Range<Int>, reason: String) -> Bool {
        guard range.count == 1 else {
            limit = max(1, range.count / 2)
            return false
        }
        reach(range.upperBound)
        if isSuspect(range.lowerBound), hasAcceptedSince {
            standings[range.lowerBound] = .settled(.dead(reason: reason))
            hasAcceptedSince = hasSuspects
            return false
        }
        triesSuspect = false
        lastRetried = range.lowerBound
        standings[range.lowerBound] = .suspect(reason: reason)
        refusalsInRow += 1
        refusalsInRound += 1
        guard refusalsInRow >= RefusalRule.refusalsBeforeHold else { return false }
        pause()
        return true
    }

    /// Notes that sending is paused, as there is nothing left to try either.
    public mutating func pause() {
        refusalsInRow = 0
        refusalsInRound = 0
        triesSuspect = hasSuspects
    }

    /// Takes away the records whose fate is known, wherever they stand, in order; the others are counted without them.
    public mutating func takeSettled() -> [Settled] {
        var settled: [Settled] = []
        var left: [Standing] = []
        for (place, standing) in standings.enumerated() {
            if case .settled(let fate) = standing { settled.append(Settled(place, fate)) } else { left.append(standing) }
        }
        lastRetried -= settled.count { $0.place <= lastRetried }
        standings = left
        return settled
    }

    // MARK: - Parts

    private var firstSuspect: Int? { standings.indices.first(where: isSuspect) }

    private var suspectCount: Int { standings.indices.count(where: isSuspect) }

    private func isSuspect(_ index: Int) -> Bool {
        if case .suspect = standings[index] { true } else { false }
    }

    private func firstUntried(below count: Int) -> Int? {
        let first = standings.firstIndex(of: .untried) ?? standings.count
        return first < count ? first : nil
    }

    private mutating func reach(_ end: Int) {
        while standings.count < end { standings.append(.untried) }
    }
}
