/// Cuts what a client of the gpsd protocol sends into requests, wherever its writes begin and end.
///
/// ```
/// ?WATCH={"enable":true,"json":true};   ends at the closing brace: gps3 sends no `;` and no line feed, and waits for the answer
/// ?POLL;                                ends at `;` or at the end of the line
/// ```
/// - Leniencies: several requests in a row; blanks, `;` and line ends between them; a request in several writes, which gpsd itself refuses.
/// - A line that does not begin with `?` is ignored, as gpsd does; so is what follows a request that is too long, to the end of the line.
/// - Cost: holds at most ``limit`` bytes of an unfinished request, and what a write has brought besides.
struct GPSDRequestReader: Sendable {
    /// A request.
    struct Request: Equatable {
        /// The word after `?`.
        var name: String
        /// What follows `=`: an object, braces included; nil when nothing does.
        var argument: [UInt8]?
    }

    /// What was read.
    enum Item: Equatable {
        case request(Request)
        /// Something that is no request, as it was sent, or its beginning.
        case unreadable([UInt8])
        /// A request of more than ``limit`` bytes.
        case tooLong
    }

    /// The longest request, bytes; gpsd's own limit is a tenth of it.
    static let limit = 4_096
    /// How much of something unreadable is kept.
    private static let keptByteCount = 80

    private var waiting: [UInt8] = []
    /// Whether everything is dropped up to the end of the line.
    private var isSkipping = false

    /// Adds what has come; a write that begins with `?` begins a request, whatever was before it.
    mutating func append(_ bytes: Span<UInt8>) {
        if isSkipping, !bytes.isEmpty, bytes[0] == UInt8(ascii: "?") { isSkipping = false }
        waiting.reserveCapacity(waiting.count + bytes.count)
        for index in bytes.indices { waiting.append(bytes[index]) }
    }

    /// The next whole request; nil until more has come.
    mutating func next() -> Item? {
        skip()
        guard !waiting.isEmpty else { return nil }
        var end = 1
        while end < waiting.count, isOfName(waiting[end]) { end += 1 }
        guard end < waiting.count else { return unfinished() }
        let name = String(decoding: waiting[1..<end], as: UTF8.self)
        switch waiting[end] {
        case UInt8(ascii: ";"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
            waiting.removeFirst(end + 1)
            return .request(Request(name: name))
        case UInt8(ascii: "="):
            var start = end + 1
            while start < waiting.count, waiting[start] == UInt8(ascii: " ") { start += 1 }
            guard start < waiting.count else { return unfinished() }
            guard waiting[start] == UInt8(ascii: "{") else { return unreadable() }
            guard let close = closingBrace(from: start) else { return unfinished() }
            defer { waiting.removeFirst(close + 1) }
            return .request(Request(name: name, argument: Array(waiting[start...close])))
        default: return unreadable()
        }
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Drops what comes before a request.
    private mutating func skip() {
        var index = 0
        while index < waiting.count {
            switch waiting[index] {
            case UInt8(ascii: "\n"): isSkipping = false
            case _ where isSkipping: break
            case UInt8(ascii: "?"):
                waiting.removeFirst(index)
                return
            case UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: ";"), 0: break
            default: isSkipping = true
            }
            index += 1
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// The place of the brace that closes the one at `start`; nil while it has not come.
    private func closingBrace(from start: Int) -> Int? {
        var (depth, isInText, isEscaped) = (0, false, false)
        for index in start..<waiting.count {
            let byte = waiting[index]
            if isEscaped {
                isEscaped = false
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
                isInText = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isInText = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// What is not finished waits, unless it is too long to be a request.
    private mutating func unfinished() -> Item? {
        guard waiting.count > GPSDRequestReader.limit else { return nil }
        isSkipping = true
        skip()
        return .tooLong
    }

    /// Something that is no request ends at `;` or at the end of the line.
    private mutating func unreadable() -> Item? {
        guard let end = waiting.firstIndex(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\n") }) else { return unfinished() }
        defer { waiting.removeFirst(end + 1) }
        return .unreadable(Array(waiting[...end].prefix(GPSDRequestReader.keptByteCount)))
    }
}
