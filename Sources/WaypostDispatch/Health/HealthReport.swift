import Waypost

/// The tracker's state, as destinations get it now and then: that it is alive, how much waits, and what may soon go wrong.
///
/// ```
/// {"destination":"home","version":"0.1.0","uptime":86400,"waiting":12,"oldest_seconds":340,"dead_letters":0,"dropped":0,
///  "disk_free":1073741824,"clock":"certain","fences":40,"fence_set":"9f86d081884c7d65"}
/// ```
/// Unknown values are left out. It does not contain the device's position.
package struct HealthReport: Sendable, Hashable {
    /// The state of the clock.
    package enum Clock: String, Sendable, Hashable {
        /// The time is known from a time server, or from fixes that have agreed for a long time.
        case certain
        /// The time is known from fixes, since a short time.
        case confirmed
        /// The receiver contradicts the known time.
        case doubted
        /// The time is unknown.
        case unknown
    }

    /// The destination of the queue, which alone gets the report.
    package var destination: String
    /// The tracker's version.
    package var version: String
    /// How long it has run, seconds.
    package var uptimeSeconds: Int
    /// How many records wait for the destination; nil when that cannot be read.
    package var waitingCount: Int?
    /// The age of the oldest of them, seconds; nil when none waits, or no clock can measure it.
    package var oldestSeconds: Int?
    /// How many records the destination refused.
    package var deadLetterCount: Int?
    /// How many records it never got, because the outbox was full or they were too old.
    package var droppedCount: Int?
    /// The free space on the log's disk, bytes.
    package var diskFreeByteCount: Int64?
    /// The state of the clock.
    package var clock = Clock.unknown
    /// How many fences there are.
    package var fenceCount = 0
    /// A fingerprint that changes whenever the fences do; nil without fences.
    package var fenceSet: String?

    /// A report with only these values known.
    package init(destination: String, version: String, uptimeSeconds: Int) {
        self.destination = destination
        self.version = version
        self.uptimeSeconds = uptimeSeconds
    }

    /// The fingerprint of the fences, the same in any order, 16 hexadecimal digits; nil without fences.
    ///
    /// - Cost: writes every fence once.
    package static func fenceSet(_ fences: [Geofence]) -> String? {
        if fences.isEmpty { return nil }
        let bytes = FenceFormat.write(fences.sorted { $0.id < $1.id }, as: .geojson).text.bytes
        var hash = SHA256()
        hash.update(bytes.span.bytes)
        return String(SHA256.hexadecimal(hash.finish()).prefix(16))
    }

    /// The JSON that is sent.
    package var json: JSONValue {
        let members: [(String, JSONValue?)] = [
            ("destination", .string(destination)), ("version", .string(version)), ("uptime", .integer(Int64(uptimeSeconds))),
            ("waiting", waitingCount.map { .integer(Int64($0)) }), ("oldest_seconds", oldestSeconds.map { .integer(Int64($0)) }),
            ("dead_letters", deadLetterCount.map { .integer(Int64($0)) }), ("dropped", droppedCount.map { .integer(Int64($0)) }),
            ("disk_free", diskFreeByteCount.map { .integer($0) }), ("clock", .string(clock.rawValue)),
            ("fences", .integer(Int64(fenceCount))), ("fence_set", fenceSet.map { .string($0) }),
        ]
        return .object(Dictionary(uniqueKeysWithValues: members.compactMap { name, value in value.map { (name, $0) } }))
    }
}

extension DispatchRecord {
    /// Whether it is meant for a destination: a health report is only for the destination of its queue.
    func isMeant(for destination: String) -> Bool {
        guard case .health(let report) = content, let name = report["destination"]?.string else { return true }
        return name == destination
    }
}

extension Dispatcher {
    /// The age of the oldest record that waits for a destination; nil when none waits, or no clock can measure it.
    package func oldestAge(of name: String) async throws(OutboxError) -> Duration? {
        let state = try await outbox.state(of: name)
        let entry = try await outbox.entries(after: state.eventCursor, limit: 20).first { !state.settledEvents.contains($0.number) }
        var ages = [entry.flatMap { clock.age(of: $0.moment) }]
        let later: [PositionCursor.Stretch] = state.positions.isOpen ? [.init(after: state.positions.live, through: .max)] : []
        for stretch in state.positions.stretches + later {
            let page: PositionPage
            do throws(PositionSupplyError) {
                page = try await supply.positions(after: stretch.after, through: stretch.through, limit: 1)
            } catch { throw .cannotAccess(path: "the log", reason: error.reason) }
            ages.append(page.positions.first?.position.time.flatMap(clock.age(of:)))
        }
        return ages.compactMap(\.self).max()
    }
}
