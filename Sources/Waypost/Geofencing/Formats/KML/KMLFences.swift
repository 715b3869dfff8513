/// KML 2.2, as written by Google Earth and map editors; what KML cannot express goes into `ExtendedData`.
///
/// ```
/// <kml><Document>                                 Folders inside each other as one likes
///   <Placemark id="...">
///     <name>
///     <ExtendedData><Data name="radius"><value>   also width, id, dwell_seconds, expires, notify (words with commas between)
///                   <SchemaData><SimpleData name="radius">   the same, typed
///     <Polygon><outerBoundaryIs><LinearRing><coordinates>, <innerBoundaryIs>...      longitude,latitude(,altitude) with space between
///     <LineString> + width                        a corridor, that wide in all
///     <Point> + radius                            a circle
///     <MultiGeometry>                             polygons, or one line, or one point
/// ```
/// The id of the fence is the datum `id`, else the placemark's attribute, else the name.
/// - Leniencies: a Document, Folder or Placemark may be the root, with or without a namespace; elements with other prefixes (`gx:`) are
///   skipped; a LinearRing by itself is its polygon; spaces around the commas of a corner; several rings in one innerBoundaryIs; windows-1252
///   and UTF-16. A file whose tags do not match, or that ends within them, is refused, because it is unknown which fences it lacks.
/// - Source: OGC 07-147r2 (KML 2.2).
enum KMLFences {
    static func read(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        let bytes = bytes.span
        var assembler = KMLAssembler(reading)
        var tokenizer = XMLTokenizer()
        loop: while true {
            let token = tokenizer.next(in: bytes)
            assembler.reach(tokenizer.offset, in: bytes)
            switch token {
            case .startTag(let name): try assembler.startTag(name, in: bytes)
            case .attribute(let name, let value): assembler.attribute(name, value, in: bytes)
            case .overlongAttribute: break
            case .startTagEnd(let isEmpty, let isBroken):
                if isBroken { throw assembler.failure("a tag that is not XML") }
                if isEmpty { try assembler.endElement(in: bytes) }
            case .endTag(let name): try assembler.endTag(name, in: bytes)
            case .text(let range): assembler.text(range, in: bytes, hasReferences: true)
            case .characterData(let range): assembler.text(range, in: bytes, hasReferences: false)
            case .declaration(let range): assembler.declaration(bytes.extracting(range))
            case .documentTypeDeclarations: throw assembler.failure("declarations of a document type, which are not read")
            case .stray: throw assembler.failure("a < that begins no tag")
            case .incomplete: break loop
            }
        }
        return try assembler.finished(isCut: tokenizer.isInsideMarkup || tokenizer.offset < bytes.count)
    }
}

/// The elements of KML that are read, by their names without prefix.
enum KMLElement: String {
    case kml, name, value, coordinates
    case document = "Document"
    case folder = "Folder"
    case placemark = "Placemark"
    case extendedData = "ExtendedData"
    case data = "Data"
    case schemaData = "SchemaData"
    case simpleData = "SimpleData"
    case multiGeometry = "MultiGeometry"
    case point = "Point"
    case lineString = "LineString"
    case linearRing = "LinearRing"
    case polygon = "Polygon"
    case outerBoundary = "outerBoundaryIs"
    case innerBoundary = "innerBoundaryIs"
    /// An element that is not read.
    case other = ""

    /// Whether it may be the root.
    var isRoot: Bool { self == .kml || self == .document || self == .folder || self == .placemark }

    /// Whether its text is read.
    var isText: Bool { self == .name || self == .value || self == .simpleData || self == .coordinates }

    /// Whether it is read as a child of that element.
    func isChild(of parent: KMLElement) -> Bool {
        switch self {
        case .kml, .other: false
        case .document, .folder, .placemark: parent == .kml || parent == .document || parent == .folder
        case .name, .extendedData: parent == .placemark
        case .data, .schemaData: parent == .extendedData
        case .value: parent == .data
        case .simpleData: parent == .schemaData
        case .multiGeometry, .point, .lineString, .polygon: parent == .placemark || parent == .multiGeometry
        case .linearRing: parent == .outerBoundary || parent == .innerBoundary || parent == .placemark || parent == .multiGeometry
        case .outerBoundary, .innerBoundary: parent == .polygon
        case .coordinates: parent == .point || parent == .lineString || parent == .linearRing
        }
    }
}
