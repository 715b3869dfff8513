/// Something that a stream of NMEA 0183 reports.
public enum NMEAEvent: Sendable, Equatable {
    /// One navigation epoch, with or without a fix.
    case epoch(NMEAEpoch)
    /// The satellites in view.
    case sky(SkyView)
}

/// Everything that a receiver reported about one moment, merged.
public struct NMEAEpoch: Sendable, Equatable {
    /// UTC time of day in milliseconds since midnight; receivers report it before they know the date.
    public var millisecondOfDay: Int?
    /// The moment, once the date is known.
    public var time: UTCTime?
    /// The fix; nil when the receiver reports that it has none.
    public var position: Position?
}

/// Turns bytes of NMEA 0183 into epochs: one epoch, one position.
///
/// A value with one mutating step: feed it bytes as they come, cut anywhere.
/// - Cost: some 2 000 instructions per sentence (x86-64, release; Tests/Benchmarks) and no allocation once its buffers have grown (except for
///   sky views).
public struct NMEADecoder: Sendable {
    /// Options beyond plain decoding.
    public struct Options: Sendable {
        /// Deliver ``NMEAEvent/sky(_:)`` events.
        public var deliversSky = false
        /// End an epoch at the sentence that has ended the last ones, without waiting for the next epoch to begin.
        ///
        /// This delivers a live receiver's positions a second earlier. Sentences that come later than that are left out of the epoch.
        public var endsEpochAtLearnedSentence = false
        /// Add 1024 weeks to dates before 2020-01-01, for live receivers whose week counter has rolled over.
        public var correctsWeekRollover = false

        /// Creates options for a recording read in one go: whole epochs, no sky, dates unchanged.
        public init() {}
    }

    private var framer = NMEAFramer()
    private var assembler: EpochAssembler

    /// Creates a decoder at the start of its input.
    public init(options: Options = Options()) {
        assembler = EpochAssembler(options: options)
    }

    /// What was damaged so far.
    public var counters: NMEACounters { framer.counters }

    /// Whether an epoch has begun but has not been delivered yet.
    public var isEpochOpen: Bool { assembler.isEpochOpen }

    /// How many sentences had the time and the place of an epoch that has been delivered already.
    package var lateSentenceCount: Int { assembler.lateSentenceCount }

    /// Processes the next bytes and appends the events that they complete.
    public mutating func decode(_ bytes: Span<UInt8>, into events: inout [NMEAEvent]) {
        swap(&assembler.events, &events)
        framer.consume(bytes, &assembler)
        swap(&assembler.events, &events)
    }

    /// Ends the current epoch because the receiver pauses; an incomplete line is kept.
    public mutating func endEpoch(into events: inout [NMEAEvent]) {
        swap(&assembler.events, &events)
        assembler.endEpoch()
        swap(&assembler.events, &events)
    }

    /// Ends the input: the last line needs no line end.
    public mutating func finish(into events: inout [NMEAEvent]) {
        swap(&assembler.events, &events)
        framer.finish(&assembler)
        assembler.endEpoch()
        swap(&assembler.events, &events)
    }
}
