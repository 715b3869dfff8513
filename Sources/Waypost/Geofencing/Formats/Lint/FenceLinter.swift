/// Checks a fence file for everything that a person should know before it is used.
///
/// ```swift
/// let file = try FenceLinter(now: now).check(bytes)
/// for remark in file.remarks { print(remark.severity, remark) }
/// ```
/// - Cost: O(n log n) in the corners of a fence and in the number of fences; where many fences overlap, the search for overlaps ends with a
///   remark after some 50 comparisons per fence.
public struct FenceLinter: Sendable {
    /// The error of a fix in metres; a fence with a smaller radius is too small for the receiver.
    public var accuracyMetres: Double
    /// The time against which expiries are checked; nil if no clock can be trusted.
    public var now: UTCTime?
    /// What is refused however well it is written.
    public var limits: FenceFileLimits

    /// Creates a linter for receivers of that accuracy.
    ///
    /// - Parameters:
    ///   - accuracyMetres: 10 m, which a receiver without corrections nearly always achieves under open sky.
    ///   - now: the time against which expiries are checked; nil when unknown.
    ///   - limits: what is refused however well it is written.
    public init(accuracyMetres: Double = 10, now: UTCTime? = nil, limits: FenceFileLimits = FenceFileLimits()) {
        self.accuracyMetres = accuracyMetres
        self.now = now
        self.limits = limits
    }

    /// Reads a file of any format, and adds remarks on anything doubtful, in the order of the file.
    public func check(_ bytes: [UInt8]) throws(FenceFileError) -> FenceFile {
        var file = try FenceFormat.read(bytes, FenceReading(now: now, limits: limits, linter: self))
        file.sortRemarks()
        return file
    }

    typealias Remark = (_ problem: FenceRemark.Problem, _ place: String?) -> Void

    /// Adds the remarks on one entry by itself.
    func lint(_ draft: FenceDraft, _ fence: Geofence, _ place: FenceEntryPlace, _ remark: Remark) {
        lintProperties(fence, place, remark)
        switch draft.area {
        case .circle(let centre, let radius):
            let at = place.corner(draft.corners, polygon: 0, ring: 0, corner: nil, isLine: true)
            if abs(centre.latitudeDegrees) < 1e-6, abs(centre.longitudeDegrees) < 1e-6 { remark(.nullIsland, at) }
            lintSize(reach: radius, across: 2 * radius, place.member(draft.sizeMember), remark)
        case .line(let line, let width):
            lintCorners(line, isRing: false, remark) { place.corner(draft.corners, polygon: 0, ring: 0, corner: $0, isLine: true) }
            lintSize(reach: width / 2, across: LintRing(line).acrossMetres, place.member(draft.sizeMember), remark)
        case .polygons(let polygons):
            var (reach, across) = (0.0, 0.0)
            for (index, polygon) in polygons.enumerated() {
                let rings = polygon.map(LintRing.init)
                for (number, ring) in rings.enumerated() {
                    lint(ring, polygon[number], isText: draft.corners.isText, remark) {
                        place.corner(draft.corners, polygon: index, ring: number, corner: $0)
                    }
                }
                let isSimple = lintArrangement(rings, remark) { place.corner(draft.corners, polygon: index, ring: $0, corner: $1) }
                // The parts of a self-crossing ring cancel each other out.
                guard let outer = rings.first else { continue }
                reach = max(reach, isSimple && !outer.isLine ? outer.reachMetres : .infinity)
                across = max(across, outer.acrossMetres)
            }
            lintSize(reach: reach, across: across, place.corner(draft.corners, polygon: 0, ring: 0, corner: nil), remark)
        }
    }

    private func lintProperties(_ fence: Geofence, _ place: FenceEntryPlace, _ remark: Remark) {
        if let expires = fence.expires, let now, expires <= now { remark(.expired(expires), place.member(nil)) }
        if let seconds = fence.dwellSeconds {
            let looksLikeMilliseconds =
                seconds >= 30_000 && seconds.remainder(dividingBy: 1_000) == 0 && seconds.remainder(dividingBy: 3_600) != 0
            if looksLikeMilliseconds || seconds > 30 * 86_400 { remark(.longDwell(seconds: seconds), place.member(nil)) }
            if !fence.notifications.contains(.dwell) { remark(.dwellIsNotTold, place.member(nil)) }
        }
        if fence.notifications.isEmpty { remark(.tellsNothing, place.member(nil)) }
        let scalars = fence.name.unicodeScalars
        let hasUnseen = scalars.contains { $0.properties.generalCategory == .control || $0.properties.generalCategory == .lineSeparator }
        if hasUnseen || scalars.first?.properties.isWhitespace ?? true || scalars.last?.properties.isWhitespace ?? true {
            remark(.oddName, place.member(nil))
        }
    }

