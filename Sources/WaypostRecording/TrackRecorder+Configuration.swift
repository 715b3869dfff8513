import Waypost

extension TrackRecorder {
    /// The recorder's settings.
    public struct Configuration: Sendable, Hashable {
        /// How long a fix may be in the system's cache only, and not on the disk.
        public var syncInterval: Duration = .seconds(10)
        /// Which positions are logged; with none, every position is ``TrackRecorder/Outcome/notWanted``.
        ///
        /// The GPX file of the first is `STEM.gpx`, those of the others are `STEM.TYPE.gpx`.
        public var types: [LogType] = [.raw]
        /// The journal size that ends a track, in bytes, approximately; 0 for no limit.
        public var rotateByteCount: Int64 = 16_000_000
        /// Which tracks are deleted.
        public var retention = RetentionRule()
        /// The program named in GPX files, `waypost VERSION`.
        public var creator = "waypost"
        /// A file outside of the log folder that keeps the largest number given: numbers do not come again when an older copy of the
        /// folder takes its place; nil for none.
        package var numbersPath: String?
        /// Whether the last run logged in another folder, which has what is missing here.
        package var wasElsewhere = false
        /// The logs of earlier runs in other folders: their numbers do not come again, although that file could not be written meanwhile.
        package var others: [LogFolder] = []

        /// Creates the default configuration.
        public init() {}
    }

    /// What happened to a fix.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Sendable, Hashable {
        /// The fix is in the journal, with this number. If it ended the previous track, ``TrackRecorder/recover()`` makes that track's file.
        case logged(sequence: UInt64, endedTrack: Bool = false)
        /// The fix was left out on purpose.
        case leftOut(TrackSegmenter.Reason)
        /// The fix's type is not logged, or its moment has just been erased.
        case notWanted
    }

    /// What happened to an event.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum EventOutcome: Sendable, Hashable {
        /// The event is in the journal, with this number, but not completely when it is longer than a journal's records.
        case logged(sequence: UInt64, isWhole: Bool)
        /// The event is not in the journal, because it has no time.
        case untimed
        /// The event is not in the journal, because the log is off, or because it is of a stretch that is being erased or was a moment ago.
        case notWanted
    }
}

/// What is currently wrong with the log.
public struct RecorderProblems: Sendable, Equatable {
    /// Something that fails and is retried.
    public struct Problem: Sendable, Equatable {
        /// The last failure.
        public var error: RecordingError
        /// When it began, in milliseconds of the monotonic clock.
        public var sinceMilliseconds: Int64
        /// How often it failed.
        public var count = 1
        /// How many fixes were lost because of it; events are not counted, because they can be logged later.
        public var lostPositionCount: Int { lost.largest }
        var lost = TypeCount()

        /// Creates a problem from its first failure.
        public init(error: RecordingError, sinceMilliseconds: Int64) {
            self.error = error
            self.sinceMilliseconds = sinceMilliseconds
        }

        func again(_ error: RecordingError) -> Problem {
            var problem = self
            problem.error = error
            problem.count += 1
            return problem
        }
    }

    /// Fixes cannot be written: logging is paused.
    public var writing: Problem?
    /// Written records cannot be synchronized with the disk: a power cut may lose them.
    public var synchronizing: Problem?
    /// When the log moved to another disk because its own was unmounted or replaced, in milliseconds of the monotonic clock.
    public var otherDiskSince: Int64?
    /// Tracks whose files could not be made; their journals are kept.
    public var finishing: [RecordingError] = []
    /// Why old tracks could not be deleted.
    public var retention: RecordingError?

    /// Creates a value without problems.
    public init() {}

    /// Whether anything is wrong.
    public var isEmpty: Bool { self == RecorderProblems() }
}
