import Testing

@testable import Waypost

/// Who is woken, when, how often, and what survives a restart.
@Suite struct WakeLedgerTests {
    private let key = WakeKey(userID: 1_000, name: "photo")
    private let full: (UInt32) -> AuthorisationLevel = { _ in .full }

    private func ledger(_ kinds: Set<WakeKind> = [.significant], isUnit: Bool = false) throws -> LedgerOwner {
        let ledger = LedgerOwner(WakeLedger())
        try ledger.register(WakeRegistration(key: key, kinds: kinds, isUnit: isUnit, program: "/bin/true"))
        return ledger
    }

    private func event(_ id: String, level: AuthorisationLevel = .full) -> WakeEvent {
        WakeEvent(id: id, level: level, json: Array(#"{"id":"\#(id)"}"#.utf8))
    }

    private func run(_ code: Int?) -> WakeRun { WakeRun(time: nil, exitCode: code, words: "", eventID: "e") }

    private func position(_ latitude: Double, _ seconds: Int64) throws -> Position {
        let place = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: 8))
        var position = Position(time: UTCTime(millisecondsSince1970: 1_777_692_600_000 + seconds * 1_000), coordinate: place)
        position.speedMetresPerSecond = 20
        return position
    }

    /// The ledger as the next run finds it.
    private func restarted(_ ledger: LedgerOwner) -> LedgerOwner {
        let (new, damagedCount) = WakeLedger.read(ledger.text)
        #expect(damagedCount == 0)
        return LedgerOwner(new)
    }

    // MARK: - Starts

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
        // One that was called and does not come, and one that hangs.
        ledger = restarted(ledger)
        #expect(ledger.announce(key, at: 0))
        #expect(!ledger.announce(key, at: 1))
        #expect(ledger.nextDue(after: 0) == WakeLedger.patience)
        ledger.expire(at: WakeLedger.patience)
        #expect(ledger.entries[key]?.failureCount == 2)
        let hung = ledger.nextDue(after: WakeLedger.patience) ?? 0
        #expect(ledger.take(key, at: hung) != nil)
        ledger.expire(at: hung + 89_999)
        #expect(ledger.entries[key]?.failureCount == 2)
        ledger.expire(at: hung + 90_000)
        #expect(ledger.entries[key]?.failureCount == 3)
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

