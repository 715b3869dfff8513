import Waypost

/// One entry of a journal.
public struct JournalRecord: Sendable, Equatable {
    /// The content of an entry.
    public enum Content: Sendable, Equatable {
        /// A fix, with everything known about it.
        case position(Position)
        /// The track is interrupted: what follows does not connect to what came before.
        case segmentBreak(SegmentBreak)
        /// Something that happened; it has a time.
        case event(TrackerEvent)
        /// Records after that number and up to this entry's were lost with a damaged journal, which this one replaces; whether each number was one.
        case lost(after: UInt64, isCounted: Bool)
        /// An entry of a kind unknown to this version, with a right checksum.
        case other(kind: UInt8, payload: [UInt8])
    }

    /// The number, which grows from record to record through all journals of a log for ever; gaps are possible, repeats are not.
    public var sequence: UInt64
    /// The content.
    public var content: Content
    /// The types whose tracks a position belongs to, or whose segment a break ends.
    public var types: LogTypes

    /// Creates an entry; without types a position is a raw one, and everything else concerns all types.
    public init(sequence: UInt64, content: Content, types: LogTypes? = nil) {
        self.sequence = sequence
        self.content = content
        if let types {
            self.types = types
        } else if case .position = content {
            self.types = .raw
        } else {
            self.types = .all
        }
    }
}

/// Why a new track segment begins.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SegmentBreak: UInt8, Sendable, Hashable {
    /// The log begins.
    case start = 0
    /// The position was lost.
    case loss = 1
    /// The time of the fixes jumped.
    case jump = 2
    /// The source or the log was restarted.
    case restart = 3
    /// Fixes in between are missing from the log, for whatever reason: they could not be written, cannot be read, or were erased.
    case gap = 4
}

/// The beginning of a journal, which applies to all its records.
public struct JournalHeader: Sendable, Equatable {
    /// The identity of the boot in which it was written, 16 bytes.
    public var bootIdentity: [UInt8]
    /// The sequence number of its first record.
    public var firstSequence: UInt64
    /// The source of the first fix; records of the same source do not repeat its name.
    public var source: String?
    /// The types of positions that it holds, each once; the first one's track is `STEM.gpx`.
    public var types: [LogType]

    /// Creates a header for a new journal.
    public init(bootIdentity: [UInt8], firstSequence: UInt64, source: String?, types: [LogType] = [.raw]) {
        precondition(bootIdentity.count == 16, "a boot identity has 16 bytes")
        self.types = types
        self.bootIdentity = bootIdentity
        self.firstSequence = firstSequence
        self.source = source
    }
}

extension JournalHeader? {
    /// The first type of a journal: its track is `STEM.gpx`, and its positions are sent; another one where the header is damaged.
    package func mainType(or other: LogTypes) -> LogTypes { self?.types.first.map(LogTypes.init) ?? other }
}

/// A stretch of a journal that could not be read, or a place where whole records are missing.
public struct JournalDamage: Sendable, Hashable {
    /// Where it begins, in bytes from the start of the file.
    public var offset: Int64
    /// How many bytes were not readable; 0 where whole records are missing.
    public var byteCount: Int64
    /// How many records are missing there by their numbers, with nothing unreadable in their place; 0 for a stretch of bytes.
    public var missingCount: Int

    /// Creates a stretch from its place and length.
    public init(offset: Int64, byteCount: Int64, missingCount: Int = 0) {
        self.offset = offset
        self.byteCount = byteCount
        self.missingCount = missingCount
    }
}

/// Why a journal cannot be read at all.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum JournalFormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another version of this program wrote it, in the format with this number.
    case unsupportedVersion(Int)

    /// The number of the only format that is read and written.
    public static var readableVersion: Int { Int(JournalCodec.version) }

    /// A few words for people.
    public var description: String {
        switch self {
        case .unsupportedVersion(let version):
            "has journal format \(version), but this waypost reads only format \(JournalFormatError.readableVersion)"
        }
    }
}
