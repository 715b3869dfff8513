/// Who wants to be woken, what has happened for them, and what became of it.
///
/// ```
///           add            take                 finish: 0
/// [idle] ---------> [due] ------> [under way] --------------> [idle]
///                    ^ ^               | failed
///                    | | back-off      v
///                    | +------- [waiting until] ---- after the last try ----> [failed] -- add --> [due]
///                    | back-off, or take
///                    +---------- [unheard until] <---- nobody came ---- [announced] <---- announce ---- [due]
/// ```
/// - An event is kept until it is acknowledged: by the program's exit code 0, or by its `ack`. After that it is never told again, even if it is
///   added again: the ids of the last events are remembered.
/// - What its user may not know now is withheld, and kept: a mistake in the policy takes nothing from anybody. So is everything
///   in private mode.
/// - A program that is attached gets its events on its connection; it is not started.
/// - What must survive a restart is written by ``text``; what was under way before a restart is due again.
///
/// - Concurrency: a value; its owner passes the time in milliseconds of a clock that never goes back, and stores it after each change.
package struct WakeLedger: Sendable {
    /// What becomes of the events of a registration.
    package enum Phase: Sendable, Hashable {
        /// Nothing is to be done, or what there is may be done at once.
        case idle
        /// Somebody who can start the program was called.
        case announced(until: Int64)
        /// Nobody came; whoever comes gets the events at once, and somebody is called again.
        case unheard(until: Int64)
        /// The program runs.
        case underWay(until: Int64)
        /// It has failed, and is tried again.
        case waiting(until: Int64)
        /// It has failed too often; the next event tries again.
        case failed
    }

    /// A registration and its events.
    package struct Entry: Sendable, Hashable {
        /// The registration.
        package var registration: WakeRegistration
        /// The events that are not acknowledged, the oldest first.
        package var events: [WakeEvent] = []
        /// What becomes of them.
        package var phase = Phase.idle
        /// How often in a row it has failed.
        package var failureCount = 0
        /// How often in a row nobody came who can start it.
        var unheardCount = 0
        /// How many events were dropped because there were too many.
        package var droppedCount = 0
        /// How the last start ended.
        package var lastRun: WakeRun?
        /// Whether the program is connected.
        package var isAttached = false
        /// What its user may know now.
        package internal(set) var level = AuthorisationLevel.full
        /// Whether private mode is on, as its user may notice: nobody is told anything then.
        var isPrivate = false
        /// The ids of events that were added, the newest last.
        private(set) var knownIDs: [String] = []
        /// How many events were made for it, for their ids: the number of those of others would tell how the device moves.
        var eventCount: Int64 = 0

        init(_ registration: WakeRegistration, knowing ids: [String] = []) {
            self.registration = registration
            knownIDs = ids.suffix(WakeLedger.knownCount)
        }

        /// The events that its user may know now, the oldest first.
        package var tellable: [WakeEvent] { isPrivate ? [] : events.filter { $0.level <= level } }

        /// Whether its program runs, started or connected, as far as is known.
        package var runs: Bool { if case .underWay = phase { true } else { isAttached } }

        /// Remembers the id of an event; returns false when it was known.
        mutating func know(_ id: String) -> Bool {
            guard !knownIDs.contains(id) else { return false }
            knownIDs.append(id)
            if knownIDs.count > WakeLedger.knownCount { knownIDs.removeFirst() }
            return true
        }

        /// A new id.
        mutating func makeID(_ letter: Character, at time: UTCTime?) -> String {
            eventCount += 1
            return "\(letter)-\(eventCount)-\((time?.millisecondsSince1970 ?? 0) / 1_000)"
        }

        /// Notes that events were removed: without any there is nothing to try again.
        mutating func noteRemoval() {
            guard events.isEmpty else { return }
            failureCount = 0
            switch phase {
            case .announced, .waiting, .failed, .unheard: phase = .idle
            case .idle, .underWay: break
            }
        }
    }

    /// The registrations.
    package internal(set) var entries: [WakeKey: Entry] = [:]
    /// What decides which changes are significant.
    var triggers = WakeTriggers()
    /// How many events were made for removed registrations of a user at most: one of the same name must not use their ids again.
    private var madeCounts: [UInt32: Int64] = [:]

    /// The largest number of registrations of a user, and of all.
    package static let mostOfUser = 32
    /// The largest number of registrations.
    package static let most = 256
    /// The largest number of events that wait for one registration; after that the oldest are dropped.
    package static let mostEvents = 64
    /// The number of ids that are remembered for each registration.
    static let knownCount = 256
    /// The pauses before the second try, the third, and so on, in seconds; after the last of them it has failed.
    package static let pauses: [Int64] = [5, 15, 60, 300, 900, 3_600]
    /// The largest size of the events that a program gets at once, each with its line feed, bytes; the oldest come first.
    package static let mostBytes = 64 << 10
    /// How long a program may run, in seconds.
    package static let runSeconds = 60
    /// How long to wait for somebody who can start it, and beyond a program's time for the one who started it, milliseconds.
    package static let patience: Int64 = 30_000
    /// How long whoever starts a program has for that and for saying how it ended, milliseconds.
    package static let handedOutMilliseconds = Int64(runSeconds) * 1_000 + patience

    /// A ledger without registrations.
    package init() {}

    // MARK: - Registrations

    /// Why a registration is not taken.
    package enum Refusal: Error, Sendable, Hashable {
        /// The user, or all together, have too many.
        case tooMany
    }

    /// Adds a registration, in place of the one of that name, whose events it keeps.
    package mutating func register(_ registration: WakeRegistration) throws(Refusal) {
        let key = registration.key
        if entries[key] == nil {
            guard entries.count < WakeLedger.most, entries.keys.count(where: { $0.userID == key.userID }) < WakeLedger.mostOfUser else {
                throw .tooMany
            }
        }
        var entry = entries[key] ?? Entry(registration)
        let since = entries[key]?.registration.since
        entry.registration = registration
        if entries[key] != nil { entry.registration.since = since }
        entry.failureCount = 0
        // One that runs is not started a second time for that.
        if case .underWay = entry.phase {} else { entry.phase = .idle }
        entry.eventCount = max(entry.eventCount, madeCounts[key.userID] ?? 0)
        entries[key] = entry
    }

    /// Removes a registration with its events; returns false when there is none.
    ///
    /// With the last one, where the device was is forgotten.
    package mutating func unregister(_ key: WakeKey) -> Bool {
        guard let entry = entries.removeValue(forKey: key) else { return false }
        if entry.eventCount > 0 { madeCounts[key.userID] = max(entry.eventCount, madeCounts[key.userID] ?? 0) }
        if entries.isEmpty { triggers.forget() }
        return true
    }

    /// Notes what the user of each registration may know now.
    ///
    /// - Parameters:
    ///   - isPrivate: whether private mode is on: what has happened before waits for its end.
    ///   - isHeldBack: the same for those who may only know roughly where the device is: for them it ends with a quarter of an hour.
    ///   - level: what a user may know.
    package mutating func setLevels(
        isPrivate: Bool = false, isHeldBack: Bool = false, _ level: (_ userID: UInt32) -> AuthorisationLevel
    ) {
        var known: [UInt32: AuthorisationLevel] = [:]
        for key in entries.keys {
            let level = known[key.userID] ?? level(key.userID)
            known[key.userID] = level
            entries[key]?.level = level
            entries[key]?.isPrivate = isPrivate || isHeldBack && level == .reduced
        }
    }

    /// Notes whether the program of a registration is connected.
    package mutating func setAttached(_ isAttached: Bool, _ key: WakeKey) { entries[key]?.isAttached = isAttached }

    // MARK: - Events

    /// Adds an event; returns false when it was added before, or there is no such registration.
    package mutating func add(_ event: WakeEvent, for key: WakeKey) -> Bool {
        guard var entry = entries[key], entry.know(event.id) else { return false }
        entry.events.append(event)
        if entry.events.count > WakeLedger.mostEvents {
            entry.events.removeFirst()
            entry.droppedCount += 1
        }
        if entry.phase == .failed { (entry.phase, entry.failureCount) = (.idle, 0) }
        entries[key] = entry
        return true
    }

    /// Removes the events that their users may not know any more, because somebody has decided so; returns how many, by registration.
    package mutating func removeWithheld() -> [WakeKey: Int] {
        removeEvents { event, entry in event.level > entry.level }
    }

    /// Removes what is known of a stretch of time: the events of it, where the device was then, and what programs have written since.
    ///
    /// - Returns: whether there was anything.
    package mutating func forget(_ stretch: Range<UTCTime>) -> Bool {
        var hasChanged = !removeEvents { event, _ in event.isOf(stretch) }.isEmpty
        for (key, entry) in entries {
            guard let run = entry.lastRun, !run.words.isEmpty, run.time.map({ $0 >= stretch.lowerBound }) ?? true else { continue }
            entries[key]?.lastRun?.words = ""
            hasChanged = true
        }
        if triggers.isOf(stretch) {
            triggers.forget()
            hasChanged = true
        }
        return hasChanged
    }

    private mutating func removeEvents(where isUnwanted: (WakeEvent, Entry) -> Bool) -> [WakeKey: Int] {
        var counts: [WakeKey: Int] = [:]
        for (key, entry) in entries {
            let rest = entry.events.filter { !isUnwanted($0, entry) }
            guard rest.count < entry.events.count else { continue }
            counts[key] = entry.events.count - rest.count
            entries[key]?.events = rest
            entries[key]?.noteRemoval()
        }
        return counts
    }

    /// Removes an event for good; returns false when it was not there.
    package mutating func acknowledge(_ id: String, for key: WakeKey) -> Bool {
        guard let place = entries[key]?.events.firstIndex(where: { $0.id == id }) else { return false }
        entries[key]?.events.remove(at: place)
        entries[key]?.noteRemoval()
        return true
    }

    // MARK: - Starts

    /// The registrations whose programs are to be started now.
    package func due(at now: Int64) -> [WakeKey] {
        entries.filter { $1.isDue(at: now) }.keys.sorted()
    }

    /// When a registration becomes due next that is not now; nil for never.
    package func nextDue(after now: Int64) -> Int64? {
        entries.values.compactMap { entry in
            if entry.tellable.isEmpty || entry.isAttached { return nil }
            return entry.until.flatMap { $0 > now ? $0 : nil }
        }.min()
    }

    /// Notes that somebody was called who can start the program; returns false when it is not to be started now.
    package mutating func announce(_ key: WakeKey, at now: Int64) -> Bool {
        guard entries[key]?.isDue(at: now) == true else { return false }
        entries[key]?.phase = .announced(until: now + WakeLedger.patience)
        return true
    }

    /// What was handed out and was not answered in time counts as failed; where nobody came, somebody is called again later.
    package mutating func expire(at now: Int64) {
        for (key, entry) in entries {
            switch entry.phase {
            case .announced(let until) where until <= now:
                let pause = WakeLedger.pauses[min(entry.unheardCount, WakeLedger.pauses.count - 1)]
                entries[key]?.phase = entry.events.isEmpty ? .idle : .unheard(until: now + pause * 1_000)
                entries[key]?.unheardCount += 1
            case .underWay(let until) where until <= now: fail(key, at: now)
            default: break
            }
        }
    }

    /// Hands out the events of a registration to be started with, the oldest first; nil when it is not to be started now.
    ///
    /// They are at most ``mostBytes`` long, but at least one; the rest is handed out when these are acknowledged.
    package mutating func take(_ key: WakeKey, at now: Int64) -> [WakeEvent]? {
        guard let entry = entries[key], !entry.isAttached else { return nil }
        let events = entry.tellable
        guard let first = events.first else { return nil }
        switch entry.phase {
        case .idle, .announced, .unheard: break
        case .waiting(let until): if until > now { return nil }
        case .underWay, .failed: return nil
        }
        entries[key]?.phase = .underWay(until: now + WakeLedger.handedOutMilliseconds)
        entries[key]?.unheardCount = 0
        var (taken, byteCount) = ([first], first.json.count + 1)
        for event in events.dropFirst() {
            byteCount += event.json.count + 1
            guard byteCount <= WakeLedger.mostBytes else { break }
            taken.append(event)
        }
        return taken
    }

    /// Notes that the program runs already, as somebody has started it for an earlier run of the tracker; returns false when there is no such registration.
    package mutating func resume(_ key: WakeKey, at now: Int64) -> Bool {
        guard entries[key] != nil else { return false }
        entries[key]?.phase = .underWay(until: now + WakeLedger.handedOutMilliseconds)
        return true
    }

    /// Notes how a start ended: with success its events are acknowledged; a unit that was started does that itself, and is started again if not.
    package mutating func finish(_ key: WakeKey, _ run: WakeRun, eventIDs: [String], at now: Int64) {
        guard let entry = entries[key] else { return }
        entries[key]?.lastRun = run
        if run.exitCode == 0, !entry.registration.isUnit {
            for id in eventIDs { _ = acknowledge(id, for: key) }
            entries[key]?.phase = .idle
            entries[key]?.failureCount = 0
        } else if entry.events.isEmpty || entry.events.contains(where: { eventIDs.contains($0.id) }) {
            fail(key, at: now)
        } else if case .underWay = entry.phase {
            // Others have come meanwhile.
            entries[key]?.phase = .idle
        }
    }

    /// Notes that whoever had the events has gone without a word.
    package mutating func lose(_ key: WakeKey, at now: Int64) {
        guard case .underWay? = entries[key]?.phase else { return }
        fail(key, at: now)
    }

    private mutating func fail(_ key: WakeKey, at now: Int64) {
        guard var entry = entries[key] else { return }
        defer { entries[key] = entry }
        // It has acknowledged everything itself.
        guard !entry.events.isEmpty else { return entry.phase = .idle }
        entry.failureCount += 1
        let pause = entry.failureCount <= WakeLedger.pauses.count ? WakeLedger.pauses[entry.failureCount - 1] : nil
        entry.phase = pause.map { .waiting(until: now + $0 * 1_000) } ?? .failed
    }
}

extension WakeLedger.Entry {
    /// When the phase ends by itself.
    fileprivate var until: Int64? {
        switch phase {
        case .announced(let until), .unheard(let until), .underWay(let until), .waiting(let until): until
        case .idle, .failed: nil
        }
    }

    /// Whether the program is to be started.
    fileprivate func isDue(at now: Int64) -> Bool {
        guard !tellable.isEmpty, !isAttached, phase != .failed else { return false }
        return until.map { $0 <= now } ?? true
    }
}
