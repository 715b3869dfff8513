/// What a program that asks may be told at the moment: the last report and the satellites.
///
/// It holds nothing that the privacy gate has withheld since: a loss, and a place that was made coarse, remove what was known before.
/// - Concurrency: a value; one owner for all doors.
package struct SharedState: Sendable, Equatable {
    /// The last thing that was heard from the source.
    package enum Report: Sendable, Equatable {
        /// Nothing yet.
        case nothing
        /// There is no fix.
        case noFix(NoFix)
        /// A position.
        case position(Position)
    }

    /// What to tell those who listen, because of a change.
    package enum News: Sendable, Equatable {
        /// A position, and the satellites if there is a view since the last position.
        case position(Position, newSky: SkyView?)
        /// There is no fix, after a loss, too; the satellites if there is a view since the last report.
        case noFix(NoFix, newSky: SkyView?)
        /// The satellites in view; of some receivers just before their position, of others just after it.
        case sky(SkyView)
    }

    /// The name under which the source is told: a device's path, or ``anonymousDevice``.
    package private(set) var device = SharedState.anonymousDevice
    /// Other names of the device.
    package private(set) var deviceAliases: [String] = []
    /// When something was last heard from the source, by this machine's clock.
    package private(set) var heardAt: UTCTime?
    /// The last report.
    package private(set) var report = Report.nothing
    /// The satellites in view.
    package private(set) var sky: SkyView?
    /// Grows when what was known before may not be told any more: something that is to be told later must find it unchanged.
    package private(set) var withdrawalCount = 0
    /// Whether the view came after the last report.
    private var isSkyNew = false

    /// The name of a source that is no device; the name of a recording or of a server is nobody's business.
    package static let anonymousDevice = "waypost"
    /// The longest path that libgps has room for, bytes.
    private static let longestPath = 127

    /// Nothing is known yet.
    package init() {}

    /// Tells which device the positions come from; nil, or a path that gpsd's protocol cannot carry, for none.
    package mutating func setDevice(_ path: String?, aliases: [String] = []) {
        device =
            path.flatMap { $0.utf8.count <= SharedState.longestPath && $0.utf8.allSatisfy { $0 > 0x20 } ? $0 : nil } ?? Self.anonymousDevice
        deviceAliases = aliases
    }

    /// Whether a program that asks for a device means this one.
    package func isDevice(_ path: String) -> Bool { path == device || deviceAliases.contains(path) }

    /// A position has come.
    package mutating func process(_ position: Position, at now: UTCTime) -> News {
        heardAt = now
        report = .position(position)
        // The satellites above a place were seen from the place itself.
        if position.accuracy?.origin == .reduced { withdrawSky() }
        defer { isSkyNew = false }
        return .position(position, newSky: isSkyNew ? sky : nil)
    }

    /// The satellites in view have come.
    package mutating func process(_ view: SkyView, at now: UTCTime) -> News {
        heardAt = now
        (sky, isSkyNew) = (view, true)
        return .sky(view)
    }

    /// The source has no fix.
    package mutating func process(_ noFix: NoFix, at now: UTCTime) -> News {
        heardAt = now
        report = .noFix(noFix)
        defer { isSkyNew = false }
        return .noFix(noFix, newSky: isSkyNew ? sky : nil)
    }

    /// The position is lost, or may not be seen any more; nil when that is known already.
    package mutating func lose() -> News? {
        withdrawSky()
        if case .noFix = report { return nil }
        defer { report = .noFix(NoFix(time: nil)) }
        guard case .position = report else { return nil }
        return .noFix(NoFix(time: nil), newSky: nil)
    }

    private mutating func withdrawSky() {
        (sky, isSkyNew) = (nil, false)
        withdrawalCount += 1
    }
}
