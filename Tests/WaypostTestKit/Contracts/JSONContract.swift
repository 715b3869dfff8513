import Waypost

/// The contract of the JSON reader and writer and of TPV lines, whatever they are fed.
public enum JSONContract {
    /// The ways in which reading those bytes breaks the contract.
    ///
    /// - A value that was read, written and read again is written the same way again.
    /// - A fix that was read keeps its ranges; written, read and written again it gives the same line.
    public static func violations(parsing input: [UInt8]) -> [Violation] {
        var violations: [Violation] = []
        if let value = try? JSONParser().parse(input) {
            let text = written(value)
            // Not the values: 45.0 is written as 45, which reads as an integer.
            let again = try? JSONParser().parse(text.bytes)
            if again.map({ written($0).bytes }) != text.bytes {
                violations.append(Violation("read otherwise than written: \(text.string)"))
            }
        }
        if case .position(let position) = try? TPVCodec.decode(input) {
            if position.courseDegrees.map({ !(0..<360).contains($0) }) ?? false { violations.append(Violation("course of \(position)")) }
            if position.speedMetresPerSecond.map({ !($0.isFinite && $0 >= 0) }) ?? false {
                violations.append(Violation("speed of \(position)"))
            }
            if position.accuracy.map({ !($0.radiusMetres.isFinite && $0.radiusMetres >= 0) }) ?? false {
                violations.append(Violation("accuracy of \(position)"))
            }
            let line = written(position)
            guard case .position(let again) = try? TPVCodec.decode(line.bytes) else {
                return violations + [Violation("a written fix cannot be read: \(line.string)")]
            }
            if written(again).bytes != line.bytes { violations.append(Violation("written otherwise when read again: \(line.string)")) }
        }
        return violations
    }

    private static func written(_ value: JSONValue) -> TextBuffer {
        var text = TextBuffer()
        text.appendJSON { $0.element(value) }
        return text
    }

    private static func written(_ position: Position) -> TextBuffer {
        var text = TextBuffer()
        TPVCodec.append(position, to: &text)
        return text
    }
}
