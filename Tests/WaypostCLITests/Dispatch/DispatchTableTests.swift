import Testing
import Waypost
import WaypostControl
import WaypostSystem

@testable import WaypostCLI

/// The table of `waypost dispatch`, and what a refusal becomes.
struct DispatchTableTests {
    private func lines(_ json: String) throws -> [String] {
        DispatchTable(try [DestinationReport](controlValue: try JSONParser().parse(Array(json.utf8)))).lines
    }

    @Test func showsADestinationARowInEightyColumns() throws {
        let lines = try lines(
            #"[{"name":"home","state":"waiting","events":3,"positions":12,"dead_letters":0,"sent":1204,"dropped":0,"late":0,"next_seconds":40,"#
                + #""receipt_seconds_ago":12},{"name":"a name that is far too long for a table","state":"failing","events":1,"positions":0,"#
                + #""dead_letters":2,"sent":0,"dropped":0,"late":0,"on_demand":true,"reason":"401: who are you, and what do you want of a server that has "#
                + #"never heard of you?"},{"name":"lab","state":"paused","events":0,"dead_letters":0,"sent":0,"dropped":0,"late":0}]"#)
        #expect(
            lines == [
                "destination             last receipt  sent  waiting  next       problem",
                "home                    12 s ago      1204  15       in 40 s    none",
                "  3 events and 12 positions wait",
                "a name that is far to…  not yet       0     1        on demand  failing",
                "  1 event waits; 2 dead letters (waypost dispatch list); 401: who are you, and",
                "  what do you want of a server that has never heard of you?",
                "lab                     not yet       0     ?        -          paused",
                "  the positions cannot be counted now; resume with",
                "  waypost dispatch resume --to lab",
            ])
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    /// An attempt that takes long is told, and what the last one met is never beside "none".
    @Test func showsAServerThatHangs() throws {
        let lines = try lines(
            #"[{"name":"http","state":"sending","events":1,"positions":24,"dead_letters":0,"sent":96,"dropped":0,"late":0,"next_seconds":34,"#
                + #""sending_seconds":12,"receipt_seconds_ago":23,"reason":"500: because"},{"name":"new","state":"sending","events":1,"#
                + #""positions":0,"dead_letters":0,"sent":0,"dropped":0,"late":0,"sending_seconds":1}]"#)
        #expect(
            lines == [
                "destination  last receipt  sent  waiting  next               problem",
                "http         23 s ago      96    25       sending, for 12 s  retrying",
                "  1 event and 24 positions wait; 500: because",
                "new          not yet       0     1        sending            none",
                "  1 event waits",
            ])
    }

    @Test(arguments: [(184, "184 dead letters, to be sent again"), (3, "184 dead letters, 3 of them to be sent again")])
    func showsWhatIsToBeSentAgain(due: Int, words: String) throws {
        let lines = try lines(
            #"[{"name":"home","state":"waiting","events":0,"positions":0,"dead_letters":184,"dead_letters_due":\#(due),"sent":0,"dropped":0,"late":0}]"#
        )
        #expect(lines[1] == "home         not yet       0     \(due)\(due < 100 ? "  " : "")      -     none")
        #expect(lines[2] == "  \(words) (waypost dispatch list)")
    }

    @Test(arguments: [
        ("bad_request", WaypostSystem.ExitStatus.usage), ("too_long", .usage), ("invalid_value", .badData), ("not_found", .inputMissing),
        ("cannot_store", .cannotCreate), ("io_error", .inputOutput), ("not_permitted", .notAuthorised), ("unavailable", .timedOut),
        ("too_many_connections", .timedOut), ("unknown_request", .failed), ("of_a_later_version", .failed),
    ]) func endsWithTheCodeOfTheCause(code: String, status: WaypostSystem.ExitStatus) {
        let failure = CommandFailure(ControlError.refused(code: code, message: "fence \"x\": there is none; see waypost fences list"))
        #expect(failure.status == status)
        #expect(failure.line == "waypost: fence \"x\": there is none; see waypost fences list")
    }

    @Test func tellsARefusalWithoutAWord() {
        let failure = CommandFailure(ControlError.refused(code: "of_a_later_version", message: ""))
        #expect(failure.status == .failed)
        #expect(failure.line == "waypost: tracker: refuses without a reason (of_a_later_version)")
    }

    @Test func showsARefusedRecordByTheClocksOfTheScreen() throws {
        let letter = try DeadLetterEntry(
            controlValue: try JSONParser().parse(
                Array(
                    (#"{"number":12,"destination":"home","time":"2026-11-22T15:25:01Z","kind":"track","name":"poison","id":"t-4711","#
                        + #""lane":"events","seq":7,"reason":"no such parcel","retrying":true}"#).utf8)))
        let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        #expect(
            DeadLetterLine(letter, ScreenFormat(zone: zone)).text
                == "12 home 2026-11-22 16:25:01 track \"poison\" t-4711: no such parcel (to be sent again)")
    }

    @Test func tellsOnlyATrackerThatCannotBeReachedAsUnreachable() {
        let others: [ControlError] = [
            .timedOut, .noPermission(path: "s"), .pathTooLong(path: "s", limit: 107), .notAuthorised(message: "no"),
            .refused(code: "unavailable", message: "later"),
        ]
        #expect(others.allSatisfy { CommandFailure($0).status != .unavailable })
        #expect(
            [ControlError.notRunning(path: "s"), .closed(byService: true), .closed(byService: false)].allSatisfy {
                CommandFailure($0).status == .unavailable
            })
    }
}
