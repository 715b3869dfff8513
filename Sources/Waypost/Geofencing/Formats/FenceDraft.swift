/// The contents of a file's entry, before it becomes a fence.
struct FenceDraft {
    var id: String
    var name: String?
    var area: FenceArea
    var dwellSeconds: Double?
    var expires: UTCTime?
    var notifications = FenceNotifications.all
    /// The member with the radius or the width, for errors.
    var sizeMember: String
    /// Where the corners are in the entry.
    var corners: FenceCornerPlaces
    /// Further contents of the entry, which are ignored.
    var overlooked: [FenceRemark.Problem] = []

    init(id: String, name: String? = nil, area: FenceArea, sizeMember: String, corners: FenceCornerPlaces) {
        self.id = id
        self.name = name
        self.area = area
        self.sizeMember = sizeMember
        self.corners = corners
    }

    /// Takes `dwell_seconds` and `expires` of a member of the entry, as far as they are there.
    ///
    /// - Parameter member: the member, for errors.
    mutating func readTimes(dwell: JSONValue?, expires: JSONValue?, of member: String) throws(FenceEntryError) {
        if let dwell {
            guard let seconds = dwell.double, seconds >= 0, seconds <= FenceDraft.longestDwellSeconds else {
                throw .invalid("\(member).dwell_seconds", "seconds, 0 or more")
            }
            dwellSeconds = seconds
        }
        if let expires {
            guard let time = expires.time else { throw .invalid("\(member).expires", "a time as RFC 3339 writes it") }
            self.expires = time
        }
    }
}

/// An area as written: rings may be open, corners repeated.
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

/// Where the corners of an area are in their entry.
enum FenceCornerPlaces {
    /// A path for each polygon, or for the line, such as `geometry.coordinates[0]`; indices of rings and corners follow it.
    case paths([String])
    /// The path of a text that contains them all.
    case text(String)
    /// The line of each corner, for each ring of each polygon.
    case lines([[[Int32]]])
}

/// Where an entry is in its file, and how that is written.
struct FenceEntryPlace {
    /// The list that contains the entry: `features`; nil when the entry is the whole file.
    var list: String?
    var index: Int
    /// The entry's line, counted from 1; 0 where a path is the place.
    var line: Int

    /// `features[3]`, `line 12`, or nothing for an entry that is the whole file.
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

/// Why an entry yields no fence; thrown only inside the readers.
struct FenceEntryError: Error {
    var problem: FenceRemark.Problem
    /// The wrong member of the entry; nil for the whole entry.
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
