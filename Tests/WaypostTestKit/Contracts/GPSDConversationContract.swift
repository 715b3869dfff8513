import Waypost

/// The contract for the conversation with a client of the gpsd protocol, whatever the client sends.
public enum GPSDConversationContract {
    private static let classes: Set<String> = ["VERSION", "DEVICES", "DEVICE", "WATCH", "POLL", "ERROR"]

    /// The ways in which it breaks its contract on that input; the seed decides where the input is cut.
    ///
    /// - Every answer is one line: an object of a known class, which comes first, and CR LF.
    /// - Not more answers come at once than a client can be expected to read, and it catches up.
    /// - After any nonsense, a request in a write of its own is answered, once nothing unfinished can hold it.
    public static func violations(talking input: [UInt8], seed: UInt64) -> [Violation] {
        var generator = SeededGenerator(seed: seed)
        var (conversation, violations) = (GPSDConversation(), [Violation]())
        var start = 0
        while start < input.count {
            let end = min(input.count, start + Int.random(in: 1...97, using: &generator))
            answers(&conversation, to: Array(input[start..<end]), &violations)
            start = end
        }
        // Longer than any request may be, and without anything that closes one.
        answers(&conversation, to: [UInt8](repeating: UInt8(ascii: "x"), count: 5_000), &violations)
        answers(&conversation, to: Array("\"}\n\n".utf8), &violations)
        let last = answers(&conversation, to: Array("?VERSION;".utf8), &violations)
        if last.last.map({ String(decoding: $0, as: UTF8.self).hasPrefix("{\"class\":\"VERSION\",") }) != true {
            violations.append(Violation("a request after nonsense is not answered"))
        }
        return violations
    }

    @discardableResult
    private static func answers(
        _ conversation: inout GPSDConversation, to bytes: [UInt8], _ violations: inout [Violation]
    ) -> [[UInt8]] {
        let now = UTCTime(millisecondsSince1970: 1_764_000_000_000)
        var (all, bytes, rounds) = ([[UInt8]](), bytes, 0)
        repeat {
            let lines = conversation.process(bytes.span, showing: SharedState(), version: "1", at: now)
            if lines.count > 48 { violations.append(Violation("\(lines.count) answers at once")) }
            all += lines
            (bytes, rounds) = ([], rounds + 1)
        } while conversation.isBehind && rounds < 10_000
        if conversation.isBehind { violations.append(Violation("it does not catch up")) }
        for line in all {
            let text = String(decoding: line, as: UTF8.self)
            let value = try? JSONParser().parse(Array(line.dropLast(2)))  // No value is a violation.
            if !line.suffix(3).elementsEqual("}\r\n".utf8) || line.dropLast(2).contains(where: { $0 < 0x20 }) {
                violations.append(Violation("an answer is not one line: \(text)"))
            }
            guard let name = value?["class"]?.string, classes.contains(name), text.hasPrefix("{\"class\":\"\(name)\"") else {
                violations.append(Violation("an answer is no message: \(text)"))
                continue
            }
        }
        return all
    }
}
