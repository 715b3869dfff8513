/// Finds NMEA 0183 sentences in a stream of bytes that is cut anywhere.
///
/// A sentence is `$address,field,...*hh` and a line end. Leniencies: CR, LF or both end a line; a missing line end (the next `$` starts the
/// next sentence); text before the `$` and after the checksum; lower-case checksums; up to 1024 characters. A sentence without a checksum
/// counts only until a sentence has one: afterwards it is a truncated line. `#` lines are comments; `!` lines are AIS and are skipped, as
/// are NMEA 4's tag blocks (`\s:station*hh\` before the `$`).
/// - Cost: one pass over each line, no allocation once the carry has grown to the longest line.
struct NMEAFramer {
    /// Longer lines are damage; NMEA allows 82 characters, but receivers have been seen to send 200.
    static let longestLine = 1_024

    private(set) var counters = NMEACounters()
    private var carry: [UInt8] = []
    private var isSkippingLine = false
    /// Whether the last byte so far was a CR: an LF that follows belongs to it, even in the next chunk.
    private var endedWithCarriageReturn = false
    private var hasSeenChecksum = false
    private var fields = NMEAFields()

    /// Processes the next bytes and passes every sentence that they complete to the reader.
    mutating func consume(_ chunk: Span<UInt8>, _ reader: inout some NMEASentenceReader) {
        guard !chunk.isEmpty else { return }
        let followsCarriageReturn = endedWithCarriageReturn
        endedWithCarriageReturn = chunk[chunk.count - 1] == UInt8(ascii: "\r")
        var start = 0
        if !carry.isEmpty || isSkippingLine {
            let end = NMEAFramer.lineEnd(in: chunk, from: 0)
            extendCarry(chunk, 0..<end)
            guard end < chunk.count else { return }
            finishLine(&reader)
            start = end + 1
        }
        while start < chunk.count {
            if let end = readUsualLine(chunk, from: start, &reader) {
                start = end + 1
                if start < chunk.count, chunk[start] == UInt8(ascii: "\n"), chunk[end] == UInt8(ascii: "\r") { start += 1 }
                continue
            }
            let end = NMEAFramer.lineEnd(in: chunk, from: start)
            guard end < chunk.count else {
                extendCarry(chunk, start..<end)
                return
            }
            if end > start {
                counters.lines += 1
                readLine(chunk.extracting(start..<end), &reader)
            } else if !(chunk[end] == UInt8(ascii: "\n") && (end == 0 ? followsCarriageReturn : chunk[end - 1] == UInt8(ascii: "\r"))) {
                counters.lines += 1
            }
            start = end + 1
        }
    }

    /// Ends the input: a remainder without a line end is read as a line.
    mutating func finish(_ reader: inout some NMEASentenceReader) {
        if !carry.isEmpty || isSkippingLine { finishLine(&reader) }
    }

    private mutating func finishLine(_ reader: inout some NMEASentenceReader) {
        counters.lines += 1
        if isSkippingLine {
            counters.add(.overlong)
            isSkippingLine = false
            return
        }
        // Moved out of self while it is read, and back to keep its capacity.
        var line: [UInt8] = []
        swap(&line, &carry)
        readLine(line.span, &reader)
        line.removeAll(keepingCapacity: true)
        swap(&line, &carry)
    }

    private mutating func extendCarry(_ chunk: Span<UInt8>, _ range: Range<Int>) {
        guard !isSkippingLine else { return }
        guard carry.count + range.count <= NMEAFramer.longestLine else {
            isSkippingLine = true
            carry.removeAll(keepingCapacity: true)
            return
        }
        for offset in range { carry.append(chunk[offset]) }
    }

