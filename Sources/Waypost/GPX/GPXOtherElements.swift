/// The parts of a GPX file that do not fit into a ``Position``, such as comments, links and the extensions of other programs.
///
/// A ``GPXReader`` that keeps other elements fills it, and a ``GPXWriter`` writes it to another GPX file. Every text is well-formed XML; the
/// prefixes used in it are declared in the ``GPXHead`` or in the text.
public struct GPXOtherElements: Sendable, Hashable {
    /// The most bytes kept for one point, track, segment or document.
    public static let most = 1 << 20

    /// The elements, in the schema's order for each owner.
    enum Part: UInt8, Comparable {
        /// The content of `metadata`.
        case metadata
        case name, description, magneticVariation, comment, source
        /// In GPX 1.0, texts in place of 1.1's elements.
        case authorName, email
        case link
        /// In GPX 1.0, in place of `link`.
        case url, urlName
        case time, keywords, bounds, symbol, number, type, differentialAge, stationNumber
        /// The content of `extensions`.
        case extensions

        static func < (left: Part, right: Part) -> Bool { left.rawValue < right.rawValue }

        /// Whether only the element's content is kept.
        var isContent: Bool {
            switch self {
            case .metadata, .extensions, .authorName, .email, .url, .urlName: true
            default: false
            }
        }
    }

    /// The figures of a point that its extensions may contain; they are not written a second time.
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
    /// The figures that `extensions` states about its point.
    private(set) var figures = Figures()

    /// Creates an empty value.
    public init() {}

    /// Whether there is nothing.
    public var isEmpty: Bool { elements.isEmpty }

    /// Adds the extensions of another document, as far as there is room.
    public mutating func add(extensionsOf other: GPXOtherElements) {
        if let xml = other[.extensions] { _ = add(.extensions, xml) }
    }

    subscript(part: Part) -> String? { elements.first { $0.part == part }?.xml }

    /// How many elements are lost when one of that part is added: those of which GPX has only one, and what `metadata` says as well.
    func losses(adding part: Part) -> Int {
        if part == .link || part == .extensions { return 0 }
        return elements.count { $0.part == part || $0.part == .metadata || part == .metadata }
    }

    /// Adds an element; false when there is no room for it.
    ///
    /// Links and extensions are appended to what is there already; for other parts the last one wins.
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
    /// The part that an element plays in its parent; nil when GPX has no such element there.
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
