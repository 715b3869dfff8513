/// What a ``GPXReader`` found, and what was damaged.
public struct GPXSummary: Sendable, Equatable {
    /// The version that the root names, such as `1.1`; nil when it names none.
    public internal(set) var version: String?
    /// The program that made the file, when the root names it.
    public internal(set) var creator: String?
    /// Waypoints with a place.
    public internal(set) var waypoints = 0
    /// Routes, including those without points.
    public internal(set) var routes = 0
    /// Points of routes with a place.
    public internal(set) var routePoints = 0
    /// Tracks, including those without points.
    public internal(set) var tracks = 0
    /// Segments of tracks, including those without points.
    public internal(set) var segments = 0
    /// Points of tracks with a place.
    public internal(set) var trackPoints = 0
    private var tallies = [DamageTally](repeating: DamageTally(), count: GPXDamage.allCases.count)

    /// Creates an empty summary.
    public init() {}

    /// Points of every kind with a place.
    public var points: Int { waypoints + routePoints + trackPoints }

    /// Points of every kind that were left out because of impossible coordinates or broken markup.
    public var badPoints: Int { self[.badPlace].count + self[.brokenPoint].count }

    /// Whether the file ends before its root does: the points before the cut are there, the incomplete one is not.
    public var isCut: Bool { self[.cut].count > 0 }

    /// The count for one kind of damage.
    public subscript(damage: GPXDamage) -> DamageTally { tallies[damage.rawValue] }

    /// One line for people per kind of damage found: what, how often, where first.
    public var remarks: [String] {
        GPXDamage.allCases.compactMap { damage in
            let tally = self[damage]
            guard tally.count > 0 else { return nil }
            switch damage {
            case .cut: return "\(damage.words) at line \(tally.firstLine); what was whole before it is kept"
            case .unknownVersion: return "\(damage.words): \(version ?? ""); read as 1.1"
            default: return "\(damage.words): \(tally.count), first at line \(tally.firstLine)"
            }
        }
    }

    mutating func add(_ damage: GPXDamage, line: @autoclosure () -> Int) {
        if tallies[damage.rawValue].count == 0 { tallies[damage.rawValue].firstLine = line() }
        tallies[damage.rawValue].count += 1
    }
}

/// A kind of damage in a GPX file that can still be read.
public enum GPXDamage: Int, Sendable, CaseIterable {
    /// The file ends before its root does.
    case cut
    /// A point without latitude or longitude, or with an impossible one; it is left out.
    case badPlace
    /// A point with broken markup or NUL bytes in it; it is left out.
    case brokenPoint
    /// Any other value that is unreadable or impossible; it is left out, its point is kept.
    case badValue
    /// A tag that is broken, missing or in the wrong place.
    case brokenMarkup
    /// A second document after the first, as left by a program that appends after a power cut; it is read as well.
    case secondDocument
    /// NUL bytes, as a file system leaves them after a power cut.
    case nulBytes
    /// Something before the root or after its end.
    case textOutside
    /// A text in another encoding than the file's.
    case wrongEncoding
    /// A `&` that begins no reference, or a reference to an entity that XML does not have.
    case unknownReference
    /// A text longer than the reader keeps.
    case overlongText
    /// An element to be kept that is too long, not valid XML, or given a second time where GPX has one; it is left out.
    case unkeptElement
    /// An attribute for which GPX has no place, of an element that is read; it is left out. Counted when other elements are kept.
    case unkeptAttribute
    /// An element of a track, route or file that comes after the first point but should come before it; it is left out.
    case lateElement
    /// An unknown encoding.
    case unknownEncoding
    /// A version other than 1.0 and 1.1.
    case unknownVersion
}

extension GPXDamage {
    /// The name of the damage in messages.
    fileprivate var words: String {
        switch self {
        case .cut: "the file ends within the document"
        case .badPlace: "points with an impossible place, left out"
        case .brokenPoint: "points with broken markup, left out"
        case .badValue: "values that cannot be read"
        case .brokenMarkup: "broken tags"
        case .secondDocument: "further documents in the same file"
        case .nulBytes: "stretches of NUL bytes"
        case .textOutside: "texts outside of the document"
        case .wrongEncoding: "texts that are not in the file's encoding, read as windows-1252"
        case .unknownReference: "references that are not known"
        case .unkeptElement: "elements that cannot be kept, left out"
        case .unkeptAttribute: "attributes that GPX has no place for, left out"
        case .lateElement: "elements of tracks, routes or the file after the first point, left out"
        case .overlongText: "texts longer than \(GPXReader.longestText) bytes, cut"
        case .unknownEncoding: "declarations of an encoding that is not known, read as UTF-8"
        case .unknownVersion: "a version of GPX that is not known"
        }
    }
}

/// Why a file cannot be read as GPX at all; lines are counted from 1.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum GPXError: Error, Sendable, Hashable {
    /// The file contains no element.
    case noRoot
    /// The root is another element than `gpx`.
    case notGPX(root: String, line: Int)
    /// The document type contains declarations. They might be entities, which are never expanded.
    case documentTypeDeclarations(line: Int)
}

extension GPXError: CustomStringConvertible {
    /// The cause, as half a sentence for people: `its root is <kml>, not <gpx> (line 1)`.
    public var description: String {
        switch self {
        case .noRoot: "there is no XML in it"
        case .notGPX(let root, let line): "its root is <\(root)>, not <gpx> (line \(line))"
        case .documentTypeDeclarations(let line): "its document type declares entities or the like, which are never read (line \(line))"
        }
    }
}
