import Foundation
import Testing
import Waypost

@testable import WaypostControl

/// The guide of the control socket is made from the requests and answers themselves.
struct ControlProtocolPageTests {
    /// To write it anew: `WAYPOST_WRITE_GOLDEN=1 swift test --filter ControlProtocolPageTests`, and read the difference.
    @Test func isTheGuide() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Waypost/Waypost.docc/Sending/ControlSocket.md")
        if ProcessInfo.processInfo.environment["WAYPOST_WRITE_GOLDEN"] != nil {
            return try ControlProtocolPage.text.write(to: path, atomically: true, encoding: .utf8)
        }
        let guide = try String(contentsOf: path, encoding: .utf8)
        let difference = ControlProtocolPage.text.split(separator: "\n").difference(from: guide.split(separator: "\n"))
        #expect(difference.isEmpty, "\(difference.map { "\($0)" }.joined(separator: "\n"))")
    }

    @Test func describesEveryMember() {
        for type in ControlRequests.all {
            #expect(!type.documentation.isEmpty, "\(type)")
            #expect(type.members.allSatisfy { $0.documentation.hasSuffix(".") || $0.documentation.hasSuffix("...") }, "\(type)")
        }
    }
}

/// The guide of the control socket, as Markdown.
private enum ControlProtocolPage {
    static var text: String {
        let answers = answers
        return introduction + "\n## Requests\n" + ControlRequests.all.map(request).joined() + "\n## Answers\n"
            + answers.map(answer).joined()
            + watchLines + MatchedLine.section + PositionLoss.section + DroppedLines.section
    }

    private static let introduction = """
        # The control socket

        The command line asks the running tracker over a Unix socket; any program can ask the same.

        The socket of the service is `/run/waypost/waypost.sock`; your own tracker makes it at the path of `--socket`. Both sides send JSON, one \
        object per line:

        ```
        waypostd  {"class":"HELLO","protocol":1,"version":"0.1.0"}
        client    {"request":"hold","reason":"photo walk"}
        waypostd  {"class":"HELD","reason":"photo walk"}
        client    {"request":"watch","sky":true}
        waypostd  {"class":"TPV",...}
        ```

        - `class` is always the first member of the tracker's lines. Skip members and classes that you do not know: they may be added without \
        a new protocol number.
        - A request with a member that the tracker does not know is refused.
        - Answers come in the order of the requests. A watch continues until the connection ends; further requests are answered between its lines.
        - A client may shut down its sending side: its requests are still answered, and a watch continues.
        - A request has at most \(ControlProtocol.maximumRequestBytes) bytes, an answer at most \(ControlProtocol.maximumAnswerBytes).
        - Every local user may connect, ask for `status` and ask to know more; what else is answered depends on what the user may know \
        (<doc:WhoMayKnow>).
        - There are 64 connections: at most 32 of one user, of users who may not know the position 8 of each and 32 of all, and the last 8 only for root \
        and the tracker's own user. These two have no limit of their own: when their programs have all 64, `waypost status` is refused to them, too, \
        until one of these ends. One more gets an `ERROR` line, and ends.

        This page is made from the types of the library `WaypostControl`. A Swift program uses these types directly: \
        `try client.ask(HoldRequest(reason: "photo walk"))`.

        """

    /// The answers in the order of the requests, each once, between what comes first and what comes instead.
    private static var answers: [any ControlAnswer.Type] {
        var answers: [any ControlAnswer.Type] = [Greeting.self, RefusalLine.self]
        for type in ControlRequests.all {
            guard let verb = type as? any ControlVerb.Type else { continue }
            let answer = answerType(of: verb)
            if !answers.contains(where: { $0.className == answer.className }) { answers.append(answer) }
        }
        return answers
    }

    private static func answerType<Verb: ControlVerb>(of verb: Verb.Type) -> any ControlAnswer.Type { Verb.Answer.self }