    private func lintSize(reach: Double, across: Double, _ place: String?, _ remark: Remark) {
        if reach < accuracyMetres { remark(.smallerThanAccuracy(metres: reach, accuracyMetres: accuracyMetres), place) }
        if across > FenceLinter.hugeMetres { remark(.huge(metres: across), place) }
    }

    /// Fences the size of continents are rare; kilometres and millimetres mistaken for metres are not.
    private static let hugeMetres = 1_000_000.0

    private func lint(_ ring: LintRing, _ written: [Coordinate], isText: Bool, _ remark: Remark, _ place: (Int?) -> String?) {
        // Traccar accepts both.
        if !ring.isClosed, !isText { remark(.unclosedRing, place(nil)) }
        if ring.repeatedCount > 0 { remark(.repeatedCorners(count: ring.repeatedCount), place(nil)) }
        if ring.turns != 0 { remark(.holdsPole(isNorth: ring.isNorthern), place(nil)) }
        if ring.turns == 0, ring.isLine { remark(.noArea, place(nil)) }
        lintCorners(written, isRing: true, remark, place)
    }

    /// Checks how holes lie in their polygon, and whether edges cross; true when none do.
    private func lintArrangement(
        _ rings: [LintRing], _ remark: Remark, _ place: (_ ring: Int, _ corner: Int?) -> String?
    ) -> Bool {
        // A flat map has no place for the holes of a ring round the globe: such a ring is checked by itself.
        let whole = rings.first?.turns == 0 && rings.allSatisfy { $0.turns == 0 }
        let found = RingSweep.search(whole ? rings : Array(rings.prefix(1)))
        if let crossing = found.crossing ?? found.touch {
            let isCrossing = found.crossing != nil
            let (corner, other) = (rings[crossing.ring].corners[crossing.edge], rings[crossing.otherRing].corners[crossing.otherEdge])
            let at = place(crossing.ring, Int(corner))
            let (latitude, longitude) = (crossing.latitude, crossing.longitude)
            switch (isCrossing, crossing.ring == crossing.otherRing) {
            case (true, true): remark(.crossesItself(corner: Int(other), latitude: latitude, longitude: longitude), at)
            case (true, false): remark(.ringsCross(ring: crossing.otherRing, latitude: latitude, longitude: longitude), at)
            // A hole may touch its polygon at a corner.
            case (false, true): remark(.touchesItself(corner: Int(other), latitude: latitude, longitude: longitude), at)
            case (false, false): break
            }
        }
        guard found.crossing == nil, whole else { return found.crossing == nil }
        for ring in rings.indices.dropFirst() {
            switch found.parents[ring] {
            case 0: break
            case -1: remark(.holeOutside, place(ring, nil))
            case let parent: remark(.holeInHole(ring: parent), place(ring, nil))
            }
        }
        return true
    }

    /// Reports edges of more than half a turn, and corners that seem to have swapped numbers; the first of each.
    private func lintCorners(_ corners: [Coordinate], isRing: Bool, _ remark: Remark, _ place: (Int?) -> String?) {
        guard corners.count > 1 else { return }
        let longEdge = corners.indices.dropLast().first { abs(corners[$0 + 1].longitudeDegrees - corners[$0].longitudeDegrees) > 180 }
        if let longEdge {
            let degrees = abs(corners[longEdge + 1].longitudeDegrees - corners[longEdge].longitudeDegrees)
            remark(.longEdge(degrees: degrees), place(longEdge))
        }
        guard corners.count >= 4 else { return }
        let middle = (
            latitude: corners.map(\.latitudeDegrees).sorted()[corners.count / 2],
            longitude: corners.map(\.longitudeDegrees).sorted()[corners.count / 2]
        )
        func degrees(_ latitude: Double, _ longitude: Double, from other: (latitude: Double, longitude: Double)) -> Double {
            max(abs(latitude - other.latitude), abs((longitude - other.longitude).wrappedDegrees))
        }
        for (index, corner) in corners.enumerated() {
            let (latitude, longitude) = (corner.latitudeDegrees, corner.longitudeDegrees)
            let off = degrees(latitude, longitude, from: middle)
            guard off > 5, abs(longitude) <= 90, degrees(longitude, latitude, from: middle) < off / 10 else { continue }
            let before = corners[index > 0 ? index - 1 : corners.count - (isRing ? 2 : 1)]
            let after = corners[index + 1 < corners.count ? index + 1 : (isRing ? 1 : 0)]
            // A long fence has far corners, too, but it does not jump there and back.
            guard degrees(latitude, longitude, from: (before.latitudeDegrees, before.longitudeDegrees)) > off / 2,
                degrees(latitude, longitude, from: (after.latitudeDegrees, after.longitudeDegrees)) > off / 2
            else { continue }
            remark(.cornerSeemsSwapped(latitude: latitude, longitude: longitude), place(index))
            return
        }
    }
}

extension FenceCornerPlaces {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
