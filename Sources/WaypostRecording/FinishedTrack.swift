import Waypost

/// A track whose journal is complete, and its GPX file.
public struct FinishedTrack: Sendable, Equatable {
    /// The name of its files, without folder and ending.
    public var stem: String
    /// The GPX file; nil when the journal held no fix, and no file was made.
    public var trackPath: String?
    /// The GPX files of further log types.
    public var otherTrackPaths: [String] = []
    /// The journal it was made from.
    public var journalPath: String
    /// How many fixes it holds.
    public var positionCount = 0
    /// How many segments the fixes form.
    public var segmentCount = 0
    /// How many events the journal holds.
    public var eventCount = 0
    /// Whether its first segment continues the last one of the previous track.
    public var continuesPrevious = false
    /// The time of the first fix.
    public var firstTime: UTCTime?
    /// The time of the last fix.
    public var lastTime: UTCTime?
    /// The sequence number of the last record.
    public var lastSequence: UInt64?
    /// The first stretches of the journal that could not be read, or are missing.
    public var damage: [JournalDamage] = []
    /// How many stretches of the journal could not be read, or are missing.
    public var damageCount = 0
    /// How many bytes of the journal could not be read.
    public var damagedByteCount: Int64 = 0
    /// How many bytes of the journal are content.
    var contentByteCount: Int64 = 0
    /// How many bytes of GPX were written; 0 when the file existed already.
    public var writtenByteCount = 0
}

extension FinishedTrack {
    init(stem: String, journalPath: String) {
        self.stem = stem
        self.journalPath = journalPath
    }

    /// What its journal lacks, for people; nil for nothing.
    package var damageWords: String? {
        if damageCount == 0 { return nil }
        let places = counted(damageCount, "place")
        return damagedByteCount > 0
            ? "\(counted(damagedByteCount, "byte")) in \(places) could not be read" : "records are missing in \(places)"
    }

    /// Counts a fix that goes into the file.
    mutating func count(_ position: Position, beginsSegment: Bool) {
        positionCount += 1
        if beginsSegment { segmentCount += 1 }
        if firstTime == nil { firstTime = position.time }
        lastTime = position.time
    }
}
