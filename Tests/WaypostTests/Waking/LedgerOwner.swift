import Testing

@testable import Waypost

/// Owns a ledger, so that an expectation may change it.
final class LedgerOwner {
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
    func setLevels(isPrivate: Bool = false, isHeldBack: Bool = false, _ level: (UInt32) -> AuthorisationLevel) {
        ledger.setLevels(isPrivate: isPrivate, isHeldBack: isHeldBack, level)
    }
    func removeWithheld() -> [WakeKey: Int] { ledger.removeWithheld() }
    func forget(_ stretch: Range<UTCTime>) -> Bool { ledger.forget(stretch) }
    func need(isStationary: Bool) -> PositioningNeed? { ledger.need(isStationary: isStationary) }
    func acknowledge(_ id: String, for key: WakeKey) -> Bool { ledger.acknowledge(id, for: key) }
    func announce(_ key: WakeKey, at now: Int64) -> Bool { ledger.announce(key, at: now) }
    func expire(at now: Int64) { ledger.expire(at: now) }
    func take(_ key: WakeKey, at now: Int64) -> [WakeEvent]? { ledger.take(key, at: now) }
    func finish(_ key: WakeKey, _ run: WakeRun, eventIDs: [String], at now: Int64) { ledger.finish(key, run, eventIDs: eventIDs, at: now) }
    func lose(_ key: WakeKey, at now: Int64) { ledger.lose(key, at: now) }
    func concealPlaces() { ledger.concealPlaces() }
    func rehearse(_ key: WakeKey, at position: Position?, time: UTCTime?, level: AuthorisationLevel) -> String? {
        ledger.rehearse(key, at: position, time: time, level: level)
    }
    func process(_ position: Position, told: PositionReduction.Told?, level: (UInt32) -> AuthorisationLevel) -> Bool {
        let hasChanged = ledger.process(position, level: level)
        return told.map { ledger.process($0, level: level) || hasChanged } ?? hasChanged
    }
    func process(_ event: TrackerEvent, level: (UInt32) -> AuthorisationLevel) -> Bool { ledger.process(event, level: level) }
}

/// What tests of ledgers have in common.
protocol LedgerSuite {}

extension LedgerSuite {
    var key: WakeKey { WakeKey(userID: 1_000, name: "photo") }
    var full: (UInt32) -> AuthorisationLevel { { _ in .full } }

    func ledger(_ kinds: Set<WakeKind> = [.significant], isUnit: Bool = false) throws -> LedgerOwner {
        let ledger = LedgerOwner(WakeLedger())
        try ledger.register(WakeRegistration(key: key, kinds: kinds, isUnit: isUnit, program: "/bin/true"))
        return ledger
    }

    func event(_ id: String, level: AuthorisationLevel = .full) -> WakeEvent {
        WakeEvent(id: id, level: level, json: Array(#"{"id":"\#(id)"}"#.utf8))
    }

    func run(_ code: Int?) -> WakeRun { WakeRun(time: nil, exitCode: code, words: "", eventIDs: ["e"]) }

    func time(_ seconds: Int64) -> UTCTime { UTCTime(millisecondsSince1970: 1_777_692_600_000 + seconds * 1_000) }

    func position(_ latitude: Double, _ seconds: Int64) throws -> Position {
        let place = try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: 8))
        var position = Position(time: time(seconds), coordinate: place)
        position.speedMetresPerSecond = 20
        return position
    }

    /// The ledger as the next run finds it.
    func restarted(_ ledger: LedgerOwner) -> LedgerOwner {
        let (new, damagedCount) = WakeLedger.read(ledger.text)
        #expect(damagedCount == 0)
        return LedgerOwner(new)
    }
}
