/// Decodes NMEA 0183 into fixes and reports without one.
package struct NMEARecordingDecoder: RecordingDecoder {
    private var decoder: NMEADecoder
    private var events: [NMEAEvent] = []

    /// Creates a decoder at the start of a recording.
    ///
    /// - Parameter fixesRollover: whether dates before 2020 get 1024 weeks added.
    package init(fixesRollover: Bool = false) {
        var options = NMEADecoder.Options()
        options.correctsWeekRollover = fixesRollover
        decoder = NMEADecoder(options: options)
    }

    /// What was damaged, one line per kind.
    package var warnings: [String] { decoder.counters.summary }
    /// Whether there was a whole sentence.
    package var hasContent: Bool { decoder.counters.sentences > 0 }
    /// How many lines there were.
    package var lineCount: Int { decoder.counters.lines }

    /// Processes the next bytes.
    package mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        decoder.decode(bytes, into: &events)
        give(to: &sink)
    }

    /// Ends the recording: the last line needs no line end.
    package mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        decoder.finish(into: &events)
        give(to: &sink)
    }

    private mutating func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink) {
        // By index, because an iterator copies each event, which costs as much as decoding a sentence.
        for index in events.indices {
            guard case .epoch(let epoch) = events[index] else { continue }
            if let position = epoch.position { sink.add(position) } else { sink.add(.report(.noFix(NoFix(time: epoch.time)))) }
        }
        events.removeAll(keepingCapacity: true)
    }
}
