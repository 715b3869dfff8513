import Testing

@testable import Waypost

/// What wakes whom, and what is kept of where the device was.
@Suite struct WakeTriggersTests: LedgerSuite {
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

    /// Nothing but another cell wakes them, and nothing finer than it is told: no fence, and not how often others were told of something.
    @Test func wakesAReducedUserAtAnotherCellAndNothingElse() throws {
        var ledger = try ledger([.significant, .enter])
        let exact = WakeKey(userID: 0, name: "exact")
        try ledger.register(WakeRegistration(key: exact, kinds: [.significant], program: "x"))
        let levels: (UInt32) -> AuthorisationLevel = { $0 == 0 ? .full : .reduced }
        var reduction = PositionReduction()
        func drive(_ latitude: Double, _ second: Int64) throws {
            let position = try position(latitude, second)
            _ = ledger.process(position, told: reduction.process(position), level: levels)
        }
        try drive(47.123456, 0)
        let enter = TrackerEvent(id: "f-1", kind: "enter", name: "Secret yard", time: time(61), position: try position(47.123457, 61))
        #expect(!ledger.process(enter, level: levels))
        ledger = restarted(ledger)
        // Within the cell, for an hour and with several significant changes.
        for step in 1...10 { try drive(step % 2 == 0 ? 47.1235 : 47.13, Int64(step) * 400) }
        #expect(ledger.entries[exact]?.events.count ?? 0 > 5)
        #expect(ledger.entries[key]?.events == [])
        try drive(48.5, 9_500)
        let event = try #require(ledger.entries[key]?.events.first)
        #expect(ledger.entries[key]?.events.count == 1 && event.level == .reduced)
        #expect(event.id.hasPrefix("s-1-"), "the first of its own: \(event.id)")
        let json = String(decoding: event.json, as: UTF8.self)
        for secret in ["Secret yard", "48.5,", "speed", "f-1", "track"] { #expect(!json.contains(secret), "\(json)") }
    }

    /// Whatever happens while a user knows only roughly where the device is, the next run reads the registration.
    @Test func remembersSoManyIdsAndReadsThemAgain() throws {
        var ledger = try ledger([.significant, .enter])
        for number in 0..<600 {
            let enter = TrackerEvent(id: "f-\(number)", kind: "enter", name: "Yard", time: nil)
            _ = ledger.process(enter, level: { _ in number < 300 ? .reduced : .full })
        }
        ledger = restarted(ledger)
        #expect(ledger.entries[key]?.events.count == WakeLedger.mostEvents)
        #expect(!ledger.process(TrackerEvent(id: "f-599", kind: "enter", name: "Yard", time: nil), level: full))
        // A file with more of them than are kept is not damaged.
        let ids = (0..<300).map { "\"e\($0)\"" }.joined(separator: ",")
        let line = #"{"user":1,"name":"n","on":["enter"],"program":"/bin/true","events":[],"known":[\#(ids)]}"#
        #expect(WakeLedger.read(Array(line.utf8)).damagedCount == 0)
    }

    @Test func forgetsWhereTheDeviceWas() throws {
        let ledger = try ledger()
        _ = ledger.process(try position(47.123456, 0), told: nil, level: full)
        #expect(String(decoding: ledger.text, as: UTF8.self).contains("47.123456"))
        ledger.concealPlaces()
        #expect(!String(decoding: ledger.text, as: UTF8.self).contains("47.123456"))
    }

    /// What happened meanwhile is secret; that the device is elsewhere afterwards is not.
    @Test func wakesForAChangeAcrossASecretPlace() throws {
        let ledger = try ledger()
        _ = ledger.process(try position(47.1111, 0), told: nil, level: full)
        ledger.concealPlaces()
        _ = ledger.process(try position(47.2222, 600), told: nil, level: full)
        #expect(ledger.due(at: 0) == [key])
        #expect(String(decoding: ledger.text, as: UTF8.self).contains("47.2222"))
        #expect(!String(decoding: ledger.text, as: UTF8.self).contains("47.1111"))
    }

    @Test func theNextRegistrationStartsFromWhereTheDeviceIs() throws {
        let ledger = try ledger()
        _ = ledger.process(try position(47.123456, 0), told: nil, level: full)
        #expect(ledger.unregister(key))
        #expect(!String(decoding: ledger.text, as: UTF8.self).contains("47.123456"))
        try ledger.register(WakeRegistration(key: key, kinds: [.significant], program: "x"))
        _ = ledger.process(try position(48, 9_000), told: nil, level: full)
        #expect(ledger.due(at: 0) == [])
    }

    /// `log erase`: events of that time, where the device was, and what programs wrote about it.
    @Test func forgetsAStretchOfTime() throws {
        let ledger = try ledger([.significant, .enter])
        _ = ledger.process(try position(47.1111, 0), told: nil, level: full)
        _ = ledger.process(try position(47.2222, 600), told: nil, level: full)
        let enter = TrackerEvent(id: "f-1", kind: "enter", name: "Yard", time: time(700), position: try position(47.3333, 700))
        _ = ledger.process(enter, level: full)
        #expect(ledger.take(key, at: 0)?.count == 2)
        ledger.finish(key, WakeRun(time: time(701), exitCode: 1, words: "at 47.3333", eventIDs: ["f-1"]), eventIDs: [], at: 0)
        #expect(!ledger.forget(time(100)..<time(200)) || ledger.entries[key]?.events.count == 2)
        #expect(ledger.forget(time(650)..<time(800)))
        var text = String(decoding: restarted(ledger).text, as: UTF8.self)
        #expect(!text.contains("47.3333") && text.contains("47.2222"))
        #expect(restarted(ledger).forget(time(500)..<time(650)))
        #expect(ledger.forget(time(500)..<time(650)))
        text = String(decoding: ledger.text, as: UTF8.self)
        #expect(!text.contains("47.2222") && !text.contains("47.1111"))
        #expect(ledger.entries[key]?.phase == .idle && ledger.entries[key]?.failureCount == 0)
        #expect(!ledger.forget(time(500)..<time(650)))
    }

    /// A reduced position is that of a whole quarter of an hour.
    @Test func forgetsAReducedPositionOfTheQuarterOfAnHour() throws {
        let ledger = try ledger()
        var reduction = PositionReduction()
        for (latitude, second) in [(47.0, 0), (48.0, 1_000)] as [(Double, Int64)] {
            let position = try position(latitude, second)
            _ = ledger.process(position, told: reduction.process(position), level: { _ in .reduced })
        }
        #expect(ledger.entries[key]?.events.count == 1)
        #expect(ledger.forget(time(1_000)..<time(1_001)))
        #expect(ledger.entries[key]?.events == [])
        #expect(!String(decoding: ledger.text, as: UTF8.self).contains("lat"))
    }

    @Test func rehearsesWithTheFieldsOfARealEvent() throws {
        let ledger = try ledger([.enter])
        let id = try #require(ledger.rehearse(key, at: try position(47, 0), time: nil, level: .full))
        let event = try #require(ledger.entries[key]?.events.first)
        #expect(event.id == id)
        let json = String(decoding: event.json, as: UTF8.self)
        #expect(json.contains(#""test":true"#) && json.contains(#""event":"enter""#) && json.contains(#""lat":47"#))
        #expect(ledger.rehearse(WakeKey(userID: 9, name: "x"), at: nil, time: nil, level: .full) == nil)
        #expect(ledger.rehearse(key, at: nil, time: nil, level: .reduced) == nil, "no fence wakes those who know only roughly where it is")
    }

    @Test func aRehearsalDoesNotWaitForABackOff() throws {
        let ledger = try ledger()
        #expect(ledger.add(event("a"), for: key))
        _ = ledger.take(key, at: 0)
        ledger.finish(key, run(1), eventIDs: ["a"], at: 0)
        #expect(ledger.take(key, at: 1) == nil)
        let id = try #require(ledger.rehearse(key, at: nil, time: time(0), level: .full))
        #expect(ledger.take(key, at: 1)?.map(\.id) == ["a", id])
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
