/// Decides which changes of the position are significant for programs that are not running, over restarts, too.
///
/// For those who may know everything it is ``SignificantChangeRule``; for those who may only know roughly where the device is, another cell
/// (``PositionReduction``). The first position that is known is where they start from, and wakes nobody.
struct WakeTriggers: Sendable {
    private var selection = PositionSelection(.significantChanges)
    private(set) var reference: Position?
    private(set) var reducedReference: Position?
    /// The quarter of an hour of the last reduced position.
    private var quarter: Int64?
    /// References that are not written: the last places before one that must stay secret.
    private var unwritten: (reference: Coordinate?, reduced: Coordinate?)

    init() {}

    /// Whether the position is a significant change.
    mutating func isSignificant(_ position: Position) -> Bool {
        if var before = reference, let time = position.time, let then = before.time, time < then {
            // A clock that was wrong, or another recording: what is measured from a moment to come would take until then.
            before.time = time
            reference = before
            selection = PositionSelection(.significantChanges)
            _ = selection.start(stored: before)
        }
        guard case .significantChange(let report) = selection.process(position) else { return false }
        let isFirst = reference == nil
        reference = report.position
        return !isFirst
    }

    /// Whether a reduced position is new, and whether it is that of another cell.
    mutating func process(_ told: PositionReduction.Told) -> (isNew: Bool, isSignificant: Bool) {
        guard told.quarter != quarter else { return (false, false) }
        quarter = told.quarter
        let before = reducedReference?.coordinate
        if before != told.position.coordinate { reducedReference = told.position }
        return (true, before != nil && before != told.position.coordinate)
    }

    /// Sees to it that where the device was is not written; what is significant from there is still known while this run lasts.
    mutating func conceal() { unwritten = (reference?.coordinate, reducedReference?.coordinate) }

    /// Forgets where the device was.
    mutating func forget() { self = WakeTriggers(reference: nil, reducedReference: nil, quarter: quarter) }

    /// Whether it is known from a stretch of time, or from no time that is known, where the device was.
    func isOf(_ stretch: Range<UTCTime>) -> Bool {
        if let reference, reference.time.map(stretch.contains) ?? true { return true }
        guard let reducedReference else { return false }
        return reducedReference.time.map { PositionReduction.span(ofQuarterAt: $0).overlaps(stretch) } ?? true
    }

    /// How closely the device must be followed.
    func need(isStationary: Bool) -> PositioningNeed { selection.need(isStationary: isStationary) }

    private init(reference: Position?, reducedReference: Position?, quarter: Int64?) {
        (self.reference, self.reducedReference, self.quarter) = (reference, reducedReference, quarter)
        if let reference { _ = selection.start(stored: reference) }
    }

    // MARK: - Text

    func write(to json: inout JSONWriter) {
        json.member("triggers", 1)
        json.member("quarter", quarter.map { Int($0) })
        func write(_ position: Position?, _ unwritten: Coordinate?, as name: StaticString) {
            guard let position, position.coordinate != unwritten else { return }
            json.object(name) { TPVCodec.write(position, to: &$0) }
        }
        write(reference, unwritten.reference, as: "reference")
        write(reducedReference, unwritten.reduced, as: "reduced")
    }

    /// The triggers of an earlier run; nil when the value is something else.
    init?(_ value: JSONValue) {
        guard value["user"] == nil, value["triggers"]?.int == 1 else { return nil }
        func position(_ name: String) -> Position? {
            guard case .object(var members)? = value[name] else { return nil }
            members["class"] = .string("TPV")
            guard case .position(let position)? = try? TPVCodec.decode(.object(members)) else { return nil }  // Then it is not known.
            return position
        }
        self.init(
            reference: position("reference"), reducedReference: position("reduced"),
            quarter: value["quarter"]?.int.map { Int64($0) })
    }
}

extension WakeLedger {
    /// How closely the device must be followed for those who are to be woken; nil when nobody is, or may be.
    package func need(isStationary: Bool) -> PositioningNeed? {
        let isWanted = entries.values.contains { $0.registration.kinds.contains(.significant) && $0.level.isAllowed }
        return isWanted ? triggers.need(isStationary: isStationary) : nil
    }

