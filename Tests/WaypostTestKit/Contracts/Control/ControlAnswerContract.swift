import Waypost
import WaypostControl

/// What must hold for what a client reads from a control socket, whoever listens there.
public enum ControlAnswerContract {
    /// The ways in which reading that line breaks the contract.
    ///
    /// - An answer that was read and written can be read again, and is written as the same line.
    /// - An answer that cannot be read is an error of one line.
    public static func violations(reading line: [UInt8]) -> [Violation] {
        ControlRequests.all.flatMap { type in (type as? any ControlVerb.Type).map { violations(reading: line, for: $0) } ?? [] }
            + violations(reading: line, as: PositionLoss.self) + violations(reading: line, as: DroppedLines.self)
            + violations(reading: line, as: MatchedLine.self) + violations(reading: line, as: AuthorisationChange.self)
            + violations(reading: line, as: WakeLine.self)
            + violations(reading: line, as: LaunchOrder.self) + violations(readingForWatch: line)
    }

    private static func violations<Verb: ControlVerb>(reading line: [UInt8], for type: Verb.Type) -> [Violation] {
        violations(reading: line, as: Verb.Answer.self)
    }

    private static func violations<Answer: ControlAnswer>(reading line: [UInt8], as type: Answer.Type) -> [Violation] {
        let written: [UInt8]
        do { written = try Answer(line: line).line } catch { return violations(of: error) }
        do {
            return try Answer(line: written).line == written ? [] : [Violation("\(Answer.className) is written in two ways")]
        } catch {
            return [Violation("\(Answer.className) is written so that it cannot be read: \(error)")]
        }
    }

    private static func violations(readingForWatch line: [UInt8]) -> [Violation] {
        do { _ = try WatchLine(line: line) } catch { return violations(of: error) }
        return []
    }

    private static func violations(of error: ControlAnswerError) -> [Violation] {
        error.description.contains("\n") ? [Violation("an error of several lines: \(error)")] : []
    }
}
