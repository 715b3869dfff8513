import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// The time of what was taken before it was known what time it was.
@Suite struct BootMomentTests {
    @Test func staysTheSameWhileTheClockIsSteered() {
        let boot = Mutex(Int64(60_000))
        let time = Mutex(DispatchFixture.start)
        let clock = DispatchClock(bootMilliseconds: { boot.withLock { $0 } }, confirmedTime: { time.withLock { $0 } })
        let moment = RecordMoment(bootIdentity: BootIdentity.bytes, bootMilliseconds: 10_000, time: nil)
        var known = BootMoment()
        let first = known.time(of: moment, by: clock)
        #expect(first == DispatchFixture.start.advanced(byMilliseconds: -50_000))
        // Two seconds later, and 2 ms more by a clock that is steered: a repeat has the same time.
        boot.withLock { $0 += 2_000 }
        time.withLock { $0 = $0.advanced(byMilliseconds: 2_002) }
        #expect(known.time(of: moment, by: clock) == first)
        // A clock that was set is believed.
        time.withLock { $0 = $0.advanced(byMilliseconds: 3_600_000) }
        #expect(known.time(of: moment, by: clock) == first?.advanced(byMilliseconds: 3_600_002))
        #expect(known.time(of: RecordMoment(bootIdentity: [], bootMilliseconds: 0, time: nil), by: clock) == nil)
    }

    @Test func staysTheSameOverARestart() async throws {
        let fixture = try DispatchFixture()
        let moment = RecordMoment(bootIdentity: BootIdentity.bytes, bootMilliseconds: 10_000, time: nil)
        let first = try fixture.outbox()
        let time = try #require(first.time(of: moment))
        await first.keepBootMoment()
        // The tracker starts again, by a clock that was steered by 2 ms.
        fixture.time.withLock { $0 = $0?.advanced(byMilliseconds: 60_002) }
        fixture.milliseconds.withLock { $0 += 60_000 }
        let second = try fixture.outbox()
        #expect(second.time(of: moment) == time)
        #expect(second.time(of: RecordMoment(bootIdentity: [], bootMilliseconds: 0, time: nil)) == nil)
    }

    /// What is taken before the time is known, sent, not confirmed, and sent again by the next run.
    @Test func sendsARepeatAfterARestartWithTheSameTime() async throws {
        let fixture = try DispatchFixture()
        fixture.time.withLock { $0 = nil }
        let destination = ScriptedDestination { _ in .unreachable(reason: "the answer is lost") }
        for clockError in [Int64(0), 2] {
            let dispatcher = try await fixture.dispatcher([("home", destination)])
            if clockError == 0 { try await dispatcher.accept([.track(TrackCall(name: "early", values: [:], time: nil, position: nil))]) }
            fixture.milliseconds.withLock { $0 += 5_000 }
            let elapsed = fixture.milliseconds.withLock { $0 }
            fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: elapsed + clockError) }
            _ = try await dispatcher.dispatch()
            await dispatcher.stop()
        }
        let records = destination.batches.flatMap { $0 }
        let times = records.map(\.takenAt)
        #expect(times.count == 2 && times[0] != nil && times[0] == times[1], "\(times)")
        // Servers are told in waypost's own format, too, and so is whoever reads the ledger.
        for record in records {
            let body = NativeFormat.body(of: DispatchBatch(device: "van", time: nil, records: [record]))
            let call = try JSONParser().parse(body)["records"]?.array?.first
            #expect(call?["time"]?.string.flatMap { UTCTime(rfc3339: $0) } == times[0], "\(String(decoding: body, as: UTF8.self))")
        }
        let last = try await fixture.dispatcher([("home", destination)])
        let entries = try await last.ledgerEntries(since: DispatchFixture.start.advanced(byMilliseconds: -60_000), limit: 10)
        #expect(entries.map(\.record.takenAt) == [times[0]])
        await last.stop()
    }

    @Test(arguments: [("van-7", "n7"), ("v-", "v"), ("--", "--"), ("truck 12", "12")]) func namesADeviceByLettersAndDigits(
        device: String, trackerID: String
    ) throws {
        let format = OwnTracksFormat(.init(user: "jane", device: device))
        let record = DispatchRecord(
            id: "p-1", lane: .live, sequence: 1, age: nil, content: .position(DispatchFixture.position(1)))
        let messages = try format.messages(for: record, at: DispatchFixture.start)
        let value = try JSONParser().parse(try #require(messages.first).payload)
        #expect(value["tid"]?.string == trackerID)
    }
}
