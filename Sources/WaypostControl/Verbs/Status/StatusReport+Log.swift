import Waypost

extension StatusReport {
    /// The log's figures for this run, and its writes to the disk.
    public struct Log: ControlObject {
        /// The folder of the tracks.
        public var directory = ""
        /// Whether logging is switched off in the configuration.
        public var isOff = false
        /// Whether positions can be written; false while logging is paused.
        public var isRecording = true
        /// How many seconds logging has been paused.
        public var pausedSeconds: Int?
        /// How many positions were lost during the pause.
        public var lostWhilePausedCount: Int?
        /// How many events wait for the log.
        public var waitingEventCount: Int?
        /// Whether written data survives a power cut.
        public var isDurable = true
        /// How many tracks have no GPX file yet.
        public var unfinishedTrackCount = 0
        /// How many positions were logged.
        public var positionCount = 0
        /// How many events were logged.
        public var eventCount = 0
        /// How many segments there are.
        public var segmentCount = 0
        /// How many positions were left out because they had no time.
        public var untimedCount = 0
        /// How many positions were left out because they were not measured.
        public var notMeasuredCount = 0
        /// How many positions were left out because they had been logged before.
        public var repeatedCount = 0
        /// How many positions could not be written.
        public var failedCount = 0
        /// How many old tracks were deleted.
        public var deletedTrackCount = 0
        /// How many bytes were written to the journal.
        public var byteCount = 0
        /// How often the journal was synchronised with the disk.
        public var synchronizationCount = 0
        /// The writes of the whole process.
        public var writes = Writes()
        /// How many positions were left out to thin the log.
        public var thinnedCount = 0

        /// A log with no values set.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("directory", &directory, "The folder of the tracks.")
            try codec.member("off", &isOff, absent: false, "Whether logging is switched off in the configuration.")
            try codec.member("recording", &isRecording, "Whether positions can be written; false while logging is paused.")
            try codec.member("paused_seconds", &pausedSeconds, "How many seconds logging has been paused.")
            try codec.member("lost_while_paused", &lostWhilePausedCount, "How many positions were lost during the pause.")
            try codec.member("events_waiting", &waitingEventCount, "How many events wait for the log.")
            try codec.member("durable", &isDurable, "Whether written data survives a power cut.")
            try codec.member("unfinished_tracks", &unfinishedTrackCount, "How many tracks have no GPX file yet.")
            try codec.member(
                "positions", &positionCount,
                "How many positions were logged in this run; one that is in the tracks of several types counts once.")
            try codec.member("events", &eventCount, "How many events were logged.")
            try codec.member("segments", &segmentCount, "How many segments there are.")
            try codec.member("untimed", &untimedCount, "How many positions were left out because they had no time.")
            try codec.member("not_measured", &notMeasuredCount, "How many positions were left out because they were not measured.")
            try codec.member("repeated", &repeatedCount, "How many positions were left out because they had been logged before.")
            try codec.member("failed", &failedCount, "How many positions could not be written.")
            try codec.member("deleted_tracks", &deletedTrackCount, "How many old tracks were deleted.")
            try codec.member("bytes", &byteCount, "How many bytes were written to the journal.")
            try codec.member("fsyncs", &synchronizationCount, "How often the journal was synchronised with the disk.")
            try codec.member("writes", &writes, "The writes of the whole process.")
            try codec.member("thinned", &thinnedCount, "How many positions were left out to thin the log.")
        }
    }

    /// The writes of the whole process.
    public struct Writes: ControlObject {
        /// How often files were synchronised with the disk.
        public var synchronizationCount = 0
        /// How many bytes went to the journal.
        public var journalByteCount = 0
        /// How many bytes went to GPX files.
        public var trackByteCount = 0
        /// How many bytes went to other files.
        public var otherByteCount = 0
        /// How often files are synchronised per day; nil in the first hour.
        public var synchronizationsPerDay: Int?
        /// How many bytes are written per day; nil in the first hour.
        public var bytesPerDay: Int?

        /// No writes.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.member("fsyncs", &synchronizationCount, "How often files were synchronised with the disk.")
            try codec.member("journal_bytes", &journalByteCount, "How many bytes went to the journal.")
            try codec.member("gpx_bytes", &trackByteCount, "How many bytes went to GPX files.")
            try codec.member("other_bytes", &otherByteCount, "How many bytes went to other files.")
            try codec.member(
                "fsyncs_per_day", &synchronizationsPerDay, "How often files are synchronised per day; absent in the first hour.")
            try codec.member("bytes_per_day", &bytesPerDay, "How many bytes are written per day; absent in the first hour.")
        }
    }
}