    @Test func dropsTheOldestOfTooManyAndCountsThem() throws {
        let ledger = try ledger()
        for number in 0..<(WakeLedger.mostEvents + 3) { #expect(ledger.add(event("e\(number)"), for: key)) }
        #expect(ledger.entries[key]?.events.first?.id == "e3")
        #expect(ledger.entries[key]?.droppedCount == 3)
    }

    @Test func tellsNobodyMoreThanMayBeKnownBySomeLaterTime() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("full"), for: key) && ledger.add(event("reduced", level: .reduced), for: key))
        #expect(ledger.limit(key, to: .reduced) == 1)
        #expect(ledger.take(key, at: 0)?.map(\.id) == ["reduced"])
        #expect(ledger.limit(key, to: .none) == 1)
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

    // MARK: - What happens

    @Test func wakesAtASignificantChangeAndNotAtTheFirstPosition() throws {
        var ledger = try ledger()
        #expect(ledger.process(try position(47, 0), told: nil, level: full), "where it starts from is stored")
        #expect(ledger.due(at: 0) == [])
        // 20 m/s: 500 m are gone after 25 s, the 5 min are not.
        var latitude = 47.0
        var firedAt: Int64?
        for second in 1...400 {
            latitude += 20 / 111_200
            if ledger.process(try position(latitude, Int64(second)), told: nil, level: full) { firedAt = firedAt ?? Int64(second) }
            if second == 100 { ledger = restarted(ledger) }
        }
        #expect(firedAt == 300)
        let events = try #require(ledger.entries[key]?.events)
        #expect(events.count == 1)
        let json = String(decoding: events[0].json, as: UTF8.self)
        #expect(
            json.contains(#""event":"significant""#) && json.contains(#""registration":"photo""#) && json.contains(#""lat":47.0539"#),
            "\(json)")
        // After a restart the way is measured from there, not from the first fix.
        ledger = restarted(ledger)
        #expect(!ledger.process(try position(latitude, 500), told: nil, level: full))
        #expect(ledger.process(try position(latitude + 0.01, 601), told: nil, level: full))
        #expect(Set(ledger.entries[key]?.events.map(\.id) ?? []).count == 2)
    }

    @Test func aClockThatGoesBackDelaysNothing() throws {
        var ledger = try ledger()
        _ = ledger.process(try position(47, 100_000), told: nil, level: full)
        ledger = restarted(ledger)
        _ = ledger.process(try position(47.001, 0), told: nil, level: full)
        _ = ledger.process(try position(47.05, 299), told: nil, level: full)
        #expect(ledger.due(at: 0) == [])
        _ = ledger.process(try position(47.0502, 300), told: nil, level: full)
        #expect(ledger.due(at: 0) == [key])
    }

    @Test func wakesAtAFenceOnceForAnEventHoweverOftenItIsRepeated() throws {
        var ledger = try ledger([.enter])
        let enter = TrackerEvent(id: "f-1", kind: "enter", name: "Yard", time: nil, position: try position(47.123456, 0))
        #expect(ledger.process(enter, level: full))
        #expect(!ledger.process(enter, level: full))
        #expect(!ledger.process(TrackerEvent(id: "f-2", kind: "exit", name: "Yard", time: nil), level: full))
        #expect(!ledger.process(TrackerEvent(id: "f-3", kind: "enter", name: "Yard", time: nil), level: { _ in .none }))
        ledger = restarted(ledger)
        #expect(!ledger.process(enter, level: full))
        #expect(ledger.entries[key]?.events.map(\.id) == ["f-1"])
    }

    /// Neither the fence nor the moment nor a place finer than a cell is in what a user with a reduced position gets.
    @Test func tellsAReducedUserTheCellAndTheQuarterOfAnHour() throws {
        var ledger = try ledger([.significant, .enter])
        let reduced: (UInt32) -> AuthorisationLevel = { _ in .reduced }
        var reduction = PositionReduction()
        func drive(_ latitude: Double, _ second: Int64) throws -> Bool {
            let position = try position(latitude, second)
            return ledger.process(position, told: reduction.process(position), level: reduced)
        }
        _ = try drive(47.123456, 0)
        let enter = TrackerEvent(
            id: "f-1", kind: "enter", name: "Secret yard", time: try position(47, 61).time, position: try position(47.123457, 61))
        #expect(ledger.process(enter, level: reduced))
        #expect(!ledger.process(enter, level: reduced))
        #expect(ledger.due(at: 0) == [], "not at the moment of it")
        ledger = restarted(ledger)
        #expect(try drive(47.123458, 400) == false)
        #expect(try drive(47.123459, 901))
        let json = String(decoding: try #require(ledger.entries[key]?.events.first).json, as: UTF8.self)
        #expect(ledger.entries[key]?.events.map(\.level) == [.reduced])
        #expect(json.contains(#""event":"enter""#))
        for secret in ["Secret yard", "47.1234", "speed", "f-1", "track"] { #expect(!json.contains(secret), "\(json)") }
        // Another cell, ten quarters of an hour later: one significant change.
        #expect(try drive(48.5, 9_500))
        #expect(ledger.entries[key]?.events.count == 2)
    }

    @Test func forgetsWhereTheDeviceWas() throws {
        let ledger = try ledger()
        _ = ledger.process(try position(47.123456, 0), told: nil, level: full)
        #expect(String(decoding: ledger.text, as: UTF8.self).contains("47.123456"))
        ledger.forgetPlaces()
        #expect(!String(decoding: ledger.text, as: UTF8.self).contains("47.123456"))
    }

    @Test func rehearsesWithTheFieldsOfARealEvent() throws {
        let ledger = try ledger([.enter])
        let id = try #require(ledger.rehearse(key, at: try position(47, 0), level: .full))
        let event = try #require(ledger.entries[key]?.events.first)
        #expect(event.id == id)
        let json = String(decoding: event.json, as: UTF8.self)
        #expect(json.contains(#""test":true"#) && json.contains(#""event":"enter""#) && json.contains(#""lat":47"#))
        #expect(ledger.rehearse(WakeKey(userID: 9, name: "x"), at: nil, level: .full) == nil)
    }

    @Test func leavesOutDamagedLinesAndCountsThem() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        let text = ledger.text + Array("{\"user\":1}\nnonsense\n".utf8)
        let (read, damagedCount) = WakeLedger.read(text)
        #expect(damagedCount == 2)
        #expect(read.entries == ledger.entries)
    }
}

/// Owns a ledger, so that an expectation may change it.
private final class LedgerOwner {
    private var ledger: WakeLedger

    init(_ ledger: WakeLedger) { self.ledger = ledger }

    var entries: [WakeKey: WakeLedger.Entry] { ledger.entries }
    var text: [UInt8] { ledger.text }
    func due(at now: Int64) -> [WakeKey] { ledger.due(at: now) }
    func nextDue(after now: Int64) -> Int64? { ledger.nextDue(after: now) }
    func register(_ registration: WakeRegistration) throws(WakeLedger.Refusal) { try ledger.register(registration) }
    func unregister(_ key: WakeKey) -> Bool { ledger.unregister(key) }
    func setAttached(_ isAttached: Bool, _ key: WakeKey) { ledger.setAttached(isAttached, key) }
    func add(_ event: WakeEvent, for key: WakeKey) -> Bool { ledger.add(event, for: key) }
    func limit(_ key: WakeKey, to level: AuthorisationLevel) -> Int { ledger.limit(key, to: level) }
    func acknowledge(_ id: String, for key: WakeKey) -> Bool { ledger.acknowledge(id, for: key) }
    func announce(_ key: WakeKey, at now: Int64) -> Bool { ledger.announce(key, at: now) }
    func expire(at now: Int64) { ledger.expire(at: now) }
    func take(_ key: WakeKey, at now: Int64) -> [WakeEvent]? { ledger.take(key, at: now) }
    func finish(_ key: WakeKey, _ run: WakeRun, eventIDs: [String], at now: Int64) { ledger.finish(key, run, eventIDs: eventIDs, at: now) }
    func lose(_ key: WakeKey, at now: Int64) { ledger.lose(key, at: now) }
    func forgetPlaces() { ledger.forgetPlaces() }
    func rehearse(_ key: WakeKey, at position: Position?, level: AuthorisationLevel) -> String? {
        ledger.rehearse(key, at: position, level: level)
    }
    func process(_ position: Position, told: PositionReduction.Told?, level: (UInt32) -> AuthorisationLevel) -> Bool {
        ledger.process(position, told: told, level: level)
    }
    func process(_ event: TrackerEvent, level: (UInt32) -> AuthorisationLevel) -> Bool { ledger.process(event, level: level) }
}
