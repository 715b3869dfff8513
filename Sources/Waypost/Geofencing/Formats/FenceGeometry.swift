/// The parts of an entry's geometry, from which one area is made.
struct FenceGeometry {
    /// The polygons with their rings and paths.
    var polygons: [(rings: [[Coordinate]], path: String)] = []
    var lines: [(places: [Coordinate], path: String)] = []
    var points: [(place: Coordinate, path: String)] = []
    /// Kinds that are never a fence.
    var others: [String] = []

    /// The draft of a fence for that area: all polygons, else the line, else the circle round the point.
    ///
    /// Other parts are ignored with a remark: a polygon often comes with its label's place.
    func draft(
        id: String, name: String?, radius: Double?, radiusMember: String, width: Double?, widthMember: String
    ) throws(FenceEntryError) -> FenceDraft {
        var draft: FenceDraft
        if !polygons.isEmpty {
            draft = FenceDraft(
                id: id, name: name, area: .polygons(polygons.map(\.rings)), sizeMember: "", corners: .paths(polygons.map(\.path)))
            draft.overlook(lines.count, "line")
            draft.overlook(points.count, "point")
        } else if let line = lines.first, width != nil || points.isEmpty || radius == nil {
            guard lines.count == 1 else { throw FenceEntryError(.unknownGeometry("of \(lines.count) lines")) }
            guard let width else { throw .invalid(widthMember, "the width in metres, which a line needs") }
            draft = FenceDraft(
                id: id, name: name, area: .line(line.places, widthMetres: width), sizeMember: widthMember, corners: .paths([line.path]))
            draft.overlook(points.count, "point")
        } else if let point = points.first {
            guard points.count == 1 else { throw FenceEntryError(.unknownGeometry("of \(points.count) points")) }
            guard let radius else { throw .invalid(radiusMember, "the radius in metres, which a point needs") }
            draft = FenceDraft(
                id: id, name: name, area: .circle(point.place, radiusMetres: radius), sizeMember: radiusMember,
                corners: .paths([point.path]))
            draft.overlook(lines.count, "line")
        } else if let other = others.first {
            throw FenceEntryError(.unknownGeometry(other))
        } else {
            throw FenceEntryError(.unknownGeometry("of nothing"))
        }
        draft.overlook(others.count, "other part")
        return draft
    }
}

extension FenceDraft {
    /// A third of a century; a longer dwell is a mistake in the units.
    static let longestDwellSeconds = 1e9

    fileprivate mutating func overlook(_ count: Int, _ noun: String) {
        if count > 0 { overlooked.append(.overlookedGeometry("\(counted(count, noun)) beside the area")) }
    }
}
