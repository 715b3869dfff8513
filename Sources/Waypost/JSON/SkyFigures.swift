/// Adds to the fixes of a gpsd recording what only its sky views contain: the dilutions of precision and the number of satellites used.
///
/// gpsd sends the SKY of an epoch just before or just after its TPV, as often as the receiver reports it. So a fix without these figures
/// waits for one line:
/// - it gets the figures of a following SKY with the same time and receiver;
/// - otherwise those of its receiver's last SKY, which is valid for ``validMilliseconds`` from its time or, without a time (most releases
///   for NMEA), from that of the adjacent fix;
/// - figures that the fix itself has are kept.
package struct SkyFigures: Sendable {
    /// How long a sky view is valid, as with NMEA's GSA.
    package static let validMilliseconds = Int64(SolutionDraft.validMilliseconds)
    /// More receivers than any gpsd has.
    private static let mostReceivers = 16

    private struct Sky {
        var source: String?
        var quality: PositionQuality
        /// Its own time, or that of an adjacent fix; nil until one is known.
        var time: UTCTime?

        /// The fix with its missing figures filled in from this sky view, if their times agree.
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

    /// Creates a value that knows nothing yet.
    package init() {}

    /// Processes the next item and passes on complete ones, in the order in which they came.
    package mutating func add(_ item: RecordingItem, _ give: (RecordingItem) -> Void) {
        switch item {
        case .report(.position(let position)):
            release(give)
            // The fix needs nothing from a sky view.
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

    /// Passes on the fix that is still waiting.
    package mutating func finish(_ give: (RecordingItem) -> Void) { release(give) }

    private mutating func add(_ view: SkyView) {
        var quality = view.quality
        let used = view.satellites.count(where: \.isUsed)
        if used > quality.satellitesUsed ?? 0 { quality.satellitesUsed = used }
        let index = skies.firstIndex { $0.source == view.source }
        // A view with dilutions alone does not invalidate the satellites of the previous view.
        if view.satellites.isEmpty, quality.satellitesUsed ?? 0 == 0 {
            quality.satellitesUsed = index.flatMap { skies[$0].quality.satellitesUsed }
        }
        let isNeighbour = waiting?.source == view.source
        let sky = Sky(source: view.source, quality: quality, time: view.time ?? (isNeighbour ? waiting?.time : nil))
        // The previous view belongs to the waiting fix, unless this one has the fix's time or there was none.
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
