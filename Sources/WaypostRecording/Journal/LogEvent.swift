import Waypost

/// Something that happened at a moment: a border crossed, a button pressed.
///
/// In a GPX file it is a waypoint.
public struct LogEvent: Sendable, Hashable {
    /// What names it for ever.
    public var id: String
    /// When it happened.
    public var time: UTCTime
    /// What it is called: the fence's name, the application's own word.
    public var name: String
    /// What kind it is: `enter`, `exit`, `track`.
    public var kind: String
    /// Where it happened; one without a place is in the journal only.
    public var position: Position?
    /// Everything else, as a JSON object of at most ``maximumDetailByteCount`` bytes; empty when there is nothing.
    public var detail: [UInt8]

    /// The longest detail.
    public static let maximumDetailByteCount = 1_536

    /// An event; texts are cut to 512 bytes in the journal.
    public init(id: String, time: UTCTime, name: String, kind: String, position: Position? = nil, detail: [UInt8] = []) {
        self.id = id
        self.time = time
        self.name = name
        self.kind = kind
        self.position = position
        self.detail = detail
    }
}

/// The bytes of an event in a journal.
///
/// ```
/// event = 1 with a position, else 0:1  time:signed varint  id:string  name:string  kind:string  detail:string  position?
/// ```
enum EventCodec {
    static func append(_ event: LogEvent, source: String?, to bytes: inout [UInt8]) {
        bytes.append(event.position == nil ? 0 : 1)
        bytes.append(signedVarint: event.time.millisecondsSince1970)
        for text in [event.id, event.name, event.kind] { bytes.append(journalString: text) }
        bytes.append(varint: UInt64(event.detail.count))
        bytes += event.detail
        if let position = event.position { PositionCodec.append(position, source: source, to: &bytes) }
    }

    /// Nil when the bytes are not an event.
    static func decode(_ input: inout JournalInput, source: String?) -> LogEvent? {
        guard let hasPosition = input.byte(), let milliseconds = input.signedVarint(), let id = input.string(), let name = input.string(),
            let kind = input.string(), let count = input.varint(), count <= UInt64(LogEvent.maximumDetailByteCount),
            let detail = input.bytes(Int(count))
        else { return nil }
        let time = UTCTime(millisecondsSince1970: milliseconds)
        guard time.hasFourDigitYear else { return nil }
        var event = LogEvent(id: id, time: time, name: name, kind: kind, detail: Array(detail))
        if hasPosition == 1 {
            guard let position = PositionCodec.decode(&input, source: source) else { return nil }
            event.position = position
        }
        return event
    }
}
