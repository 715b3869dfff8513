import Waypost

extension TrackRecorder {
    /// What can be set.
    public struct Configuration: Sendable, Hashable {
        /// How long a fix may be only in the system's cache, and not on the disk.
        public var syncInterval: Duration = .seconds(10)
        /// Which positions are logged, at least one type.
        ///
        /// The GPX file of the first is `STEM.gpx`, those of the others are `STEM.TYPE.gpx`.
        public var types: [LogType] = [.raw]
        /// A journal of about that many bytes ends its track; 0 for any.
        public var rotateByteCount: Int64 = 16_000_000
        /// Which tracks are deleted.
        public var retention = RetentionRule()
        /// The program named in GPX files, `waypost VERSION`.
        public var creator = "waypost"

        /// The defaults.
        public init() {}
    }

    /// What became of a fix.
    public enum Outcome: Sendable, Hashable {
        /// It is in the journal, under that number. Whether it ended the track before: then ``TrackRecorder/recover()`` makes that one's file.
        case logged(sequence: UInt64, endedTrack: Bool = false)
        /// It was left out on purpose.
        case leftOut(TrackSegmenter.Reason)
        /// Its type is not logged.
        case notWanted
    }

    /// What became of an event.
    public enum EventOutcome: Sendable, Hashable {
        /// It is in the journal, under that number; not the whole of it when it is longer than a journal's records.
        case logged(sequence: UInt64, isWhole: Bool)
        /// It is not: it has no time.
        case untimed
    }
}

/// What is wrong with the log now.
public struct RecorderProblems: Sendable, Equatable {
    /// Something that fails, and is tried again.
    public struct Problem: Sendable, Equatable {
        /// The last failure.
        public var error: RecordingError
        /// When it began, milliseconds of the monotonic clock.
        public var sinceMilliseconds: Int64
        /// How often it failed.
        public var count = 1
        /// How many fixes are lost by it; events are not counted, as they can be logged later.
        public var lostPositionCount = 0

        /// A first failure.
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
    /// What was written cannot be synchronised with the disk: a power cut may lose it.
    public var synchronizing: Problem?
    /// Since when the log is on another disk than at the start, as its own was unmounted or replaced; milliseconds of the monotonic clock.
    public var otherDiskSince: Int64?
    /// Tracks whose files could not be made; their journals are kept.
    public var finishing: [RecordingError] = []
    /// Why old tracks could not be deleted.
    public var retention: RecordingError?

    /// No problems.
    public init() {}

    /// Whether anything is wrong.
    public var isEmpty: Bool { self == RecorderProblems() }
}
