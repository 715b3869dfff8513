import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Notices when the state folder, or the outbox in it, is removed while the tracker runs: what it then writes there is lost with the process.
///
/// It checks while the source delivers something, and at each request: a tracker at rest is not woken for it.
actor StateWatch: PositioningConsumer {
    private let folder: StateFolder
    private let interval: Int64
    private let dispatches: DispatchService
    private let logger: Logger
    private let writeAnew: @Sendable () async -> Void
    private var lookedAt = MonotonicClock.milliseconds
    /// A check while positions arrive: they do not wait for it, because the disk of the state may hang.
    private var looking: Task<Void, Never>?
    /// The problem, in words for people.
    private var problem: String?

    /// A watch over a folder; it checks as often as the log is synced to disk.
    ///
    /// - Parameter writeAnew: writes the state into the empty folder that was locked in its place.
    init(
        folder: StateFolder, dispatches: DispatchService, interval: Duration, logger: Logger,
        writeAnew: @escaping @Sendable () async -> Void
    ) {
        (self.folder, self.dispatches, self.logger, self.writeAnew) = (folder, dispatches, logger, writeAnew)
        self.interval = interval.components.seconds * 1_000
    }

    func consume(_ update: PositioningUpdate) async {
        guard MonotonicClock.milliseconds - lookedAt >= interval, looking == nil else { return }
        looking = Task {
            await look()
            looking = nil
        }
    }

    /// The problems with the folder now, for people; this checks the outbox in it, too.
    var problems: [String] {
        get async {
            await look()
            return problem.map { [$0] } ?? []
        }
    }

    private func look() async {
        lookedAt = MonotonicClock.milliseconds
        let known = problem
        switch folder.look() {
        case .kept:
            problem = nil
            if known != nil { logger.notice("the state folder \(folder.path) is back") }
        case .takenAgain:
            problem = nil
            logger.notice(
                "the state folder \(folder.path) was removed and made anew: it is taken again, and what is kept there is written again")
            await writeAnew()
        case .gone:
            log("the state folder \(folder.path) was removed: what is kept there is lost with this process; make it again", after: known)
        case .held(let holder):
            let who = StateFolder.name(holder)
            log(
                "the state folder \(folder.path) was replaced, and \(who) tracks with it: this one keeps nothing; stop one of them",
                after: known)
        }
        await dispatches.check()
    }

    private func log(_ words: String, after known: String?) {
        problem = words
        if words != known { logger.error("\(words)") }
    }
}
