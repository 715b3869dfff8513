/// The last GSA; it is valid for the epochs of the next seconds, because fast receivers send it once a second.
struct SolutionDraft {
    /// How long a GSA is valid, in milliseconds.
    static let validMilliseconds = 2_000

    private(set) var quality = PositionQuality()
    private(set) var mode: FixMode?
    private var givenAtMillisecondOfDay: Int?
    private var used = SatelliteCount()

    /// Adds a GSA: the first of an epoch replaces all older ones, the next ones (other constellations) add to it.
    ///
    /// A constellation without satellites reports "no fix" and 99.99; it does not undo what another one reports.
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

    /// How many satellites are used: the count in GGA or GNS, or in GSA where that count is 0, unknown or GGA's limit of 12.
    func satellitesUsed(stated: Int?) -> Int? {
        switch stated {
        case nil, 0: used.total > 0 ? used.total : stated
        case SatelliteCount.mostOfGGA: max(SatelliteCount.mostOfGGA, used.total)
        default: stated
        }
    }

    /// Forgets a solution that is too old; called at the end of each epoch, before its position is made.
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
    /// GGA's highest count; receivers that use more satellites report this.
    static let mostOfGGA = 12

    private struct Group {
        var count = 0
        var first: UInt16 = 0
    }

    /// One group per raw value of ``Constellation``.
    private var groups = InlineArray<8, Group>(repeating: Group())

    /// The number of all satellites listed.
    var total: Int {
        var total = 0
        for index in groups.indices { total += groups[index].count }
        return total
    }

    /// Counts the satellites of a sentence.
    ///
    /// Some receivers list the satellites of one constellation under two talkers, others need two sentences for more than twelve: a list with
    /// the same beginning as the previous one is the same list.
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
