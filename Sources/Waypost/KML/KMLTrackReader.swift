/// Reads the tracks and places of a KML file from bytes that come in pieces of any size; lenient, without entities.
///
/// ```
/// <Placemark>                                        Folders and Documents inside each other as one likes
///   <name> <description> <TimeStamp><when>          or <TimeSpan><begin>
///   <Point><coordinates>                             a waypoint
///   <LineString><coordinates>                        a segment without times
///   <gx:Track> <when>... <gx:coord>...               a segment; the two may alternate, or all of one come first
///      <ExtendedData><SchemaData><gx:SimpleArrayData name="speed"><gx:value>...     speed m/s; track, course, bearing or heading; accuracy
///   <gx:MultiTrack> <gx:interpolate>1                tracks that are one segment
///   <MultiGeometry>                                  any of these
/// ```
/// What ``KMLWriter`` has written reads back the same, to its precision, except for what KML cannot express.
/// - Leniencies: any prefix of elements; an empty `coord` is a gap; a height of 0 in `coordinates` counts as unknown, because programs write it
///   for that, unless the altitudeMode is `absolute`; unmatched tags are skipped and counted; a truncated file keeps what was complete.
/// - Errors: a file that is not KML at all is a ``KMLError``; after one, the reader returns nothing more.
/// - Source: OGC 07-147r2 (KML 2.2); Google's extensions `gx` (https://developers.google.com/kml/schema/kml22gx.xsd).
/// - Cost: one pass; memory for one `gx:Track`, of at most ``mostTrackPoints`` fixes.
public struct KMLTrackReader: Sendable {
    /// The most fixes kept of one `gx:Track`, 12 days at one per second: its times come first, its speeds last.
    public static let mostTrackPoints = 1 << 20
    /// The most bytes kept of a name or a description.
    static let longestText = 16_384

    private var input = XMLInput()
    private var tokenizer = XMLTokenizer()
    private var assembler = KMLTrackAssembler()
    /// The bytes that the tokenizer has not used yet.
    private var pending: [UInt8] = []
    private var hasBegun = false

    /// Creates a reader at the start of a file.
    public init() {}

    /// How many track points and waypoints were found.
    public var pointCount: Int { assembler.pointCount }

    /// What was damaged or left out, one line for people per kind.
    public var remarks: [String] { assembler.remarks }

    /// Processes the next bytes, cut anywhere, and visits the track points and waypoints that they complete.
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
        // Moved out of self while its tokens are processed.
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

/// Why a file cannot be read as KML at all; lines are counted from 1.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file contains no element.
    case noRoot
    /// The root is another element.
    case notKML(root: String, line: Int)
    /// The file is a ZIP archive.
    case archive
    /// The document type contains declarations. They might be entities, which are never expanded.
    case documentTypeDeclarations(line: Int)

    /// The cause, as half a sentence for people.
    public var description: String {
        switch self {
        case .noRoot: "there is no XML in it"
        case .notKML(let root, let line): "its root is <\(root)>, not <kml> (line \(line))"
        case .archive: "it is an archive (.kmz); unpack it: unzip -p FILE.kmz doc.kml"
        case .documentTypeDeclarations(let line): "its document type declares entities or the like, which are never read (line \(line))"
        }
    }
}
