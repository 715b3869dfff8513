import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// Numbers that no outbox wrote, in its file: they stop nobody, and are never believed.
@Suite struct OutboxNumberTests {
    /// An outbox with one entry for one destination, in whose file somebody has changed numbers.
    private func changed(_ statement: String) throws -> DispatchFixture {
        let fixture = try DispatchFixture()
        let database = try SQLiteDatabase(path: fixture.path)
        let store = try OutboxStore(database, limits: OutboxLimits())
        try store.attach("home", newestPosition: 9, takesPositions: true)
        let moment = RecordMoment(bootIdentity: BootIdentity.bytes, bootMilliseconds: 5, time: DispatchFixture.start)
        try store.insert(
            [EncodedEntry(id: "t-1", moment: moment, body: Array(#"{"class":"TRACK","id":"t-1","name":"n"}"#.utf8))], earliest: nil)
        try database.execute("PRAGMA ignore_check_constraints = ON; \(statement); PRAGMA wal_checkpoint(TRUNCATE)")
        return fixture
    }

    @Test(arguments: [
        "UPDATE entry SET boot_milliseconds = -9223372036854775808", "UPDATE entry SET time = 9223372036854775807",
        "UPDATE entry SET number = 9223372036854775807", "UPDATE entry SET number = -1", "UPDATE entry SET time = -9223372036854775808",
        "UPDATE destination SET event_cursor = 9223372036854775807", "UPDATE destination SET position_cursor = 9223372036854775807",
        "UPDATE destination SET event_cursor = -5", "UPDATE destination SET sent = 9223372036854775807",
        "UPDATE destination SET live_sequence = 9223372036854775807, history_sequence = -1",
        "INSERT INTO stretch VALUES('home', 8, 3), ('home', -9223372036854775808, 9223372036854775807)",
        "INSERT INTO note VALUES('last_entry', 9223372036854775807)",
        "INSERT INTO receipt VALUES('home', 'live', 9223372036854775807, -1, 9223372036854775807, '')",
        """
        INSERT INTO dead_letter VALUES(9223372036854775807, 'home', 'live', -3, 'p-1-1', 9223372036854775807, '{"class":"TPV"}', '', 1)
        """,
    ])
    func setsAsideWhatCannotBe(statement: String) async throws {
        let fixture = try changed(statement)
        fixture.log.log(1...5)
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", home)])
        #expect(await dispatcher.outbox.recovery?.asidePath != nil)
        try await dispatcher.accept([DispatchFixture.call(2)])
        _ = try await dispatcher.dispatch()
        #expect(home.takenNames.contains("call 2"))
        let status = try #require(try await dispatcher.statuses().first)
        #expect(status.state.waitingEventCount == 0 && status.waitingPositionCount == 0)
        #expect(try await dispatcher.ledgerEntries(since: DispatchFixture.start, limit: 10).isEmpty == false)
    }

    /// As when somebody changes the file of a running tracker.
    @Test func trapsAtNoNumberThatComesWhileItRuns() async throws {
        let fixture = try DispatchFixture()
        fixture.log.log(1...5)
        let dispatcher = try await fixture.dispatcher([("home", ScriptedDestination())])
        try await dispatcher.accept([DispatchFixture.call(1)])
        let database = try SQLiteDatabase(path: fixture.path)
        try database.execute(
            """
            PRAGMA ignore_check_constraints = ON;
            UPDATE destination SET event_cursor = -9223372036854775808, position_cursor = 9223372036854775807, sent = -1, dropped = 9223372036854775807;
            INSERT INTO stretch VALUES('home', 8, 3), ('home', -1, 4611686018427387904), ('home', 77, 9223372036854775807);
            INSERT INTO receipt VALUES('home', 'live', 9223372036854775807, -1, 9223372036854775807, '');
            INSERT INTO settled VALUES('home', 'gone max_age', -1, 9223372036854775807), ('home', 'gone max_bytes', 8, 3);
            INSERT INTO note VALUES('gone ', 4), ('gone max_age', 4), ('gone max_age home', 9223372036854775807),
                ('gone max_bytes home', 9), ('gone_boot max_age', \(Outbox.thisBoot)), ('gone_since max_age', -9223372036854775808),
                ('gone_time max_bytes', -9223372036854775808);
            """)
        _ = try await dispatcher.outbox.gonePositions()
        for key in ["max_age", "max_bytes"] { try await dispatcher.noteGone([.init(after: 0, through: 5)], because: key) }
        _ = try await dispatcher.outbox.gonePositions()
        _ = try await dispatcher.statuses()
        try await dispatcher.reload()
        _ = try await dispatcher.dispatch()
        for number: UInt64 in [0, 1, 4_611_686_018_427_387_904, .max] {
            _ = try await dispatcher.ledgerEntries(since: DispatchFixture.start, after: number, limit: 10)
            _ = try await dispatcher.accounts(of: [LedgerKey(position: number, id: "p-\(number)-0")])
            _ = try await dispatcher.waiting(for: "home", after: WaitingCursor(event: number, position: number), limit: 10)
        }
        try await dispatcher.accept([DispatchFixture.call(2)])
    }

    @Test func takesNumbersOfPositionsUpToTheLargestThereIs() {
        #expect(NumberedPosition.number(ofID: "p-4611686018427387904-0") == 4_611_686_018_427_387_904)
        for id in ["p-4611686018427387905-0", "p-18446744073709551615-0"] { #expect(NumberedPosition.number(ofID: id) == nil) }
    }

    @Test func countsStretchesThatOverlapOnce() {
        let cursor = PositionCursor(
            live: 100,
            gating: [
                .init(after: 50, through: 60), .init(after: 10, through: 55), .init(after: 90, through: 100), .init(after: 7, through: 3),
            ])
        #expect(cursor == PositionCursor(live: 100, stretches: [.init(after: 10, through: 60), .init(after: 90, through: 100)]))
    }
}
