/// Counts what the bytes of a serial line look like: the evidence for or against a speed.
///
/// - Cost: a few instructions per byte; no allocation.
struct LineSpotter {
    /// Sentences with the right checksum, AIS (`!`) included: almost never by chance.
    private(set) var sentenceCount = 0
    /// Lines that look like a sentence of a receiver that sends no checksums.
    private(set) var uncheckedCount = 0
    /// Frames of u-blox's binary protocol with the right checksum.
    private(set) var frameCount = 0
    /// Text bytes: those that make up nearly all of receivers' sentences.
    ///
    /// Not all of ASCII: at half its speed, ASCII looks like other ASCII.
    private(set) var textCount = 0
    /// Bytes that are neither such text nor part of a whole UBX frame: what a line at another speed looks like.
    private(set) var noiseCount = 0
    /// The longest run of text without any other byte.
    private(set) var textRun = 0
    /// The run of text that is still going on.
    private(set) var endingRun = 0

    private enum Sentence {
        case outside
        case body(checksum: UInt8, count: Int, commas: Int)
        case checksum(UInt8, high: UInt8?)
    }

    /// ```
    /// B5 62 | class | id | length (2, little endian) | payload | A | B      A, B: Fletcher's checksum from class to payload
    /// ```
    private struct Frame {
        var count = 0
        var length = 0
        var first: UInt8 = 0
        var second: UInt8 = 0
    }

    private var sentence = Sentence.outside
    private var frame = Frame()

    /// Longer frames do not count: the longest unrequested frames of receivers have a few hundred bytes.
    private static let longestPayload = 4_096
    private static let longestSentence = 1_024

    /// Processes the next byte.
    mutating func process(_ byte: UInt8) {
        if frame.count > 0 || byte == 0xb5 {
            if processFrame(byte) { return }
        }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "$"), UInt8(ascii: "!"),
            UInt8(ascii: "*")...UInt8(ascii: "."), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
            textCount += 1
            endingRun += 1
            textRun = max(textRun, endingRun)
            processText(byte)
        case 0x20...0x7e:
            noteNoise()
            processText(byte)
        default:
            noteNoise()
            sentence = .outside
        }
    }

    private mutating func noteNoise() {
        noiseCount += 1
        endingRun = 0
    }

    // MARK: NMEA

    private mutating func processText(_ byte: UInt8) {
        switch (byte, sentence) {
        case (UInt8(ascii: "$"), _), (UInt8(ascii: "!"), .outside):
            sentence = .body(checksum: 0, count: 0, commas: 0)
        case (_, .outside): break
        case (UInt8(ascii: "\r"), .body(_, let count, let commas)), (UInt8(ascii: "\n"), .body(_, let count, let commas)):
            // An address of five letters, followed by fields.
            if count > 6, commas > 1 { uncheckedCount += 1 }
            sentence = .outside
        case (UInt8(ascii: "*"), .body(let checksum, let count, let commas)):
            sentence = count > 4 && commas > 0 ? .checksum(checksum, high: nil) : .outside
        case (_, .body(let checksum, let count, let commas)):
            let isComma = byte == UInt8(ascii: ",")
            sentence =
                count < LineSpotter.longestSentence
                ? .body(checksum: checksum ^ byte, count: count + 1, commas: commas + (isComma ? 1 : 0)) : .outside
        case (_, .checksum(let checksum, let high)):
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) else { return sentence = .outside }
            guard let high else { return sentence = .checksum(checksum, high: digit) }
            if high << 4 | digit == checksum { sentenceCount += 1 }
            sentence = .outside
        }
    }

    // MARK: UBX

    /// Whether the byte belongs to a possible frame; the bytes of a frame that proves wrong are noise.
    private mutating func processFrame(_ byte: UInt8) -> Bool {
        let position = frame.count
        frame.count += 1
        switch position {
        case 0: return true
        case 1:
            if byte == 0x62 { return true }
        case 2..<(6 + frame.length):
            if position == 4 { frame.length = Int(byte) }
            if position == 5 { frame.length |= Int(byte) << 8 }
            frame.first &+= byte
            frame.second &+= frame.first
            if frame.length <= LineSpotter.longestPayload { return true }
        case 6 + frame.length:
            if byte == frame.first { return true }
        default:
            if byte == frame.second {
                frameCount += 1
                frame = Frame()
                return true
            }
        }
        // The byte itself is processed again.
        noiseCount += position
        frame = Frame()
        return false
    }
}
