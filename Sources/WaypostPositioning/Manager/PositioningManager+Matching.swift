import Waypost

// On which roads the positions are put, and when that is done.
extension PositioningManager {
    /// What came of a fix on the roads.
    enum Match: Equatable {
        /// Fixes are not matched.
        case off
        /// It is on that road, or on none.
        case found(MatchedPosition?)

        var place: MatchedPosition? { if case .found(let match) = self { match } else { nil } }
    }

    /// Matches positions to roads with this matcher from the next fix on, or with none; pending results of the previous one are discarded.
    ///
    /// - Parameters:
    ///   - matcher: what knows the roads; nil for none.
    ///   - onlyOnNeed: whether positions are matched only while a hold needs it (``PositioningHold/needsMatches``).
    public func matchPositions(with matcher: (any PositionMatching)?, onlyOnNeed: Bool = false) async {
        self.matcher = matcher
        matcherNumber += 1
        isMatching = false
        setMatching(enabled: matcher != nil && !onlyOnNeed)
        place.match(nil)
        await answer()
    }

    /// Matches positions to these roads from the next fix on.
    ///
    /// ```swift
    /// await manager.matchPositions(with: try Roads(path: "/var/lib/waypost/home.roads"))
    /// ```
    /// A ``RoadMatcher`` also opens a file that takes the place of another, and the files of a folder.
    /// - Parameters:
    ///   - roads: the roads.
    ///   - mode: how the device travels.
    ///   - onlyOnNeed: whether positions are matched only while a hold needs it (``PositioningHold/needsMatches``).
    public func matchPositions(with roads: Roads, mode: TravelMode = .car, onlyOnNeed: Bool = false) async {
        await matchPositions(with: RoadMatcher(roads: roads, mode: mode), onlyOnNeed: onlyOnNeed)
    }

    /// How the device travels on the roads; nil without a matcher, or when it makes no difference.
    public var mapMatchMode: TravelMode? { get async { await matcher?.mode } }

    /// Changes how the device travels, from the next fix on.
    ///
    /// - Parameter mode: which roads it may use.
    public func setMapMatchMode(_ mode: TravelMode) async { await matcher?.travel(by: mode) }

    /// Matches positions always, or only while a hold needs it; without a matcher neither does anything.
    ///
    /// - Parameter isEnabled: whether they are always matched.
    public func setMapMatchingEnabled(_ isEnabled: Bool) { setMatching(enabled: isEnabled) }

    /// Whether positions are put on roads now: there is a matcher, and it is switched on or needed.
    public var matchesPositions: Bool { matcher != nil && (mapMatchingEnabled || holds.contains(where: \.needsMatches)) }

    func match(_ position: Position) async -> Match {
        guard let matcher else { return .off }
        guard matchesPositions else {
            if isMatching {
                isMatching = false
                await turn.calling { await matcher.lose() }
            }
            return .off
        }
        isMatching = true
        // A coarse place, which stands for one in a privacy zone, is on no road.
        if position.accuracy?.origin == .reduced {
            await turn.calling { await matcher.lose() }
            return .found(nil)
        }
        let number = matcherNumber
        let match = await turn.calling { await matcher.match(position) }
        return .found(number == matcherNumber ? match : nil)
    }
}