    private static func request(_ type: any ControlRequest.Type) -> String {
        let action = type.action.map { ",\"action\":\"\($0)\"" } ?? ""
        let title = type.action.map { "`\(type.name)`, `\($0)`" } ?? "`\(type.name)`"
        let answer =
            (type as? any ControlVerb.Type).map { "Answer: `\(answerType(of: $0).className)`." } ?? "Its lines are described below."
        return
            "\n### \(title)\n\n\(type.documentation) \(answer)\n\n    {\"request\":\"\(type.name)\"\(action)\(type.members.isEmpty ? "" : ",...")}\n"
            + table(type.members) { !$0.isRequired }
    }

    private static func answer(_ type: any ControlAnswer.Type) -> String { type.section }

    fileprivate static func table(
        _ members: [ControlMemberDescription], mayBeAbsent: (ControlMemberDescription) -> Bool
    ) -> String {
        guard !members.isEmpty else { return "" }
        let rows = rows(members, below: "", mayBeAbsent: mayBeAbsent)
        return "\n| member | value | may be absent | meaning |\n|---|---|---|---|\n" + rows.joined()
    }

    private static func rows(
        _ members: [ControlMemberDescription], below path: String, mayBeAbsent: (ControlMemberDescription) -> Bool
    ) -> [String] {
        members.flatMap { member -> [String] in
            let name = path + member.name
            let row = "| `\(name)` | \(member.form) | \(mayBeAbsent(member) ? "yes" : "") | \(member.documentation) |\n"
            return [row] + rows(member.members, below: name + (member.form == [String].form ? "[]." : "."), mayBeAbsent: mayBeAbsent)
        }
    }

    private static let watchLines = """

        ## Lines of a watch

        ### `TPV`

        A position, or a report without a fix (`mode` 1), in gpsd's names and units; what is ours is marked. Unknown values are absent.

        | member | meaning |
        |---|---|
        | `time` | UTC |
        | `mode`, `status` | 1 no fix, 2 without height, 3 with height; the kind of solution in gpsd's numbers (2 differential, 3 and 4 RTK, 8 simulated) |
        | `lat`, `lon` | degrees |
        | `altMSL`, `altHAE`, `geoidSep` | height above mean sea level and above the ellipsoid, and the difference, in metres |
        | `speed`, `track`, `climb` | m/s, degrees from true north, m/s |
        | `accuracy`, `accuracy_from` | ours: the radius in metres that holds 68 % of positions, and where it comes from: `receiver`, `gst`, `gbs`, \
        `gpsd`, `hdop`, `assumed`, or `reduced` (made coarse on purpose) |
        | `eph`, `epv`, `eps`, `hdop`, `vdop`, `pdop` | errors and dilutions as the source gave them |
        | `satellites` | ours: how many are used |
        | `source` | ours: the source's URL |
        | `rollover` | ours: 1024 weeks were added to the date of an old receiver |

        A watch of significant changes has three more members:

        | member | value | may be absent | meaning |
        |---|---|---|---|
        | `significant` | true or false | yes | Whether it is a significant change. |
        | `cached` | true or false | yes | Whether it was known before the watch began. |
        | `age` | a whole number | yes | Its age in seconds. |

        ### `SKY`

        The satellites in view, in gpsd's names: `hdop`, `vdop`, `pdop`, `uSat` (how many are used), and `satellites`, each with `PRN`, `gnssid`, `el` and \
        `az` (degrees), `ss` (signal, dBHz) and `used`.

        ### `EVENT`

        An event at a fence: `id` (permanent), `time`, `event` (`enter`, `exit`, `dwell`, `pass`), `fence` (its name), `visit` (the same for all \
        events of one visit), `lat`, `lon`, and the evidence for the decision.

        """
}

extension ControlAnswer {
    fileprivate static var section: String {
        "\n### `\(className)`\n\n\(documentation)\n" + ControlProtocolPage.table(members) { !$0.isAlwaysWritten }
    }
}
