import Waypost

/// One event of a stream, as a browser's EventSource reads it.
///
/// ```
/// id: 7f3a-17
/// event: position
/// data: {"class":"TPV",...}
///
/// ```
/// - Source: the HTML standard, section 9.2 (server-sent events).
struct ServerSentEvent: Sendable, Equatable {
    /// Its name.
    var name: StaticString
    /// The number after which a browser that was away continues; nil for what is not repeated.
    var number: UInt64?
    /// JSON in one line.
    var data: [UInt8]

    /// Its lines.
    ///
    /// - Parameter run: the tracker's run, to which the number belongs.
    func bytes(run: String) -> [UInt8] {
        var text = TextBuffer(capacity: data.count + 64)
        if let number {
            text.append("id: ")
            text.append(string: "\(run)-\(number)")
            text.append(byte: UInt8(ascii: "\n"))
        }
        text.append("event: ")
        text.append(name)
        text.append("\ndata: ")
        // A line feed would end the data; in JSON none is needed.
        text.append(contentsOf: data.lazy.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
        text.append("\n\n")
        return text.bytes
    }

    static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
        "\(left.name)" == "\(right.name)" && left.number == right.number && left.data == right.data
    }

    /// The number in a `Last-Event-ID`; nil when it belongs to another run of the tracker.
    static func number(inID id: String, run: String) -> UInt64? {
        guard let dash = id.lastIndex(of: "-"), id[..<dash] == run else { return nil }
        return UInt64(id[id.index(after: dash)...])
    }
}
