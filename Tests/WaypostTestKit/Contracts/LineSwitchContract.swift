import Waypost
import WaypostPositioning

/// The contract for sorting a program's output into NMEA and JSON, whatever the program prints.
public enum LineSwitchContract {
    /// The ways in which it breaks its contract on that input; the seed decides where the input is cut.
    ///
    /// - The same input cut elsewhere gives the same lines.
    /// - A line of JSON begins with `{`, holds no line end, and is no longer than the limit.
    /// - Nothing is lost, doubled or moved, except for blanks before a line, and lines that are too long.
    public static func violations(sorting input: [UInt8], seed: UInt64) -> [Violation] {
        var generator = SeededGenerator(seed: seed)
        let whole = sort(input) { input.count }
        var violations: [Violation] = []
        for (cut, other) in [("in pieces", sort(input) { .random(in: 1...97, using: &generator) }), ("byte by byte", sort(input) { 1 })]
        where other != whole {
            violations.append(Violation("other lines when fed \(cut)"))
        }
        for case .json(let line) in whole {
            if line.first != UInt8(ascii: "{") { violations.append(Violation("a line of JSON begins otherwise: \(line)")) }
            if line.contains(where: isLineEnd) { violations.append(Violation("a line of JSON holds a line end: \(line)")) }
            if line.count > LineSwitch.longestLine { violations.append(Violation("a line of JSON has \(line.count) bytes")) }
        }
        if !whole.contains(.overlongJSON), significant(text(of: whole)) != significant(whatIsComplete(input)) {
            violations.append(Violation("other bytes come out than go in"))
        }
        return violations
    }

    private enum Piece: Equatable {
        case nmea([UInt8])
        case json([UInt8])
        case overlongJSON
    }

    /// The pieces, with consecutive NMEA pieces joined.
    private static func sort(_ input: [UInt8], pieceLength: () -> Int) -> [Piece] {
        var lines = LineSwitch()
        var pieces: [Piece] = []
        var start = 0
        while start < input.count {
            let end = min(input.count, start + pieceLength())
            lines.process(input.span.extracting(start..<end)) { language, span in
                var bytes: [UInt8] = []
                for offset in 0..<span.count { bytes.append(span[offset]) }
                switch language {
                case .nmea:
                    if case .nmea(let before) = pieces.last {
                        bytes = before + bytes
                        pieces.removeLast()
                    }
                    pieces.append(.nmea(bytes))
                case .json: pieces.append(.json(bytes))
                case .overlongJSON: pieces.append(.overlongJSON)
                }
            }
            start = end
        }
        return pieces
    }

    private static func text(of pieces: [Piece]) -> [UInt8] {
        pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .nmea(let bytes), .json(let bytes): bytes
            case .overlongJSON: []
            }
        }
    }

    /// The input without an unfinished last line of JSON.
    private static func whatIsComplete(_ input: [UInt8]) -> [UInt8] {
        let start = input.lastIndex(where: isLineEnd).map { $0 + 1 } ?? 0
        let line = input[start...].drop(while: isBlank)
        return line.first == UInt8(ascii: "{") ? Array(input[..<start]) : input
    }

    /// Everything but line ends and blanks.
    private static func significant(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { !isLineEnd($0) && !isBlank($0) } }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
