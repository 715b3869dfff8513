/// Gathers GSV and GSA sentences into a view of the sky.
struct SkyDraft {
    /// More satellites than receivers track; what comes beyond is noise.
    static let limit = 128

    private var satellites: [SatelliteView] = []
    private var used: [(constellation: Constellation?, number: Int)] = []
    private var openGroups = 0

    mutating func add(_ gsa: GSA) {
        guard used.count < SkyDraft.limit else { return }
        for index in 0..<gsa.satelliteCount { used.append((gsa.constellation, Int(gsa.satellites[index]))) }
    }

    mutating func add(_ gsv: GSV, _ fields: inout NMEAFields, in bytes: Span<UInt8>, talker: UInt16) {
        if gsv.sentenceNumber == 1 { openGroups += 1 }
        if gsv.sentenceNumber == gsv.sentenceCount { openGroups = max(0, openGroups - 1) }
        for index in 0..<gsv.satelliteCount where satellites.count < SkyDraft.limit {
            guard let view = gsv.satellite(index, &fields, in: bytes, talker: talker) else { continue }
            add(view)
        }
    }

    /// The same satellite is listed once per signal: the strongest stands.
    private mutating func add(_ view: SatelliteView) {
        if let known = satellites.firstIndex(where: { $0.number == view.number && $0.constellation == view.constellation }) {
            let signal = view.signalDecibelHertz ?? -1
            if signal > satellites[known].signalDecibelHertz ?? -1 { satellites[known].signalDecibelHertz = signal }
        } else {
            satellites.append(view)
        }
    }

    /// The view, when one is complete; empties the draft then.
    mutating func take(time: UTCTime?, quality: PositionQuality) -> SkyView? {
        guard !satellites.isEmpty, openGroups == 0 else {
            if used.count >= SkyDraft.limit { used.removeAll(keepingCapacity: true) }
            return nil
        }
        for index in satellites.indices {
            let view = satellites[index]
            satellites[index].isUsed = used.contains {
                $0.number == view.number && ($0.constellation == nil || $0.constellation == view.constellation)
            }
        }
        defer {
            satellites = []
            used.removeAll(keepingCapacity: true)
            openGroups = 0
        }
        return SkyView(time: time, satellites: satellites, quality: quality)
    }
}
