/// The parts of a GPX file that do not fit into a ``Position``, kept for another GPX file: comments, symbols, links, the extensions of
/// other programs.
///
/// A ``GPXReader`` that keeps other elements fills it, a ``GPXWriter`` writes it. Every text is well-formed XML of its own; prefixes that are used
/// in it are those of the ``GPXHead``, or declared in it.
public struct GPXOtherElements: Sendable, Hashable {
    /// Bytes that are kept for one point, track, segment or document.
    public static let most = 1 << 20

    /// The elements, in the order in which the schema has those of one owner.
    enum Part: UInt8, Comparable {
        /// All that `metadata` holds.
        case metadata
        case name, description, magneticVariation, comment, source
        /// GPX 1.0 has texts where 1.1 has elements.
        case authorName, email
        case link
        /// GPX 1.0 instead of `link`.
        case url, urlName
        case time, keywords, bounds, symbol, number, type, differentialAge, stationNumber
        /// All that `extensions` holds.
        case extensions

        static func < (left: Part, right: Part) -> Bool { left.rawValue < right.rawValue }

        /// Whether only what is inside the element is kept.
        var isContent: Bool {
            switch self {
            case .metadata, .extensions, .authorName, .email, .url, .urlName: true
            default: false
            }
        }
    }

    /// The figures of a point that may stand in its extensions; what these say already is not written a second time.
    struct Figures: Hashable {
        var speedMetresPerSecond: Double?
        var courseDegrees: Double?
        var accuracyMetres: Double?
    }

    private struct Element: Hashable {
        var part: Part
        var xml: String
    }

    private var elements: [Element] = []
    private var byteCount = 0
    /// What `extensions` says of its point.
    private(set) var figures = Figures()

    /// Nothing.
    public init() {}

    /// Whether there is nothing.
    public var isEmpty: Bool { elements.isEmpty }

    /// Adds the extensions of a further document, as far as there is room.
    public mutating func add(extensionsOf other: GPXOtherElements) {
        if let xml = other[.extensions] { _ = add(.extensions, xml) }
    }

    subscript(part: Part) -> String? { elements.first { $0.part == part }?.xml }

    /// Adds an element; false when there is no room for it.
    ///
    /// Links and extensions come to what is there already, of others the last one stays.
    mutating func add(_ part: Part, _ xml: String, saying said: Figures = Figures()) -> Bool {
        guard byteCount + xml.utf8.count <= GPXOtherElements.most else { return false }
        figures.speedMetresPerSecond = said.speedMetresPerSecond ?? figures.speedMetresPerSecond
        figures.courseDegrees = said.courseDegrees ?? figures.courseDegrees
        figures.accuracyMetres = said.accuracyMetres ?? figures.accuracyMetres
        byteCount += xml.utf8.count
        if let place = elements.firstIndex(where: { $0.part == part }) {
            if part == .link || part == .extensions { elements[place].xml += xml } else { elements[place].xml = xml }
        } else {
            elements.append(Element(part: part, xml: xml))
        }
        return true
    }
}

extension GPXOtherElements.Part {
    /// The part that an element is to the one it stands in; nil when GPX has no such element there.
    init?(_ name: String, in parent: GPXElement) {
        switch (name, parent) {
        case ("extensions", _): self = .extensions
        case ("metadata", .gpx): self = .metadata
        case ("name", .gpx): self = .name
        case ("desc", .gpx): self = .description
        case ("author", .gpx): self = .authorName
        case ("email", .gpx): self = .email
        case ("time", .gpx): self = .time
        case ("keywords", .gpx): self = .keywords
        case ("bounds", .gpx): self = .bounds
        case ("url", _) where parent != .segment: self = .url
        case ("urlname", _) where parent != .segment: self = .urlName
        case (_, .gpx), (_, .segment): return nil
        case ("cmt", _): self = .comment
        case ("src", _): self = .source
        case ("link", _): self = .link
        case ("type", _): self = .type
        case ("number", .track), ("number", .route): self = .number
        case (_, .track), (_, .route): return nil
        case ("magvar", _): self = .magneticVariation
        case ("sym", _): self = .symbol
        case ("ageofdgpsdata", _): self = .differentialAge
        case ("dgpsid", _): self = .stationNumber
        default: return nil
        }
    }
}
