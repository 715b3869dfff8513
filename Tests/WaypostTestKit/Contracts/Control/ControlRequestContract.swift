import Waypost
import WaypostControl

/// The contract for requests on the control socket, whatever a client sends: every local user may connect.
public enum ControlRequestContract {
    /// The ways in which reading that line breaks the contract.
    ///
    /// - A request that was read, written and read again is the same.
    /// - A refusal is one short line of JSON, however long or strange the request was.
    public static func violations(reading line: [UInt8]) -> [Violation] {
        do throws(ControlRefusal) {
            let request = try ControlRequests.request(on: line.span)
            let again = try ControlRequests.request(on: request.line.span)
            return again.line == request.line ? [] : [Violation("\(request) is written and read as \(again)")]
        } catch {
            return violations(refusing: error)
        }
    }

    private static func violations(refusing refusal: ControlRefusal) -> [Violation] {
        var violations: [Violation] = []
        if refusal.code != .badRequest, refusal.code != .unknownRequest { violations.append(Violation("refused as \(refusal.code)")) }
        let answer = refusal.line
        if answer.count > 4_096 { violations.append(Violation("an answer of \(answer.count) bytes")) }
        if answer.contains(UInt8(ascii: "\n")) { violations.append(Violation("an answer of several lines")) }
        do throws(JSONError) {
            let members = try JSONParser().parse(answer).object
            if members?["class"]?.string != "ERROR" || members?["message"]?.string != refusal.message {
                violations.append(Violation("the answer says something else than \(refusal.message)"))
            }
        } catch {
            violations.append(Violation("the answer is not JSON: \(error)"))
        }
        return violations
    }
}
