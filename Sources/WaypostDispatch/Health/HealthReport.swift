import Waypost

/// How the tracker is, as a destination is told now and then: that it lives, what waits, and what may soon be wrong.
///
/// ```
/// {"destination":"home","version":"0.1.0","uptime":86400,"waiting":12,"oldest_seconds":340,"dead_letters":0,"dropped":0,
///  "disk_free":1073741824,"clock":"certain","fences":40,"fence_set":"9f86d081884c7d65"}
/// ```
/// What is not known is absent. It says nothing of where the box is.
public struct HealthReport: Sendable, Hashable {
    /// What is known of the time.
    public enum Clock: String, Sendable, Hashable {
        /// A time server or fixes that agree for long.
        case certain
        /// Fixes, since a short time.
        case confirmed
        /// The receiver contradicts what is known.
        case doubted
        /// Nothing.
        case unknown
    }

    /// The destination whose queue it is, which alone gets the report.
    public var destination: String
    /// The tracker's version.
    public var version: String
    /// How long it has run, seconds.
    public var uptimeSeconds: Int
    /// How many records wait for the destination; nil when that cannot be read.
    public var waitingCount: Int?
    /// How old the oldest of them is, seconds; nil when none waits, or no clock can tell.
    public var oldestSeconds: Int?
    /// How many records the destination refused.
    public var deadLetterCount: Int?
    /// How many it never got, as the outbox was full or they were too old.
    public var droppedCount: Int?
    /// What is free on the disk of the log, bytes.
    public var diskFreeByteCount: Int64?
    /// What is known of the time.
    public var clock = Clock.unknown
    /// How many fences there are.
    public var fenceCount = 0
    /// What differs whenever the fences do; nil without fences.
    public var fenceSet: String?

    /// A report of which only this much is known.
    public init(destination: String, version: String, uptimeSeconds: Int) {
        self.destination = destination
        self.version = version
        self.uptimeSeconds = uptimeSeconds
    }

    /// The same for the same fences in any order, 16 hexadecimal digits; nil without fences.
    ///
    /// - Cost: writes every fence once.
    public static func fenceSet(_ fences: [Geofence]) -> String? {
        if fences.isEmpty { return nil }
        let bytes = FenceFormat.write(fences.sorted { $0.id < $1.id }, as: .geojson).text.bytes
        var hash = SHA256()
        hash.update(bytes.span.bytes)
        return String(SHA256.hexadecimal(hash.finish()).prefix(16))
    }

    /// What is sent.
    public var json: JSONValue {
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
    /// Whether it is meant for a destination: a report of health is for the one whose queue it tells of.
    func isMeant(for destination: String) -> Bool {
        guard case .health(let report) = content, let name = report["destination"]?.string else { return true }
        return name == destination
    }
}

extension Dispatcher {
    /// How old the oldest record is that waits for a destination; nil when none waits, or no clock can tell.
    public func oldestAge(of name: String) async throws(OutboxError) -> Duration? {
        let state = try await outbox.state(of: name)
        let entry = try await outbox.entries(after: state.eventCursor, limit: 20).first { !state.settledEvents.contains($0.number) }
        var ages = [entry.flatMap { clock.age(of: $0.moment) }]
        for stretch in state.takesPositions ? state.positions.stretches + [.init(after: state.positions.live, through: .max)] : [] {
            let page: PositionPage
            do throws(PositionSupplyError) {
                page = try await supply.positions(after: stretch.after, through: stretch.through, limit: 1)
            } catch { throw .cannotAccess(path: "the log", reason: error.reason) }
            ages.append(page.positions.first?.position.time.flatMap(clock.age(of:)))
        }
        return ages.compactMap(\.self).max()
    }
}
