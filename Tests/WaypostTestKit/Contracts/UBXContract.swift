import Waypost

/// The contract of a `UBXFramer`, whatever it is fed, and of the code that reads settings from its frames.
public enum UBXContract {
    /// The ways in which the framer breaks its contract on that input; the seed decides where the input is cut.
    ///
    /// - The same input cut elsewhere gives the same frames.
    /// - Each frame, written again, is a piece of the input, and these pieces come in order and do not overlap.
    /// - Whatever comes before it, a following frame is found, unless what comes before may still be a frame that contains it.
    public static func violations(reading input: [UInt8], seed: UInt64) -> [Violation] {
        var generator = SeededGenerator(seed: seed)
        let whole = frames(of: input) { input.count }
        var violations: [Violation] = []
        for (name, other) in [
            ("in pieces", frames(of: input) { .random(in: 1...37, using: &generator) }), ("byte by byte", frames(of: input) { 1 }),
        ]
        where other != whole {
            violations.append(Violation("other frames when fed \(name): \(other.count), whole \(whole.count)"))
        }
        var rest = input[...]
        for frame in whole {
            guard let start = firstIndex(of: frame.bytes, in: rest) else {
                violations.append(Violation("\(frame.kind) of \(frame.payload.count) bytes is not in the input"))
                break
            }
            rest = rest[(start + frame.bytes.count)...]
            _ = (UBXSettings.protocolVersion(in: frame), UBXSettings.modelName(in: frame), UBXSettings.values(in: frame))
        }
        // Longer than any frame: a frame that was open before it is decided.
        let silence = [UInt8](repeating: 0, count: UBXFrame.longestPayload + 8)
        let last = UBXFrame(.init(0x05, 0x01), [0x06, 0x8a])
        if frames(of: input + silence + last.bytes, cut: { 4_096 }).last != last {
            violations.append(Violation("a frame behind it is not found"))
        }
        return violations
    }

    private static func frames(of input: [UInt8], cut pieceLength: () -> Int) -> [UBXFrame] {
        var framer = UBXFramer()
        var frames: [UBXFrame] = []
        var start = 0
        while start < input.count {
            let end = min(input.count, start + pieceLength())
            framer.process(input.span.extracting(start..<end), into: &frames)
            start = end
        }
        return frames
    }

    private static func firstIndex(of piece: [UInt8], in input: ArraySlice<UInt8>) -> Int? {
        guard input.count >= piece.count else { return nil }
        return (input.startIndex...(input.endIndex - piece.count)).first { input[$0..<($0 + piece.count)].elementsEqual(piece) }
    }
}
