/// Decides which changes of the position are significant for programs that are not running, over restarts, too.
///
/// For those who may know everything it is ``SignificantChangeRule``; for those who may only know roughly where the device is, another cell
/// (``PositionReduction``). The first position that is known is where they start from, and wakes nobody.
struct WakeTriggers: Sendable {
    private var selection = PositionSelection(.significantChanges)
    private(set) var reference: Position?
    private(set) var reducedReference: Position?
    /// How many events were made, for their ids.
    private var eventCount: Int64 = 0
    /// The quarter of an hour of the last reduced position.
    private var quarter: Int64?

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
        guard told.quarter > quarter ?? .min else { return (false, false) }
        quarter = told.quarter
        let before = reducedReference?.coordinate
        if before != told.position.coordinate { reducedReference = told.position }
        return (true, before != nil && before != told.position.coordinate)
    }

    /// Forgets where the device was.
    mutating func forget() { self = WakeTriggers(count: eventCount, reference: nil, reducedReference: nil, quarter: quarter) }

    /// A new id.
    mutating func makeID(_ letter: Character, at time: UTCTime?) -> String {
        eventCount += 1
        return "\(letter)-\(eventCount)-\((time?.millisecondsSince1970 ?? 0) / 1_000)"
    }

    /// How closely the device must be followed.
    func need(isStationary: Bool) -> PositioningNeed { selection.need(isStationary: isStationary) }

    private init(count: Int64, reference: Position?, reducedReference: Position?, quarter: Int64?) {
        (eventCount, self.reference, self.reducedReference, self.quarter) = (count, reference, reducedReference, quarter)
        if let reference { _ = selection.start(stored: reference) }
    }

    // MARK: - Text

    func write(to json: inout JSONWriter) {
        json.member("events", Int(eventCount))
        json.member("quarter", quarter.map { Int($0) })
        if let reference { json.object("reference") { TPVCodec.write(reference, to: &$0) } }
        if let reducedReference { json.object("reduced") { TPVCodec.write(reducedReference, to: &$0) } }
    }

    /// The triggers of an earlier run; nil when the value is something else.
    init?(_ value: JSONValue) {
        guard value["user"] == nil, let count = value["events"]?.int else { return nil }
        func position(_ name: String) -> Position? {
            guard case .object(var members)? = value[name] else { return nil }
            members["class"] = .string("TPV")
            guard case .position(let position)? = try? TPVCodec.decode(.object(members)) else { return nil }  // Then it is not known.
            return position
        }
        self.init(
            count: Int64(count), reference: position("reference"), reducedReference: position("reduced"),
            quarter: value["quarter"]?.int.map { Int64($0) })
    }
}

extension WakeLedger {
    /// Whether anybody is to be woken by significant changes.
    package var wantsSignificantChanges: Bool { entries.values.contains { $0.registration.kinds.contains(.significant) } }

    /// How closely the device must be followed for those who are to be woken; nil when nobody is.
    package func need(isStationary: Bool) -> PositioningNeed? {
        wantsSignificantChanges ? triggers.need(isStationary: isStationary) : nil
    }

    /// Processes a position; returns whether anything must be stored.
    ///
    /// - Parameters:
    ///   - position: the position.
    ///   - told: the same for those who may only know roughly where the device is; nil when they may know nothing.
    ///   - level: what a user may know now.
    package mutating func process(
        _ position: Position, told: PositionReduction.Told?, level: (_ userID: UInt32) -> AuthorisationLevel
    ) -> Bool {
        guard !entries.isEmpty else { return false }
        let (reference, reduced) = (triggers.reference, triggers.reducedReference)
        let isSignificant = triggers.isSignificant(position)
        let news = told.map { triggers.process($0) } ?? (isNew: false, isSignificant: false)
        var hasChanged = triggers.reference != reference || triggers.reducedReference != reduced
        // What a user may know is only looked up when there is something to tell.
        guard isSignificant || news.isNew else { return hasChanged }
        for (key, entry) in entries {
            let wantsChange = entry.registration.kinds.contains(.significant)
            switch level(key.userID) {
            case .full:
                guard isSignificant, wantsChange else { continue }
                hasChanged = add(event(.significant, at: position, for: key, level: .full), for: key) || hasChanged
            case .reduced:
                guard let told, news.isNew else { continue }
                if news.isSignificant, wantsChange {
                    hasChanged = add(event(.significant, at: told.position, for: key, level: .reduced), for: key) || hasChanged
                }
                for kind in WakeKind.allCases where entry.deferredKinds.contains(kind) {
                    hasChanged = add(event(kind, at: told.position, for: key, level: .reduced), for: key) || hasChanged
                }
                entries[key]?.deferredKinds = []
            case .none, .notDetermined: continue
            }
        }
        return hasChanged
    }

    /// Processes an event of a fence; returns whether anything must be stored.
    ///
    /// A user who may only know roughly where the device is gets it with the next reduced position, without the fence and the moment.
    package mutating func process(_ event: TrackerEvent, level: (_ userID: UInt32) -> AuthorisationLevel) -> Bool {
        guard let kind = WakeKind(rawValue: event.kind) else { return false }
        var hasChanged = false
        for (key, entry) in entries where entry.registration.kinds.contains(kind) {
            switch level(key.userID) {
            case .full:
                let json = WakeLedger.json(for: key) { event.write(to: &$0) }
                hasChanged = add(WakeEvent(id: event.id, level: .full, json: json), for: key) || hasChanged
            case .reduced:
                // Once for each event, however often it is repeated after a restart.
                guard !entry.knownIDs.contains(event.id) else { continue }
                entries[key]?.knownIDs.append(event.id)
                entries[key]?.deferredKinds.insert(kind)
                hasChanged = true
            case .none, .notDetermined: continue
            }
        }
        return hasChanged
    }

    /// Adds an event for a rehearsal, with the fields of a real one, and returns its id; nil when there is no such registration.
    package mutating func rehearse(_ key: WakeKey, at position: Position?, level: AuthorisationLevel) -> String? {
        guard let entry = entries[key] else { return nil }
        let kind = WakeKind.allCases.first(where: entry.registration.kinds.contains) ?? .significant
        let id = triggers.makeID("t", at: position?.time)
        let json = WakeLedger.json(for: key) { json in
            json.member("id", id)
            json.member("event", kind.rawValue)
            if kind != .significant { json.member("fence", "test") }
            json.member("test", true)
            if let position { TPVCodec.write(position, to: &json) }
        }
        _ = add(WakeEvent(id: id, level: level, json: json), for: key)
        return id
    }

    /// Forgets where the device was: nothing of that may be kept.
    package mutating func forgetPlaces() { triggers.forget() }

    private mutating func event(_ kind: WakeKind, at position: Position, for key: WakeKey, level: AuthorisationLevel) -> WakeEvent {
        let id = triggers.makeID(kind == .significant ? "s" : "r", at: position.time)
        let json = WakeLedger.json(for: key) { json in
            json.member("id", id)
            json.member("event", kind.rawValue)
            TPVCodec.write(position, to: &json)
        }
        return WakeEvent(id: id, level: level, json: json)
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
