import Waypost
import WaypostDispatch
import WaypostSystem

/// The contract for answers of servers and receipts of applications, whatever they contain: a record that counts as sent is not sent again.
public enum AnswerContract {
    private static let ids = ["p-1", "4711-enter", "t-2"]
    private static let statuses = [200, 200, 201, 204, 299, 199, 304, 400, 401, 408, 413, 415, 429, 503, 999, -1]
    private static let contentTypes = ["application/json", "text/plain", "text/html; charset=utf-8", ""]

    /// The ways in which the rule of answers breaks the contract.
    ///
    /// - Only 2xx is a receipt, and never a web page.
    /// - Where the kind requires a word in the answer, it is there.
    /// - The records that the server refuses belong to the batch.
    /// - Messages for people are short and on one line.
    ///
    /// - Parameter input: the status, the content type, the length of the value of `Retry-After` (one byte each), that value, and the body.
    public static func violations(answering input: [UInt8]) -> [Violation] {
        guard input.count >= 3 else { return [] }
        let status = statuses[Int(input[0]) % statuses.count]
        let waiting = input[3...].prefix(Int(input[2]) % 32)
        let headers = [
            HTTPRequest.Header("content-type", contentTypes[Int(input[1]) % contentTypes.count]),
            HTTPRequest.Header("retry-after", String(decoding: waiting, as: UTF8.self)),
        ]
        let response = HTTPResponse(status: status, headers: headers, body: Array(input[(3 + waiting.count)...]))
        return AnswerContract.formats.flatMap { violations(response, of: $0.format, expecting: $0.expected) }
    }

    /// The formats, and the word that each requires in an answer.
    private static let formats: [(format: any HTTPFormat, expected: String)] = [
        (NativeFormat(), ""), (OverlandFormat(device: "van"), "ok"),
    ]

    private static func violations(_ response: HTTPResponse, of format: any HTTPFormat, expecting word: String) -> [Violation] {
        let destination: HTTPDestination
        do { destination = try HTTPDestination(HTTPDestination.Settings(url: "https://example.org/"), format: format) } catch {
            return [Violation("no destination: \(error)")]
        }
        let batch = DispatchBatch(device: "van", time: nil, records: records)
        let outcome = destination.outcome(of: response, to: HTTPMessage(body: [], settledCount: records.count), of: batch)
        var (violations, words): ([Violation], [String]) = ([], [])
        switch outcome {
        case .delivered(let refused, let answer):
            words = [answer] + refused.values
            if !(200...299).contains(response.status) { violations.append(Violation("\(response.status) is a receipt")) }
            if !Set(refused.keys).isSubset(of: ids) { violations.append(Violation("refuses what was not sent: \(refused.keys)")) }
            let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<") || response["content-type"]?.hasPrefix("text/html") == true
            if isPage { violations.append(Violation("a web page is a receipt")) }
            // In JSON a letter may be written as \u006f.
            if !response.body.contains(bytes: word.utf8), !response.body.contains(UInt8(ascii: "\\")) {
                violations.append(Violation("a receipt without \(word)"))
            }
        case .partly: violations.append(Violation("one answer to one message settles a part"))
        case .temporary(let reason, _), .unreachable(let reason), .denied(let reason), .refused(let reason): words = [reason]
        }
        for text in words where text.count > 400 || text.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            violations.append(Violation("words of \(text.count) characters, or with control characters"))
        }
        return violations
    }

    private static let records = ids.map { id in
        DispatchRecord(
            id: id, lane: .events, sequence: 1, age: nil,
            content: .track(TrackCall(name: "delivered", values: [:], time: nil, position: nil)))
    }

    /// The ways in which the ledger of receipts breaks the contract.
    ///
    /// - A record has a receipt only when a message names it.
    /// - What is kept of unknown records is bounded.
    ///
    /// - Parameter input: messages of an application, separated by zero bytes.
    public static func violations(confirming input: [UInt8]) -> [Violation] {
        var ledger = ReceiptLedger(pauseMilliseconds: 1_000, quietMilliseconds: 1_000)
        let messages = input.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        var violations: [Violation] = []
        // Messages from before the batch count, too.
        for (round, message) in messages.enumerated() {
            let now = Int64(round) * 700
            ledger.process(message, now: now)
            let due = ledger.begin(ids, hasForgotten: false, now: now)
            ledger.notePublished(due, now: now)
            ledger.process(messages[messages.count - 1 - round], now: now + 300)
            let (received, refused) = ledger.finish()
            for id in received.union(refused.keys) {
                let isNamed = messages.contains { $0.contains(bytes: id.utf8) || $0.contains(UInt8(ascii: "\\")) }
                if !ids.contains(id) || !isNamed { violations.append(Violation("a receipt for \(id), which no message names")) }
            }
            if !received.isDisjoint(with: refused.keys) { violations.append(Violation("received and refused at once")) }
        }
        if ledger.knownCount > 2 * 4_096 + ids.count { violations.append(Violation("\(ledger.knownCount) ids are kept")) }
        return violations
    }
}
