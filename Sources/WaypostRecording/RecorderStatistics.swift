/// What a recorder has done since it was made.
public struct RecorderStatistics: Sendable, Hashable {
    /// Fixes written to the journal.
    public var loggedCount = 0
    /// Fixes without a time.
    public var untimedCount = 0
    /// Fixes that were not measured with satellites.
    public var notMeasuredCount = 0
    /// Fixes with the same time as the previous one.
    public var repeatedCount = 0
    /// Fixes that could not be written.
    public var failedCount = 0
    /// Events written to the journal.
    public var eventCount = 0
    /// Tracks that were deleted as too old or too many.
    public var deletedTrackCount = 0
    /// Segments started.
    public var segmentCount = 0
    /// Bytes written to journals.
    public var journalByteCount = 0
    /// Bytes written to GPX files, including those of recovered tracks.
    public var trackByteCount = 0
    /// How often a journal was synchronized with the disk.
    public var synchronizationCount = 0

    /// Creates statistics of zeros.
    public init() {}

    mutating func count(_ reason: TrackSegmenter.Reason) {
        switch reason {
        case .untimed: untimedCount += 1
        case .notMeasured: notMeasuredCount += 1
        case .repeated: repeatedCount += 1
        }
    }
}
