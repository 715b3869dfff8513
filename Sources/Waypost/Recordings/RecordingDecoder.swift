/// Turns the bytes of one format into what a recording holds: the one reader behind conversions, replays of fences and playback.
///
/// ```swift
/// struct Places: RecordingSink {
///     var positions: [Position] = []
///     mutating func add(_ position: Position) { positions.append(position) }
///     mutating func add(_ item: RecordingItem) {}
/// }
/// var places = Places()
/// var decoder = RecordingFormat.kml.makeDecoder()
/// while let bytes = next() { decoder.decode(bytes.span, into: &places) }
/// decoder.finish(into: &places)
/// for warning in decoder.warnings { tell(warning) }
/// ```
public protocol RecordingDecoder: Sendable {
    /// What was damaged, one line per kind; complete at the end.
    var warnings: [String] { get }
    /// Whether anything of the format was found.
    var hasContent: Bool { get }
    /// Why the input is not of the format at all, in half a sentence; nothing is decoded after it.
    var refusal: String? { get }
    /// Takes the next bytes, cut anywhere; gives what they complete.
    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink)
    /// Ends the input.
    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink)
}

extension RecordingDecoder {
    /// None: whatever there is, is read.
    public var refusal: String? { nil }
}

/// Takes what a recording holds.
///
/// Positions come by themselves: they are nearly everything, and as a part of something larger each would be copied several times.
public protocol RecordingSink: ~Copyable {
    /// Takes a fix.
    mutating func add(_ position: Position)
    /// Takes what is no fix of a receiver.
    mutating func add(_ item: RecordingItem)
}
