import Waypost

/// The byte format of an event in a journal.
///
/// ```
/// event   = 1 with a position, else 0:1  time:signed varint  id:string  name:string  kind:string  payload:string  position?
/// payload = a JSON object with the members of `TrackerEvent/Payload`, empty when there is none
/// ```
/// In a GPX file an event is a waypoint.
enum EventCodec {
    /// The largest event with its payload, in bytes; it leaves room for the rest of a record.
    static let maximumByteCount = 4_000
    /// The longest of each of its texts, in bytes; without a payload, all of them together fit.
    static let maximumTextByteCount = 1_024

    /// The event in a form that fits into a journal: without its payload if it is too long, its texts cut.
    static func fitted(_ event: TrackerEvent) -> TrackerEvent {
        var fitted = event
        fitted.id.cut(toByteCount: maximumTextByteCount)
        fitted.name.cut(toByteCount: maximumTextByteCount)
        fitted.kind.cut(toByteCount: maximumTextByteCount)
        var bytes: [UInt8] = []
        append(fitted, source: nil, to: &bytes)
        if bytes.count > maximumByteCount { fitted.payload = nil }
        return fitted
    }

    /// Appends an event that fits and has a time.
    static func append(_ event: TrackerEvent, source: String?, to bytes: inout [UInt8]) {
        guard let time = event.time else { preconditionFailure("an event in a journal has a time") }
        bytes.append(event.position == nil ? 0 : 1)
        bytes.append(signedVarint: time.millisecondsSince1970)
        for text in [event.id, event.name, event.kind] { bytes.append(journalString: text, longest: maximumTextByteCount) }
        var payload = TextBuffer(capacity: 256)
        if let known = event.payload { payload.appendJSON { json in json.object { known.write(to: &$0) } } }
        bytes.append(varint: UInt64(payload.count))
        bytes += payload.bytes
        if let position = event.position { PositionCodec.append(position, source: source, to: &bytes) }
    }

    /// Decodes an event; nil when the bytes are not one.
    static func decode(_ input: inout JournalInput, source: String?) -> TrackerEvent? {
        guard let hasPosition = input.byte(), let milliseconds = input.signedVarint(),
            let id = input.string(longest: maximumTextByteCount), let name = input.string(longest: maximumTextByteCount),
            let kind = input.string(longest: maximumTextByteCount),
            let count = input.varint(), count <= UInt64(maximumByteCount), let payload = input.bytes(Int(count))
        else { return nil }
        let time = UTCTime(millisecondsSince1970: milliseconds)
        guard time.hasFourDigitYear else { return nil }
        var event = TrackerEvent(id: id, kind: kind, name: name, time: time)
        // An unreadable payload counts as none.
        if count > 0 { event.payload = (try? JSONParser().parse(Array(payload))).flatMap(TrackerEvent.Payload.init) }  // See above.
        if hasPosition == 1 {
            guard let position = PositionCodec.decode(&input, source: source) else { return nil }
            event.position = position
        }
        return event
    }
}
