/// Adds to the fixes of a gpsd recording what only its sky views contain: the dilutions of precision and the number of satellites used.
///
/// gpsd sends the SKY of an epoch just before its TPV or just behind it, as often as the receiver tells. So a fix that lacks these figures
/// waits for one line:
/// - a SKY of its own time and receiver that follows is its own;
/// - else the last SKY of its receiver holds, for ``validMilliseconds`` from its time, or, when it has none (most releases for NMEA), from
///   the fix beside it;
/// - what a fix says itself stands.
public struct SkyFigures: Sendable {
    /// How long a sky view holds, as with NMEA's GSA.
    public static let validMilliseconds = Int64(SolutionDraft.validMilliseconds)
    /// More receivers than one gpsd has.
    private static let mostReceivers = 16

    private struct Sky {
        var source: String?
        var quality: PositionQuality
        /// Its own time, or that of a fix beside it; nil until one is known.
        var time: UTCTime?

        /// The fix with what it lacks and this sky view has, when that is of its time.
        func filled(_ position: Position) -> Position {
            if let time, let moment = position.time,
                abs(moment.millisecondsSince1970 - time.millisecondsSince1970) > SkyFigures.validMilliseconds
            {
                return position
            }
            var filled = position
            filled.quality.hdop = position.quality.hdop ?? quality.hdop
            filled.quality.vdop = position.quality.vdop ?? quality.vdop
            filled.quality.pdop = position.quality.pdop ?? quality.pdop
            filled.quality.satellitesUsed = position.quality.satellitesUsed ?? quality.satellitesUsed
            return filled
        }
    }

    private var skies: [Sky] = []
    private var waiting: Position?

    /// Nothing known yet.
    public init() {}

    /// Takes what comes next; gives what is complete, in the order in which it came.
    public mutating func add(_ item: RecordingItem, _ give: (RecordingItem) -> Void) {
        switch item {
        case .report(.position(let position)):
            release(give)
            // Nothing that a sky view could add.
            if SkyFigures.isComplete(position) { give(item) } else { waiting = position }
        case .report(.sky(let view)):
            add(view)
            release(give)
            give(item)
        case .report(.noFix), .item:
            release(give)
            give(item)
        }
    }

    /// Gives what still waits.
    public mutating func finish(_ give: (RecordingItem) -> Void) { release(give) }

    private mutating func add(_ view: SkyView) {
        var quality = view.quality
        let used = view.satellites.count(where: \.isUsed)
        if used > quality.satellitesUsed ?? 0 { quality.satellitesUsed = used }
        let index = skies.firstIndex { $0.source == view.source }
        // Dilutions alone say nothing against the satellites of the view before.
        if view.satellites.isEmpty, quality.satellitesUsed ?? 0 == 0 {
            quality.satellitesUsed = index.flatMap { skies[$0].quality.satellitesUsed }
        }
        let isNeighbour = waiting?.source == view.source
        let sky = Sky(source: view.source, quality: quality, time: view.time ?? (isNeighbour ? waiting?.time : nil))
        // The view before it is the waiting fix's, unless this one has its time or there was none.
        if let index, isNeighbour, let position = waiting, view.time == nil || view.time != position.time {
            waiting = skies[index].filled(position)
        }
        if let index {
            skies[index] = sky
        } else if skies.count < SkyFigures.mostReceivers {
            skies.append(sky)
        }
    }

    private mutating func release(_ give: (RecordingItem) -> Void) {
        guard let position = waiting else { return }
        waiting = nil
        guard let index = skies.firstIndex(where: { $0.source == position.source }) else { return give(.report(.position(position))) }
        if skies[index].time == nil { skies[index].time = position.time }
        give(.report(.position(skies[index].filled(position))))
    }

    private static func isComplete(_ position: Position) -> Bool {
        let quality = position.quality
        return quality.satellitesUsed != nil && quality.hdop != nil && quality.vdop != nil && quality.pdop != nil
    }
}
