/// Decides what to do when a server refuses a batch (400, 410, 413, 415, 422): which of its records is bad, and whether one is bad at all.
///
/// A refused batch is halved until a single record is refused: a suspect. A server that does not know the device (or is being upgraded)
/// refuses everything in the same way, so a suspect is dead only when the server has accepted another record since and then refuses it once
/// more; records that are settled without being sent (``pass(_:)``) do not count as accepted.
/// After three single refusals in a row sending is paused for a while; then a suspect is tried again, each time the next one, followed by
/// records that were not tried yet, so that many bad ones in a row do not stop the rest for ever.
///
/// It counts the unsettled records of a lane, from the first on, and does not know their contents.
///
/// ```
/// plan 0..<8 - refused - plan 0..<4 - accepted - plan 4..<6 - refused - plan 4..<5 - refused (a suspect)
///      plan 5..<6 - accepted - plan 4..<5 - refused: dead
/// ```
/// - Concurrency: a value; one step per answer.
package struct RefusalRule: Sendable, Hashable {
    /// What to do next.
    package enum Plan: Sendable, Hashable {
        /// Send these, counted from the first that is not settled.
        case send(Range<Int>)
        /// Send nothing more now: later, as after a failure that a person has to fix.
        case hold
    }

    /// The fate of a record.
    package enum Fate: Sendable, Hashable {
        /// The server has it, or should not get it.
        case accepted
        /// The server will never accept it, for that reason.
        case dead(reason: String)
    }

    /// How many single refusals in a row pause the lane.
    package static let refusalsBeforeHold = 3
    /// The number of suspects at which nothing further is tried: after days of refusals one more proves nothing new.
    package static let maximumSuspectCount = 200

    private enum Standing: Hashable {
        case untried
        case suspect(reason: String)
        case settled(Fate)
    }

    // Of the first records; those after them are untried.
    private var standings: [Standing] = []
    private var refusalsInRow = 0
    // How many are sent together; fewer than all during the search for the bad one.
    private var limit = Int.max
    // Something was accepted after the suspects were refused.
    private var hasAcceptedSince = false
    // After a hold a suspect comes first, the one after that of the last time.
    private var triesSuspect = false
    private var lastRetried = -1
    // How many single records were refused since the hold.
    private var refusalsInRound = 0

    /// A record whose fate is known.
    package struct Settled: Sendable, Hashable {
        /// Its place, counted from the first that was not settled before.
        package var place: Int
        /// The fate of the record.
        package var fate: Fate

        /// The fate of a record.
        package init(_ place: Int, _ fate: Fate) {
            (self.place, self.fate) = (place, fate)
        }
    }

    /// Nothing has been refused yet.
    package init() {}

    /// Whether there are records that were refused alone.
    package var hasSuspects: Bool { firstSuspect != nil }

    /// The server's words about the suspect that it refused last; nil when there is none.
    package var refusal: String? {
        let last = standings.indices.contains(lastRetried) && isSuspect(lastRetried) ? lastRetried : firstSuspect
        guard let last, case .suspect(let reason) = standings[last] else { return nil }
        return reason
    }

    /// How many of the first records must be at hand for a plan: the next untried one may come after some that were tried.
    package var standingCount: Int { standings.count }

    /// What to send of the first `count` records.
    package func plan(count: Int) -> Plan {
        if let first = firstSuspect {
            if hasAcceptedSince { return .send(first..<first + 1) }
            let again = standings.indices.first { $0 > lastRetried && isSuspect($0) } ?? first
            if triesSuspect { return .send(again..<again + 1) }
            if standings.count < RefusalRule.maximumSuspectCount, let next = firstUntried(below: count) { return .send(next..<next + 1) }
            return refusalsInRound < suspectCount ? .send(again..<again + 1) : .hold
        }
        guard let first = firstUntried(below: count) else { return .hold }
        // Up to the next record that was already tried.
        let end = standings[first...].firstIndex { $0 != .untried } ?? count
        return .send(first..<min(count, end, first + min(limit, count)))
    }

    /// The server has accepted these, except some that it will never accept, for the given reasons.
    package mutating func accept(_ places: some Collection<Int>, refusing refused: [Int: String] = [:]) {
        reach((places.max() ?? -1) + 1)
        let wasSuspect = places.contains { isSuspect($0) && refused[$0] == nil }
        for index in places { standings[index] = .settled(refused[index].map(Fate.dead) ?? .accepted) }
        if wasSuspect {
            // The server has changed its mind: its answers about the others no longer count.
            for index in standings.indices where isSuspect(index) { standings[index] = .untried }
            limit = .max
        } else {
            // The bad record may be behind us.
            limit = limit > Int.max / 2 ? .max : limit * 2
        }
        noteAcceptedElsewhere()
    }

    /// These are settled without the server because its format cannot express them, which says nothing about its refusals.
    package mutating func pass(_ places: some Collection<Int>) {
        reach((places.max() ?? -1) + 1)
        for index in places { standings[index] = .settled(.accepted) }
    }

    /// The same server has accepted a record of another lane.
    package mutating func noteAcceptedElsewhere() {
        refusalsInRow = 0
        triesSuspect = false
        hasAcceptedSince = hasSuspects
    }

    /// The server has refused these; returns whether to pause now.
    package mutating func refuse(_ range: Range<Int>, reason: String) -> Bool {
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

    /// Sending is paused because nothing is left to try either.
    package mutating func pause() {
        refusalsInRow = 0
        refusalsInRound = 0
        triesSuspect = hasSuspects
    }

    /// Removes and returns the records whose fate is known, anywhere in the lane, in order; the others are counted without them.
    package mutating func takeSettled() -> [Settled] {
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
