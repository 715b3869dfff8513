/// Decodes the bytes of one format into the contents of a recording; used by conversions, fence replays and playback.
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
    /// Why the input is not of this format at all, in half a sentence; nothing is decoded after it.
    var refusal: String? { get }
    /// Processes the next bytes, cut anywhere, and passes on what they complete.
    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink)
    /// Ends the input.
    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink)
}

extension RecordingDecoder {
    /// Always nil: this format never refuses its input.
    public var refusal: String? { nil }
}

/// Receives the contents of a recording.
///
/// Positions are passed on their own, and so are the parts of a GPX file: they make up nearly everything, and as part of a larger value each would
/// be copied several times.
public protocol RecordingSink: ~Copyable {
    /// Receives a fix.
    mutating func add(_ position: Position)
    /// Receives a part of a GPX file; without this it comes like anything else.
    mutating func add(_ item: GPXItem)
    /// Receives anything that is not a receiver's fix.
    mutating func add(_ item: RecordingItem)
}

extension RecordingSink where Self: ~Copyable {
    /// Receives a part of a GPX file as anything else.
    public mutating func add(_ item: GPXItem) { add(RecordingItem.item(item)) }
}
