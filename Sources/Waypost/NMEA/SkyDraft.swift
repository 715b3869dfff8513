/// Gathers GSV and GSA sentences into a view of the sky.
///
/// GSV comes in groups (`1 of 3`, `2 of 3`, `3 of 3`), one group per talker and signal. A view is delivered at the end of an epoch unless a
/// group is open then. A group that repeats before the view was delivered restarts the view, so that a lost sentence costs one view.
struct SkyDraft {
    /// More satellites than receivers track; any further ones are noise.
    static let limit = 128

    private struct Group: Equatable {
        var talker: UInt16
        var signal: Int
    }

    private var satellites: [SatelliteView] = []
    private var used: [(constellation: Constellation?, number: Int)] = []
    private var groups: [Group] = []
    private var isGroupOpen = false

    /// Notes which satellites are used.
    ///
    /// - Parameter isFirst: whether this is the epoch's first GSA, which makes older ones invalid.
    mutating func add(_ gsa: GSA, isFirst: Bool) {
        if isFirst { used.removeAll(keepingCapacity: true) }
        guard used.count < SkyDraft.limit else { return }
        for index in 0..<gsa.satelliteCount {
            let number = Int(gsa.satellites[index])
            used.append((gsa.constellation.map { Constellation(named: $0, number: number) }, number))
        }
    }

    mutating func add(_ gsv: GSV, _ fields: inout NMEAFields, in bytes: Span<UInt8>, talker: UInt16) {
        if gsv.sentenceNumber == 1 { begin(Group(talker: talker, signal: gsv.signal)) }
        isGroupOpen = gsv.sentenceNumber < gsv.sentenceCount
        for index in 0..<gsv.satelliteCount where satellites.count < SkyDraft.limit {
            guard let view = gsv.satellite(index, &fields, in: bytes, talker: talker) else { continue }
            add(view)
        }
    }

    private mutating func begin(_ group: Group) {
        if groups.contains(group) {
            satellites.removeAll(keepingCapacity: true)
            groups.removeAll(keepingCapacity: true)
        }
        groups.append(group)
    }

    /// Adds a satellite; of several entries for one satellite, one per signal, the strongest wins.
    private mutating func add(_ view: SatelliteView) {
        if let known = satellites.firstIndex(where: { $0.number == view.number && $0.constellation == view.constellation }) {
            let signal = view.signalDecibelHertz ?? -1
            if signal > satellites[known].signalDecibelHertz ?? -1 { satellites[known].signalDecibelHertz = signal }
        } else {
            satellites.append(view)
        }
    }

    /// Returns the view and empties the draft, if a view is complete.
    mutating func take(time: UTCTime?, quality: PositionQuality) -> SkyView? {
        guard !satellites.isEmpty, !isGroupOpen else { return nil }
        for index in satellites.indices {
            let view = satellites[index]
            satellites[index].isUsed = used.contains {
                $0.number == view.number && ($0.constellation == nil || $0.constellation == view.constellation)
            }
        }
        defer {
            satellites = []
            groups.removeAll(keepingCapacity: true)
        }
        return SkyView(time: time, satellites: satellites, quality: quality)
    }
}
