/// The formats of fence files.
///
/// The page <doc:Geofences> explains what each can express, and what is ignored when it is read.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FenceFormat: String, Sendable, Hashable, CaseIterable {
    /// GeoJSON with properties `name`, `radius`, `width`, `dwell_seconds`, `expires`, `notify`: waypost's own format, which keeps everything.
    case geojson
    /// Tealium's `geofences.json`: circles.
    case tealium
    /// OwnTracks' waypoints, a `.otrw` file: circles.
    case owntracks
    /// Traccar's geofences from its API: areas as text, latitude first.
    case traccar
    /// KML 2.2: polygons, and with extended data circles and corridors.
    case kml

    /// The format for a file extension without its point: `geojson`, `otrw`, `kml`; nil when that does not decide, as for `json`.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "geojson": self = .geojson
        case "otrw": self = .owntracks
        case "kml": self = .kml
        default: return nil
        }
    }

    /// Reads a file of any of the formats; the contents decide which.
    ///
    /// One bad entry spoils only itself: it is dropped, and a remark names it. A file that is damaged as a whole yields nothing.
    /// Accepted in every format: a byte order mark, UTF-16, commas before closing brackets (all with a remark), unknown members.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - now: the time from which a format's periods count, if known.
    ///   - limits: what is refused however well it is written.
    /// - Cost: one pass; memory for the fences and one entry of the file in addition to its bytes.
    public static func read(
        _ bytes: [UInt8], now: UTCTime? = nil, limits: FenceFileLimits = FenceFileLimits()
    ) throws(FenceFileError) -> FenceFile {
        try read(bytes, FenceReading(now: now, limits: limits))
    }

    /// Reads a file, and lets a linter check each entry on the way.
    static func read(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        guard bytes.count <= reading.limits.bytes else { throw .tooLong(limit: reading.limits.bytes) }
        var reading = reading
        let start: [UInt8] = Array(bytes.prefix(4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            reading.prelude = [.byteOrderMark]
            var plain = bytes
            // Spaces keep the places in errors unchanged.
            plain.replaceSubrange(0..<3, with: [0x20, 0x20, 0x20])
            return try readDecoded(plain, reading)
        }
        // In UTF-16 every second byte of ASCII is zero; in no other text is one of the first two.
        guard start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(2).contains(0) else {
            return try readDecoded(bytes, reading)
        }
        var decoded: [UInt8] = []
        var input = XMLInput()
        let take: XMLInput.Take = { piece, _ in piece.withUnsafeBufferPointer { decoded.append(contentsOf: $0) } }
        input.decode(bytes.span, take)
        input.finish(take)
        reading.prelude = [.utf16]
        return try readDecoded(decoded, reading)
    }

    private static func readDecoded(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        switch bytes.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            do throws(FenceFileError) {
                return try readJSON(bytes, reading)
            } catch {
                // Most files are sound: the commas are only looked for when one is in the way.
                guard case .json(let fault) = error,
                    fault.reason == .unexpectedByte(UInt8(ascii: "]")) || fault.reason == .unexpectedByte(UInt8(ascii: "}"))
                else { throw error }
                var plain = bytes
                let count = blankTrailingCommas(in: &plain)
                guard count > 0 else { throw error }
                var reading = reading
                reading.prelude.append(.trailingCommas(count: count))
                return try readJSON(plain, reading)
            }
        case UInt8(ascii: "<"): return try KMLFences.read(bytes, reading)
        case nil: throw .notFences("is empty")
        case UInt8(ascii: "P") where bytes.starts(with: [0x50, 0x4B, 3, 4]):
            throw .notFences("is a ZIP archive; of a KMZ file, unpack doc.kml")
        case 0x1F where bytes.starts(with: [0x1F, 0x8B]): throw .notFences("is compressed with gzip; unpack it")
        default: throw .notFences("is neither JSON nor KML")
        }
    }

    static func readJSON(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        switch try recognise(bytes) {
        case .geojson: try GeoJSONFences.read(bytes, reading)
        case .tealium: try TealiumFences.read(bytes, reading)
        case .owntracks: try OwnTracksFences.read(bytes, reading)
        case .traccar: try TraccarFences.read(bytes, reading)
        case .kml: preconditionFailure("KML is no JSON")
        }
    }

    /// Replaces commas before a closing bracket by spaces, outside strings; returns how many there were.
    private static func blankTrailingCommas(in bytes: inout [UInt8]) -> Int {
        var count = 0
        var comma: Int?
        var isInString = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: ","): comma = index
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let place = comma {
                    bytes[place] = 0x20
                    count += 1
                }
                comma = nil
            case 0x09, 0x0A, 0x0D, 0x20: break
            case UInt8(ascii: "\""):
                isInString = true
                comma = nil
            default: comma = nil
            }
        }
        return count
    }
}

/// The limits of a fence file, which keep small devices from running out of memory.
public struct FenceFileLimits: Sendable, Hashable {
    /// The longest file in bytes.
    public var bytes: Int
    /// The most entries.
    public var entries: Int
    /// The most corners of one fence.
    public var corners: Int

    /// Creates limits that leave room for every real file: 256 MiB, a million entries, a million corners per fence.
    public init(bytes: Int = 256 << 20, entries: Int = 1_000_000, corners: Int = 1_000_000) {
        self.bytes = bytes
        self.entries = entries
        self.corners = corners
    }
}

/// What a reader needs besides the bytes.
struct FenceReading {
    var now: UTCTime?
    var limits: FenceFileLimits
    /// Checks every entry on the way, when a file is to be linted.
    var linter: FenceLinter?
    /// What was ignored before the format was known.
    var prelude: [FenceRemark.Problem] = []

    init(now: UTCTime?, limits: FenceFileLimits, linter: FenceLinter? = nil) {
        self.now = now
        self.limits = limits
        self.linter = linter
    }
}
