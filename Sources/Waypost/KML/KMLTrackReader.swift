/// Reads the tracks and places of a KML file from bytes that come in pieces of any size; lenient, without entities.
///
/// ```
/// <Placemark>                                        Folders and Documents inside each other as one likes
///   <name> <description> <TimeStamp><when>
///   <Point><coordinates>                             a waypoint
///   <LineString><coordinates>                        a segment without times
///   <gx:Track> <when>... <gx:coord>...               a segment; the two may alternate, or all of one come first
///      <ExtendedData><SchemaData><gx:SimpleArrayData name="speed"><gx:value>...     speed m/s; track, course, bearing or heading; accuracy
///   <gx:MultiTrack> <gx:interpolate>1                tracks that are one segment
///   <MultiGeometry>                                  any of these
/// ```
/// What ``KMLWriter`` has written reads as it was, to its precision, but for what KML has no place for.
/// - Leniencies: any prefix of elements; a `coord` that is empty is a gap; heights of 0 in `coordinates` are what programs write that know none,
///   unless the altitudeMode is `absolute`; tags that do not match are passed over and counted; a file that is cut keeps what was whole.
/// - Errors: what is not KML at all is a ``KMLError``; after one, the reader gives nothing more.
/// - Source: OGC 07-147r2 (KML 2.2); Google's extensions `gx` (https://developers.google.com/kml/schema/kml22gx.xsd).
/// - Cost: one pass; memory for one `gx:Track`, of at most ``mostTrackPoints`` fixes.
public struct KMLTrackReader: Sendable {
    /// Fixes of one `gx:Track` that are kept, 12 days at one a second: its times come first, its speeds last.
    public static let mostTrackPoints = 1 << 20
    /// Bytes that are kept of a name or a description.
    static let longestText = 16_384

    private var input = XMLInput()
    private var tokenizer = XMLTokenizer()
    private var assembler = KMLTrackAssembler()
    /// What the tokenizer has not used up.
    private var pending: [UInt8] = []
    private var hasBegun = false

    /// A reader at the start of a file.
    public init() {}

    /// How many track points and waypoints were found.
    public var pointCount: Int { assembler.pointCount }

    /// What was damaged or left out, a line for people each.
    public var remarks: [String] { assembler.remarks }

    /// Takes the next bytes, cut anywhere; visits what they complete: points of tracks, and waypoints.
    public mutating func read(_ bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) throws(KMLError) {
        if let failure = assembler.failure { throw failure }
        var input = XMLInput()
        swap(&input, &self.input)
        input.decode(bytes) { bytes, _ in consume(bytes, visit) }
        swap(&input, &self.input)
        if let failure = assembler.failure { throw failure }
    }

    /// Ends the file.
    public mutating func finish(_ visit: (GPXItem) -> Void) throws(KMLError) {
        if let failure = assembler.failure { throw failure }
        var input = XMLInput()
        swap(&input, &self.input)
        input.finish { bytes, _ in consume(bytes, visit) }
        assembler.finish(isCut: tokenizer.isInsideMarkup || !pending.isEmpty, visit)
        if let failure = assembler.failure { throw failure }
    }

    private mutating func consume(_ bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        if !hasBegun, pending.count >= 2 {
            hasBegun = true
            if pending.starts(with: "PK".utf8) { assembler.refuse(.archive) }
        }
        // Out of self while the tokens of it are taken.
        var text: [UInt8] = []
        swap(&text, &pending)
        while assembler.failure == nil, case let token = tokenizer.next(in: text.span), token != .incomplete {
            assembler.take(token, endingAt: tokenizer.offset, in: text.span, visit)
        }
        assembler.endPiece(text.span, used: tokenizer.offset)
        text.removeFirst(tokenizer.offset)
        tokenizer.rebase()
        swap(&text, &pending)
    }
}

/// Why a file is not read as KML at all; lines are counted from 1.
public enum KMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no element in it.
    case noRoot
    /// The root is another element.
    case notKML(root: String, line: Int)
    /// It is a ZIP archive.
    case archive
    /// The document type declares things of its own. They might be entities, which are never expanded.
    case documentTypeDeclarations(line: Int)

    /// Half a sentence for people.
    public var description: String {
        switch self {
        case .noRoot: "there is no XML in it"
        case .notKML(let root, let line): "its root is <\(root)>, not <kml> (line \(line))"
        case .archive: "it is an archive (.kmz); unpack it: unzip -p FILE.kmz doc.kml"
        case .documentTypeDeclarations(let line): "its document type declares entities or the like, which are never read (line \(line))"
        }
    }
}
