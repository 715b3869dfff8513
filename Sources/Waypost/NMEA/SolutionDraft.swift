/// What GSA said last; it holds for the epochs of the next seconds, as fast receivers send it once a second.
struct SolutionDraft {
    /// The longest time that a GSA holds for, in milliseconds.
    static let validMilliseconds = 2_000

    private(set) var quality = PositionQuality()
    private(set) var mode: FixMode?
    private var givenAtMillisecondOfDay: Int?
    private var used = SatelliteCount()

    /// Adds a GSA: the first of an epoch stands instead of all older ones, the next ones (other constellations) add to it.
    ///
    /// A constellation without satellites says "no fix" and 99.99; it does not undo what another one says.
    mutating func add(_ gsa: GSA, isFirst: Bool) {
        let said = gsa.fixType.flatMap { FixMode(rawValue: $0) }
        if isFirst {
            self = SolutionDraft()
        } else if said == nil, mode != nil {
            return
        }
        if said != nil { used.add(gsa) }
        if let said, said.rawValue > mode?.rawValue ?? 0 { mode = said }
        quality.pdop = gsa.pdop ?? quality.pdop
        quality.hdop = gsa.hdop ?? quality.hdop
        quality.vdop = gsa.vdop ?? quality.vdop
    }

    /// How many satellites are used: as GGA or GNS says, or as many as GSA lists where that is 0, unknown or GGA's limit of 12.
    func satellitesUsed(stated: Int?) -> Int? {
        switch stated {
        case nil, 0: used.total > 0 ? used.total : stated
        case SatelliteCount.mostOfGGA: max(SatelliteCount.mostOfGGA, used.total)
        default: stated
        }
    }

    /// Called at the end of each epoch, before its position is made: forgets a solution that is too old.
    mutating func keep(atMillisecondOfDay moment: Int?, isFresh: Bool) {
        if isFresh {
            givenAtMillisecondOfDay = moment
        } else if let given = givenAtMillisecondOfDay, let moment, TimeOfDay.distance(moment, given) <= SolutionDraft.validMilliseconds {
            return
        } else {
            self = SolutionDraft()
        }
    }
}

/// How many satellites the GSA sentences of one epoch list, each once.
struct SatelliteCount {
    /// The highest count that GGA has; receivers with more satellites say this.
    static let mostOfGGA = 12

    private struct Group {
        var count = 0
        var first: UInt16 = 0
    }

    /// By the raw values of ``Constellation``.
    private var groups = InlineArray<8, Group>(repeating: Group())

    /// All that were listed.
    var total: Int {
        var total = 0
        for index in groups.indices { total += groups[index].count }
        return total
    }

    /// Counts the satellites of a sentence.
    ///
    /// Some receivers list those of one constellation under two talkers, others need two sentences for more than twelve: a list that begins as
    /// the one before is the same.
    mutating func add(_ gsa: GSA) {
        guard gsa.satelliteCount > 0 else { return }
        let first = gsa.satellites[0]
        let constellation = gsa.constellation ?? ((65...99).contains(first) ? .glonass : .gps)
        let slot = max(constellation.rawValue, 0)
        if groups[slot].count > 0, groups[slot].first == first {
            groups[slot].count = max(groups[slot].count, gsa.satelliteCount)
        } else {
            if groups[slot].count == 0 { groups[slot].first = first }
            groups[slot].count += gsa.satelliteCount
        }
    }
}