    @inline(__always)
    private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        // Eight bytes at a time while none of them is below 14, as LF and CR are; no byte of a sentence is.
        while offset + 8 <= bytes.count {
            let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if (word &- 0x0E0E_0E0E_0E0E_0E0E) & ~word & 0x8080_8080_8080_8080 != 0 { break }
            offset += 8
        }
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n"), bytes[offset] != UInt8(ascii: "\r") { offset += 1 }
        return offset
    }

    /// Reads the usual line - one sentence, its checksum, a line end - in one pass, without first looking for the line end.
    ///
    /// - Returns: where the line end is; nil when the line is different or incomplete, and then it is still unread.
    private mutating func readUsualLine(_ chunk: Span<UInt8>, from start: Int, _ reader: inout some NMEASentenceReader) -> Int? {
        guard chunk[start] == UInt8(ascii: "$") else { return nil }
        let bytes = chunk.extracting(start..<min(chunk.count, start + NMEAFramer.longestLine + 1))
        let (end, checksum) = fields.scan(bytes, from: 1)
        guard end + 3 < bytes.count, let stated = NMEAFramer.checksum(bytes, at: end),
            bytes[end + 3] == UInt8(ascii: "\r") || bytes[end + 3] == UInt8(ascii: "\n")
        else { return nil }
        counters.lines += 1
        deliver(bytes, isIntact: checksum == stated, &reader)
        return start + end + 3
    }

    /// Reads the sentences of one line, which are several when line ends were lost.
    private mutating func readLine(_ line: Span<UInt8>, _ reader: inout some NMEASentenceReader) {
        guard line.count <= NMEAFramer.longestLine else { return counters.add(.overlong) }
        var offset = 0
        switch line[0] {
        case UInt8(ascii: "$"): break
        case UInt8(ascii: "#"): return
        case UInt8(ascii: "!"), UInt8(ascii: "\\"): offset = NMEAFramer.nextSentence(in: line, from: 0)
        default:
            counters.add(.noise)
            offset = NMEAFramer.nextSentence(in: line, from: 0)
        }
        while offset < line.count { offset = readSentence(line, at: offset, &reader) }
    }

    /// Where the next `$` is, or the end of the line.
    private static func nextSentence(in line: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset < line.count, line[offset] != UInt8(ascii: "$") { offset += 1 }
        return offset
    }

    /// Reads the sentence whose `$` is at `dollar`; returns where the next one starts, or the end of the line.
    private mutating func readSentence(_ bytes: Span<UInt8>, at dollar: Int, _ reader: inout some NMEASentenceReader) -> Int {
        let (end, checksum) = fields.scan(bytes, from: dollar + 1)
        if let stated = NMEAFramer.checksum(bytes, at: end) {
            deliver(bytes, isIntact: checksum == stated, &reader)
            return NMEAFramer.nextSentence(in: bytes, from: end + 3)
        }
        if end == bytes.count, !hasSeenChecksum { deliver(bytes, &reader) } else { counters.add(.cut) }
        return NMEAFramer.nextSentence(in: bytes, from: end)
    }

    private mutating func deliver(_ bytes: Span<UInt8>, isIntact: Bool, _ reader: inout some NMEASentenceReader) {
        guard isIntact else { return counters.add(.badChecksum) }
        hasSeenChecksum = true
        deliver(bytes, &reader)
    }

    private mutating func deliver(_ bytes: Span<UInt8>, _ reader: inout some NMEASentenceReader) {
        let address = fields.range(0)
        guard let type = NMEASentenceType(address: address, in: bytes) else { return }
        let talker = UInt16(bytes[address.lowerBound]) << 8 | UInt16(bytes[address.lowerBound + 1])
        if !reader.read(type, talker: talker, &fields, in: bytes) {
            counters.add(.cut)
            return
        }
        counters.sentences += 1
        if fields.hasMalformed { counters.add(.unreadableValue) }
    }

    /// The checksum `*hh` whose `*` is at `offset`; nil when there is none.
    @inline(__always)
    private static func checksum(_ bytes: Span<UInt8>, at offset: Int) -> UInt8? {
        guard offset + 2 < bytes.count, bytes[offset] == UInt8(ascii: "*"), let high = hexadecimal(bytes[offset + 1]),
            let low = hexadecimal(bytes[offset + 2])
        else { return nil }
        return high << 4 | low
    }

    @inline(__always)
    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// Receives the sentences that a framer finds.
protocol NMEASentenceReader {
    /// Reads a sentence of a known type; false when it is too short for its type.
    mutating func read(_ type: NMEASentenceType, talker: UInt16, _ fields: inout NMEAFields, in bytes: Span<UInt8>) -> Bool
}