    /// Processes a position, for those who may know everything; returns whether anything must be stored.
    ///
    /// - Parameters:
    ///   - position: the position.
    ///   - level: what a user may know now.
    package mutating func process(_ position: Position, level: (_ userID: UInt32) -> AuthorisationLevel) -> Bool {
        guard !entries.isEmpty else { return false }
        let reference = triggers.reference
        guard triggers.isSignificant(position) else { return triggers.reference != reference }
        return add(position, at: .full, level: level) || triggers.reference != reference
    }

    /// Processes a position for those who may only know roughly where the device is; returns whether anything must be stored.
    package mutating func process(_ told: PositionReduction.Told, level: (_ userID: UInt32) -> AuthorisationLevel) -> Bool {
        guard !entries.isEmpty else { return false }
        let reference = triggers.reducedReference
        guard triggers.process(told).isSignificant else { return triggers.reducedReference != reference }
        return add(told.position, at: .reduced, level: level) || triggers.reducedReference != reference
    }

    /// Adds a significant change for those who may know so much; what a user may know is only looked up when there is something to tell.
    private mutating func add(_ position: Position, at told: AuthorisationLevel, level: (_ userID: UInt32) -> AuthorisationLevel) -> Bool {
        var hasChanged = false
        for (key, entry) in entries where entry.registration.kinds.contains(.significant) && level(key.userID) == told {
            add(.significant, "s", at: position, for: key, level: told)
            hasChanged = true
        }
        return hasChanged
    }

    /// Processes an event of a fence, for those who may know everything; returns whether anything must be stored.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - isRetold: whether the run before may have told it: nobody who was registered since is woken by it.
    ///   - level: what a user may know now.
    package mutating func process(
        _ event: TrackerEvent, isRetold: Bool = false, level: (_ userID: UInt32) -> AuthorisationLevel
    ) -> Bool {
        guard let kind = WakeKind(rawValue: event.kind) else { return false }
        var hasChanged = false
        for (key, entry) in entries where entry.registration.kinds.contains(kind) && level(key.userID) == .full {
            if isRetold, let time = event.time, let since = entry.registration.since, time < since { continue }
            let json = WakeLedger.json(for: key) { event.write(to: &$0) }
            hasChanged = add(WakeEvent(id: event.id, time: event.time, level: .full, json: json), for: key) || hasChanged
        }
        return hasChanged
    }

    /// Adds an event for a rehearsal, with the fields of a real one, and returns its id; nil when nothing can wake this program at this level.
    ///
    /// The program is started now, whatever became of earlier starts.
    /// - Parameters:
    ///   - key: the registration.
    ///   - position: where the device is, as far as its user may know.
    ///   - time: the time.
    ///   - level: what its user may know.
    package mutating func rehearse(_ key: WakeKey, at position: Position?, time: UTCTime?, level: AuthorisationLevel) -> String? {
        guard let entry = entries[key],
            let kind = WakeKind.allCases.first(where: { entry.registration.kinds.contains($0) && $0.wakes(at: level) })
        else { return nil }
        let id = add(kind, "t", at: position, time: time, for: key, level: level) { json in
            if kind != .significant { json.member("fence", "test") }
            json.member("test", true)
        }
        switch entry.phase {
        case .waiting, .unheard: entries[key]?.phase = .idle
        case .idle, .announced, .underWay, .failed: break
        }
        return id
    }

    /// Keeps no place on the disk where the device was.
    package mutating func concealPlaces() { triggers.conceal() }

    /// Makes an event and adds it; returns its id.
    @discardableResult
    private mutating func add(
        _ kind: WakeKind, _ letter: Character, at position: Position?, time: UTCTime? = nil, for key: WakeKey, level: AuthorisationLevel,
        _ members: (inout JSONWriter) -> Void = { _ in }
    ) -> String? {
        let time = position?.time ?? time
        guard let id = entries[key]?.makeID(letter, at: time) else { return nil }
        let json = WakeLedger.json(for: key) { json in
            json.member("id", id)
            json.member("event", kind.rawValue)
            members(&json)
            if let position { TPVCodec.write(position, to: &json) }
        }
        _ = add(WakeEvent(id: id, time: time, level: level, json: json), for: key)
        return id
    }

    private static func json(for key: WakeKey, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        text.appendJSON { json in
            json.object { json in
                json.member("class", "WAKE")
                json.member("registration", key.name)
                members(&json)
            }
        }
        return text.bytes
    }
}
