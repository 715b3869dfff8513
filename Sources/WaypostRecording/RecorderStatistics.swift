/// What a recorder has done since it was made.
public struct RecorderStatistics: Sendable, Hashable {
    /// Fixes written to the journal, each of them once, in however many tracks it is (``TypeCount``); the other counts of fixes are of this kind, too.
    public var loggedCount: Int { logged.largest }
    /// Fixes without a time.
    public var untimedCount: Int { untimed.largest }
    /// Fixes that were not measured with satellites.
    public var notMeasuredCount: Int { notMeasured.largest }
    /// Fixes with the same time as the previous one.
    public var repeatedCount: Int { repeated.largest }
    /// Fixes that could not be written.
    public var failedCount: Int { failed.largest }
    /// Events written to the journal.
    public var eventCount = 0
    /// Tracks that were deleted as too old or too many.
    public var deletedTrackCount = 0
    /// Segments started.
    public var segmentCount: Int { segments.largest }
    /// Bytes written to journals.
    public var journalByteCount = 0
    /// Bytes written to GPX files, including those of recovered tracks.
    public var trackByteCount = 0
    /// How often a journal was synchronized with the disk.
    public var synchronizationCount = 0

    var logged = TypeCount()
    var failed = TypeCount()
    var segments = TypeCount()
    private var untimed = TypeCount()
    private var notMeasured = TypeCount()
    private var repeated = TypeCount()

    /// Creates statistics of zeros.
    public init() {}

    /// Counts a fix of these types that was left out.
    mutating func count(_ reason: TrackSegmenter.Reason, _ types: LogTypes) {
        switch reason {
        case .untimed: untimed.add(types)
        case .notMeasured: notMeasured.add(types)
        case .repeated: repeated.add(types)
        }
    }
}
