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

    @Test(arguments: [
        ("bad_request", WaypostSystem.ExitStatus.usage), ("too_long", .badData), ("invalid_value", .badData), ("not_found", .inputMissing),
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
