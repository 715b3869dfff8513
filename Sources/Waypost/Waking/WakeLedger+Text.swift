// The ledger as lines of JSON, one for each registration, for the tracker's state.
extension WakeLedger {
    /// A line that is no registration; the others are read all the same.
    package struct Damage: Error, Sendable, Hashable {
        /// How many lines.
        package var lineCount: Int
    }

    /// What survives a restart.
    package var text: [UInt8] {
        var text = TextBuffer(capacity: 1_024)
        text.appendJSON { json in json.object { triggers.write(to: &$0) } }
        text.append(byte: UInt8(ascii: "\n"))
        for key in entries.keys.sorted() {
            guard let entry = entries[key] else { continue }
            text.appendJSON { json in json.object { entry.write(to: &$0) } }
            text.append(byte: UInt8(ascii: "\n"))
        }
        return text.bytes
    }

    /// Reads what an earlier run has written; a line that cannot be read is left out and counted.
    package static func read(_ text: [UInt8]) -> (ledger: WakeLedger, damagedCount: Int) {
        var ledger = WakeLedger()
        var damagedCount = 0
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard ledger.entries.count < most, let value = try? JSONParser(maximumDepth: 8).parse(Array(line)) else {  // It is counted.
                damagedCount += 1
                continue
            }
            if let triggers = WakeTriggers(value) {
                ledger.triggers = triggers
            } else if let entry = Entry(value) {
                ledger.entries[entry.registration.key] = entry
            } else {
                damagedCount += 1
            }
        }
        return (ledger, damagedCount)
    }
}

extension WakeLedger.Entry {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("user", Int(registration.key.userID))
        json.member("name", registration.key.name)
        json.array("on") { json in for kind in WakeKind.allCases where registration.kinds.contains(kind) { json.element(kind.rawValue) } }
        if registration.isUnit { json.member("unit", true) }
        json.member("program", registration.program)
        json.member("since", registration.since)
        if failureCount > 0 { json.member("failures", failureCount) }
        if phase == .failed { json.member("failed", true) }
        if droppedCount > 0 { json.member("dropped", droppedCount) }
        if eventCount > 0 { json.member("made", Int(eventCount)) }
        if let run = lastRun {
            json.object("run") { json in
                json.member("time", run.time)
                json.member("exit", run.exitCode)
                if !run.wasStarted { json.member("started", false) }
                json.member("words", run.words)
                json.array("events") { json in for id in run.eventIDs { json.element(id) } }
            }
        }
        json.array("events") { json in
            for event in events {
                json.object { json in
                    json.member("id", event.id)
                    json.member("time", event.time)
                    json.member("level", event.level.rawValue)
                    json.member("json", json: event.json)
                }
            }
        }
        json.array("known") { json in for id in knownIDs { json.element(id) } }
    }

    fileprivate init?(_ value: JSONValue) {
        guard let userID = value["user"]?.int.flatMap(UInt32.init(exactly:)), let name = value["name"]?.string,
            AccessPolicy.isKey(name),
            let words = value["on"]?.array, let program = value["program"]?.string, let events = value["events"]?.array,
            let known = value["known"]?.array, events.count <= WakeLedger.mostEvents
        else { return nil }
        let kinds = words.compactMap { $0.string.flatMap(WakeKind.init(rawValue:)) }
        guard kinds.count == words.count else { return nil }
        self.init(
            WakeRegistration(
                key: WakeKey(userID: userID, name: name), kinds: Set(kinds), isUnit: value["unit"]?.bool ?? false, program: program,
                since: value["since"]?.time),
            knowing: known.compactMap(\.string))
        for event in events {
            guard let event = WakeEvent(event) else { return nil }
            self.events.append(event)
        }
        failureCount = min(max(value["failures"]?.int ?? 0, 0), WakeLedger.pauses.count + 1)
        if value["failed"]?.bool == true { phase = .failed }
        droppedCount = max(value["dropped"]?.int ?? 0, 0)
        eventCount = Int64(min(max(value["made"]?.int ?? 0, 0), 1 << 52))
        if let run = value["run"] {
            lastRun = WakeRun(
                time: run["time"]?.time, exitCode: run["exit"]?.int, words: run["words"]?.string ?? "",
                eventIDs: (run["events"]?.array ?? []).compactMap(\.string), wasStarted: run["started"]?.bool ?? true)
        }
    }
}

extension WakeEvent {
    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.string, let level = value["level"]?.string.flatMap(AuthorisationLevel.init(rawValue:)),
            let content = value["json"], content.object != nil
        else { return nil }
        var text = TextBuffer()
        text.appendJSON { json in json.element(content) }
        self.init(id: id, time: value["time"]?.time, level: level, json: text.bytes)
    }
}
