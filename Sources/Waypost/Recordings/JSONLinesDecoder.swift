/// Decodes lines of JSON in gpsd's format, the reports of ``TPVCodec``, into fixes, sky views and track points.
package struct JSONLinesDecoder: RecordingDecoder {
    /// The longest line, in bytes; longer lines are damage (those of gpsd have up to 20 KiB).
    package static let longestLine = 1 << 20

    /// Whether a line contained a position, a report without one, or a sky view.
    package private(set) var hasContent = false
    private var line = 0
    private var carry: [UInt8] = []
    private var isSkippingLine = false
    private var failures: (count: Int, first: String)?
    private var skies = SkyFigures()
    /// The segment that the last break has begun; nil before the first.
    private var segment: Int?
    private var hasFix = false

    /// Creates a decoder at the start of a recording.
    package init() {}

    /// What was damaged, one line.
    package var warnings: [String] {
        failures.map { ["lines that cannot be read: \($0.count), first \($0.first)"] } ?? []
    }

    /// Processes the next bytes and passes on what they complete.
    package mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        var start = 0
        for offset in 0..<bytes.count where bytes[offset] == UInt8(ascii: "\n") {
            line += 1
            if isSkippingLine {
                isSkippingLine = false
                failTooLong()
            } else if carry.isEmpty {
                read(bytes.extracting(start..<offset), into: &sink)
            } else {
                extendCarry(bytes, start..<offset)
                finishCarry(into: &sink)
            }
            start = offset + 1
        }
        extendCarry(bytes, start..<bytes.count)
    }

    /// Ends the input: the last line needs no line end.
    package mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        if isSkippingLine || !carry.isEmpty {
            line += 1
            if isSkippingLine { failTooLong() } else { finishCarry(into: &sink) }
        }
        skies.finish { JSONLinesDecoder.give($0, to: &sink) }
    }

    private mutating func extendCarry(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard !isSkippingLine else { return }
        if carry.count + range.count > JSONLinesDecoder.longestLine {
            isSkippingLine = true
            carry = []
        } else {
            for offset in range { carry.append(bytes[offset]) }
        }
    }

    private mutating func finishCarry<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        var bytes: [UInt8] = []
        swap(&bytes, &carry)
        if !bytes.isEmpty { read(bytes.span, into: &sink) }
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &carry)
    }

    private mutating func read<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        guard !JSONLinesDecoder.isBlank(bytes) else { return }
        do throws(TPVError) {
            var place = RecordedPlace()
            guard let item = try TPVCodec.decodeItem(bytes, line: line, &place) else { return }
            hasContent = true
            skies.add(segmented(item, place)) { JSONLinesDecoder.give($0, to: &sink) }
        } catch {
            fail(error.description)
        }
    }

    /// A fix of an exported log is a point of the segment that the last break has begun.
    private mutating func segmented(_ item: RecordingItem, _ place: RecordedPlace) -> RecordingItem {
        guard case .report(.position(let position)) = item else { return item }
        defer { hasFix = true }
        if place.isAfterBreak { segment = hasFix ? (segment ?? 0) + 1 : 0 }
        return segment.map { .item(.trackPoint(GPXPoint(position, name: place.name, description: place.description), segment: $0)) } ?? item
    }

    private static func give<Sink: RecordingSink & ~Copyable>(_ item: RecordingItem, to sink: inout Sink) {
        if case .report(.position(let position)) = item { sink.add(position) } else { sink.add(item) }
    }

    private mutating func failTooLong() {
        fail("line \(line): longer than \(JSONLinesDecoder.longestLine) bytes")
    }

    private mutating func fail(_ words: String) {
        failures = (count: (failures?.count ?? 0) + 1, first: failures?.first ?? words)
    }

    private static func isBlank(_ bytes: Span<UInt8>) -> Bool {
        for offset in 0..<bytes.count where bytes[offset] > UInt8(ascii: " ") { return false }
        return true
    }
}
