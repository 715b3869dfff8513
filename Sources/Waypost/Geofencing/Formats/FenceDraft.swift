/// What an entry of a file says, before it is a fence.
struct FenceDraft {
    var id: String
    var name: String?
    var area: FenceArea
    var dwellSeconds: Double?
    var expires: UTCTime?
    var notifications = FenceNotifications.all
    /// The member that gives the radius or the width, for errors.
    var sizeMember: String
    /// Where the corners stand.
    var corners: FenceCornerPlaces
    /// What the entry holds beside the area, which is overlooked.
    var overlooked: [FenceRemark.Problem] = []

    init(id: String, name: String? = nil, area: FenceArea, sizeMember: String, corners: FenceCornerPlaces) {
        self.id = id
        self.name = name
        self.area = area
        self.sizeMember = sizeMember
        self.corners = corners
    }
}

/// An area as it is written: rings may be open, corners repeated.
enum FenceArea {
    case circle(Coordinate, radiusMetres: Double)
    case polygons([[[Coordinate]]])
    case line([Coordinate], widthMetres: Double)

    func shape() throws(FenceShapeError) -> FenceShape {
        switch self {
        case .circle(let centre, let radius): try .circle(centre: centre, radiusMetres: radius)
        case .polygons(let polygons): try .multiPolygon(polygons)
        case .line(let line, let width): try .corridor(line, widthMetres: width)
        }
    }
}

/// Where the corners of an area stand within their entry.
enum FenceCornerPlaces {
    /// A path for each polygon, or for the line, such as `geometry.coordinates[0]`; rings and corners are indices behind it.
    case paths([String])
    /// The path of a text that holds them all.
    case text(String)
    /// The line of each corner, ring by ring of each polygon.
    case lines([[[Int32]]])
}

/// Where an entry stands in its file, and how that is written.
struct FenceEntryPlace {
    /// The list that the entry is in: `features`; nil when the entry is all there is.
    var list: String?
    var index: Int
    /// Its line, counted from 1; 0 where the path tells the place.
    var line: Int

    /// `features[3]`, `line 12`, or nothing for an entry that is the file.
    var words: String {
        if line > 0 { return "line \(line)" }
        return list.map { "\($0)[\(index)]" } ?? ""
    }

    /// The place of a member of the entry.
    func member(_ path: String?) -> String? {
        let entry = words
        guard let path, !path.isEmpty else { return entry.isEmpty ? nil : entry }
        return entry.isEmpty ? path : entry + (line > 0 ? ", " : ".") + path
    }

    /// The place of a corner, or of a whole ring.
    func corner(_ places: FenceCornerPlaces, polygon: Int, ring: Int, corner: Int?, isLine: Bool = false) -> String? {
        switch places {
        case .paths(let paths):
            let ringPath = (paths.indices.contains(polygon) ? paths[polygon] : "") + (isLine ? "" : "[\(ring)]")
            return member(ringPath + (corner.map { "[\($0)]" } ?? ""))
        case .text(let path): return (member(path) ?? path) + (corner.map { ", corner \($0)" } ?? "")
        case .lines(let lines):
            guard lines.indices.contains(polygon), lines[polygon].indices.contains(ring) else { return words }
            let ringLines = lines[polygon][ring]
            guard let line = corner.flatMap({ ringLines.indices.contains($0) ? ringLines[$0] : nil }) ?? ringLines.first else {
                return words
            }
            return "line \(line)" + (corner.map { ", corner \($0)" } ?? "")
        }
    }
}

/// Why an entry gives no fence; thrown inside the readers only.
struct FenceEntryError: Error {
    var problem: FenceRemark.Problem
    /// The member of the entry that is wrong; nil for the entry.
    var path: String?
    /// The line, for formats whose places are lines.
    var line: Int?

    init(_ problem: FenceRemark.Problem, at path: String? = nil, line: Int? = nil) {
        self.problem = problem
        self.path = path
        self.line = line
    }

    static func invalid(_ path: String?, _ expected: String) -> FenceEntryError {
        FenceEntryError(.invalidValue(expected: expected), at: path)
    }
}
