import Testing

@testable import Waypost

/// Who is woken, how often, and what survives a restart.
@Suite struct WakeLedgerTests: LedgerSuite {
    @Test func anAcknowledgedEventIsNeverToldAgain() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        #expect(ledger.due(at: 0) == [key])
        #expect(ledger.take(key, at: 0)?.map(\.id) == ["a"])
        #expect(ledger.take(key, at: 1) == nil, "it runs")
        ledger.finish(key, run(0), eventIDs: ["a"], at: 5)
        #expect(ledger.due(at: 5) == [] && ledger.nextDue(after: 5) == nil)
        #expect(!ledger.add(event("a"), for: key))
        let again = restarted(ledger)
        #expect(!again.add(event("a"), for: key) && again.due(at: 0) == [])
    }

    @Test func whatCameWhileTheProgramRanStartsItAgain() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        _ = ledger.take(key, at: 0)
        #expect(ledger.add(event("b"), for: key))
        #expect(ledger.due(at: 1) == [])
        ledger.finish(key, run(0), eventIDs: ["a"], at: 5)
        #expect(ledger.take(key, at: 5)?.map(\.id) == ["b"])
    }

    @Test func aFailureIsTriedAgainEverLaterAndThenFails() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        var now: Int64 = 0
        for pause in WakeLedger.pauses {
            #expect(ledger.take(key, at: now) != nil)
            ledger.finish(key, run(1), eventIDs: ["a"], at: now)
            #expect(ledger.take(key, at: now) == nil)
            #expect(ledger.nextDue(after: now) == now + pause * 1_000)
            now += pause * 1_000
        }
        #expect(ledger.take(key, at: now) != nil)
        ledger.finish(key, run(nil), eventIDs: ["a"], at: now)
        #expect(ledger.entries[key]?.phase == .failed)
        #expect(ledger.due(at: .max) == [] && ledger.nextDue(after: now) == nil)
        let later = restarted(ledger)
        #expect(later.entries[key]?.phase == .failed && later.entries[key]?.events.count == 1)
        // The next event tries again, with both.
        #expect(ledger.add(event("b"), for: key))
        #expect(ledger.take(key, at: now)?.map(\.id) == ["a", "b"])
    }

    @Test func whoGoesWithoutAWordHasFailed() throws {
        var ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        _ = ledger.take(key, at: 0)
        ledger.lose(key, at: 10)
        #expect(ledger.entries[key]?.phase == .waiting(until: 10 + WakeLedger.pauses[0] * 1_000))
        // One that hangs.
        ledger = restarted(ledger)
        #expect(ledger.take(key, at: 0) != nil)
        ledger.expire(at: 89_999)
        #expect(ledger.entries[key]?.failureCount == 1)
        ledger.expire(at: 90_000)
        #expect(ledger.entries[key]?.failureCount == 2)
    }

    /// A user who is not logged in has no failing program: somebody is called ever more seldom, and whoever comes gets the events at once.
    @Test func nobodyWhoComesIsNoFailureOfTheProgram() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        var now: Int64 = 0
        for pause in WakeLedger.pauses + [3_600, 3_600] {
            #expect(ledger.announce(key, at: now))
            #expect(!ledger.announce(key, at: now + 1))
            #expect(ledger.nextDue(after: now) == now + WakeLedger.patience)
            now += WakeLedger.patience
            ledger.expire(at: now)
            #expect(!ledger.announce(key, at: now))
            #expect(ledger.nextDue(after: now) == now + pause * 1_000)
            now += pause * 1_000
        }
        #expect(ledger.entries[key]?.failureCount == 0)
        #expect(ledger.announce(key, at: now))
        ledger.expire(at: now + WakeLedger.patience)
        #expect(ledger.take(key, at: now + WakeLedger.patience + 1)?.count == 1)
    }

    @Test func somebodyWhoWasCalledGetsTheEvents() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        #expect(ledger.announce(key, at: 0))
        #expect(ledger.take(key, at: 5)?.count == 1)
    }

    @Test func aUnitAcknowledgesItself() throws {
        let ledger = try ledger(isUnit: true)
        #expect(ledger.add(event("a"), for: key))
        _ = ledger.take(key, at: 0)
        ledger.finish(key, run(0), eventIDs: ["a"], at: 0)
        #expect(ledger.entries[key]?.events.count == 1, "it was only started")
        #expect(ledger.acknowledge("a", for: key) && !ledger.acknowledge("a", for: key))
        #expect(ledger.entries[key]?.phase == .idle)
    }

    /// It was started before each of its acknowledgements, or acknowledges before it is known to be started: neither is a failure.
    @Test func aUnitThatAcknowledgesNeverFails() throws {
        let ledger = try ledger(isUnit: true)
        for number in 0..<20 {
            let (id, now) = ("e\(number)", Int64(number) * 10_000)
            #expect(ledger.add(event(id), for: key))
            #expect(ledger.take(key, at: now)?.count == 1)
            if number % 2 == 0 { #expect(ledger.acknowledge(id, for: key)) }
            ledger.finish(key, run(0), eventIDs: [id], at: now)
            if number % 2 == 1 { #expect(ledger.acknowledge(id, for: key)) }
            #expect(ledger.entries[key]?.failureCount == 0 && ledger.entries[key]?.phase == .idle)
        }
    }

    /// All of them are one argument of the program's shell.
    @Test func handsOutSoManyBytesAndTheRestAfterThem() throws {
        let ledger = try ledger()
        for number in 0..<10 {
            let event = WakeEvent(id: "e\(number)", level: .full, json: [UInt8](repeating: 0x20, count: number == 9 ? 100_000 : 10_000))
            #expect(ledger.add(event, for: key))
        }
        var taken: [[String]] = []
        while let events = ledger.take(key, at: 0) {
            taken.append(events.map(\.id))
            ledger.finish(key, run(0), eventIDs: events.map(\.id), at: 0)
        }
        #expect(taken == [["e0", "e1", "e2", "e3", "e4", "e5"], ["e6", "e7", "e8"], ["e9"]])
    }

    @Test func anAttachedProgramIsNotStarted() throws {
        let ledger = try ledger()
        ledger.setAttached(true, key)
        #expect(ledger.add(event("a"), for: key))
        #expect(ledger.due(at: 0) == [] && ledger.take(key, at: 0) == nil)
        ledger.setAttached(false, key)
        #expect(ledger.due(at: 0) == [key])
        ledger.setAttached(true, key)
        #expect(restarted(ledger).due(at: 0) == [key])
    }

    /// After a kill events are told again: nobody is woken who has registered since.
    @Test func anEventThatIsToldAgainWakesNobodyWhoCameLater() throws {
        var ledger = WakeLedger()
        let (old, new) = (WakeKey(userID: 1_000, name: "old"), WakeKey(userID: 1_000, name: "new"))
        try ledger.register(WakeRegistration(key: old, kinds: [.enter], program: "/bin/true", since: time(0)))
        try ledger.register(WakeRegistration(key: new, kinds: [.enter], program: "/bin/true", since: time(100)))
        // A second registration of the name is the same one.
        try ledger.register(WakeRegistration(key: old, kinds: [.enter], program: "/bin/cat", since: time(100)))
        (ledger, _) = WakeLedger.read(ledger.text)
        _ = ledger.process(TrackerEvent(id: "f-1", kind: "enter", name: "Yard", time: time(50)), isRetold: true, level: full)
        #expect(ledger.entries[old]?.events.count == 1 && ledger.entries[new]?.events.count == 0)
        _ = ledger.process(TrackerEvent(id: "f-2", kind: "enter", name: "Yard", time: time(50)), level: full)
        #expect(ledger.entries[new]?.events.count == 1)
    }

    /// In private mode what has happened before waits, a rehearsal that tells of no place, too.
    @Test func inPrivateModeNothingIsTold() throws {
        let ledger = try ledger([.enter])
        #expect(ledger.add(event("a"), for: key))
        ledger.setLevels(isPrivate: true, full)
        #expect(ledger.due(at: 0) == [] && ledger.take(key, at: 0) == nil && ledger.entries[key]?.tellable == [])
        _ = try #require(ledger.rehearse(key, at: nil, time: time(0), level: .full))
        _ = try #require(ledger.rehearse(key, at: try position(47, 0), time: time(0), level: .full))
        let later = restarted(ledger)
        later.setLevels(isPrivate: true, full)
        #expect(later.take(key, at: 0) == nil && later.entries[key]?.events.count == 3)
        ledger.setLevels(full)
        #expect(ledger.take(key, at: 0)?.count == 3)
    }

    /// Who may only know roughly where the device is learns of the end of private mode with the next quarter of an hour.
    @Test func whatIsHeldBackIsToldToNobodyWhoKnowsRoughly() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a", level: .reduced), for: key))
        ledger.setLevels(isHeldBack: true) { _ in .reduced }
        #expect(ledger.take(key, at: 0) == nil)
        ledger.setLevels { _ in .reduced }
        #expect(ledger.due(at: 0) == [key])
        ledger.setLevels(isHeldBack: true) { _ in .full }
        #expect(ledger.take(key, at: 0)?.map(\.id) == ["a"])
    }

    /// Somebody was called for events that were removed then: nothing is due.
    @Test func nothingIsDueWithoutEvents() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key) && ledger.announce(key, at: 0))
        ledger.setLevels { _ in .none }
        #expect(ledger.removeWithheld() == [key: 1])
        #expect(ledger.entries[key]?.phase == .idle && ledger.nextDue(after: 0) == nil)
    }

    @Test func dropsTheOldestOfTooManyAndCountsThem() throws {
        let ledger = try ledger()
        for number in 0..<(WakeLedger.mostEvents + 3) { #expect(ledger.add(event("e\(number)"), for: key)) }
        #expect(ledger.entries[key]?.events.first?.id == "e3")
        #expect(ledger.entries[key]?.droppedCount == 3)
    }

    /// What may not be known now is withheld; it is only removed when somebody has decided so.
    @Test func tellsNobodyMoreThanMayBeKnownNow() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("full"), for: key) && ledger.add(event("reduced", level: .reduced), for: key))
        ledger.setLevels { _ in .none }
        #expect(ledger.take(key, at: 0) == nil && ledger.due(at: 0) == [] && !ledger.announce(key, at: 0))
        #expect(restarted(ledger).entries[key]?.events.count == 2)
        ledger.setLevels { _ in .reduced }
        #expect(ledger.take(key, at: 0)?.map(\.id) == ["reduced"])
        ledger.finish(key, run(0), eventIDs: ["reduced"], at: 0)
        #expect(ledger.due(at: 0) == [])
        ledger.setLevels { _ in .full }
        #expect(ledger.take(key, at: 0)?.map(\.id) == ["full"])
        #expect(ledger.removeWithheld() == [:])
        ledger.setLevels { _ in .reduced }
        #expect(ledger.removeWithheld() == [key: 1])
        #expect(ledger.entries[key]?.events == [])
    }

    @Test func keepsTheReceiverOnOnlyForThoseWhoMayKnow() throws {
        let ledger = try ledger()
        #expect(ledger.need(isStationary: false) != nil)
        ledger.setLevels { _ in .none }
        #expect(ledger.need(isStationary: false) == nil)
    }

    @Test func takesSoManyRegistrationsOfAUserAndNoMore() throws {
        let ledger = LedgerOwner(WakeLedger())
        for number in 0..<WakeLedger.mostOfUser {
            try ledger.register(WakeRegistration(key: WakeKey(userID: 1, name: "r\(number)"), kinds: [.enter], program: "x"))
        }
        let more = WakeRegistration(key: WakeKey(userID: 1, name: "more"), kinds: [.enter], program: "x")
        #expect(throws: WakeLedger.Refusal.tooMany) { try ledger.register(more) }
        try ledger.register(WakeRegistration(key: WakeKey(userID: 1, name: "r0"), kinds: [.exit], program: "y"))
        try ledger.register(WakeRegistration(key: WakeKey(userID: 2, name: "more"), kinds: [.enter], program: "x"))
        #expect(ledger.unregister(WakeKey(userID: 1, name: "r0")))
        #expect(!ledger.unregister(WakeKey(userID: 1, name: "r0")))
    }
}
