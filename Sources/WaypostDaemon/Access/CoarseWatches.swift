import Waypost
import WaypostControl

/// The watches of those who may only know roughly where the device is: positions, at most four an hour, and nothing else.
///
/// What a watch asks for is applied to the reduced positions: significant changes and distances are those between cells.
struct CoarseWatches {
    private struct Watch {
        var id: ControlConnectionID
        var options: PositionSelection.Options
        var last: Coordinate?
    }

    private var watches: [Watch] = []
    /// The quarter of an hour that was told last.
    private var quarter: Int64?

    /// How often such a watch needs a position.
    static let interval = Duration.seconds(900)

    /// Whether there are none.
    var isEmpty: Bool { watches.isEmpty }

    /// Adds a watch; returns its first line: what is known, if anything.
    mutating func add(_ id: ControlConnectionID, _ options: PositionSelection.Options, knowing told: PositionReduction.Told?) -> [UInt8]? {
        watches.append(Watch(id: id, options: options, last: told?.position.coordinate))
        guard let told else { return nil }
        return WatchedPosition(told.position, isSignificant: options.isSignificantOnly, isCached: true).line
    }

    /// Removes a watch.
    mutating func remove(_ id: ControlConnectionID) { watches.removeAll { $0.id == id } }

    /// The lines for a position, and who gets them; none when it was told before.
    mutating func lines(for told: PositionReduction.Told) -> [(line: [UInt8], ids: [ControlConnectionID])] {
        guard told.quarter != quarter else { return [] }
        quarter = told.quarter
        var (plain, significant): ([ControlConnectionID], [ControlConnectionID]) = ([], [])
        for index in watches.indices {
            let options = watches[index].options
            let least = options.isSignificantOnly ? SignificantChangeRule.leastMetres : options.distanceFilterMetres
            if let last = watches[index].last, least > 0, Geodesic.distanceMetres(from: last, to: told.position.coordinate) < least {
                continue
            }
            watches[index].last = told.position.coordinate
            if options.isSignificantOnly { significant.append(watches[index].id) } else { plain.append(watches[index].id) }
        }
        return [(plain, false), (significant, true)].filter { !$0.0.isEmpty }.map { ids, isSignificant in
            (WatchedPosition(told.position, isSignificant: isSignificant).line, ids)
        }
    }
}
