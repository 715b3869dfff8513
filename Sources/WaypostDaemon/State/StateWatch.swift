import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Notices when the state folder, or the outbox in it, is removed while the tracker runs: what it then writes there is lost with the process.
///
/// It checks as often as the log is synced to disk, also while the source delivers nothing, and at each request.
actor StateWatch: PositioningConsumer {
    private let folder: StateFolder
    private let interval: Int64
    private let dispatches: DispatchService
    private let logger: Logger
    private let writeAnew: @Sendable () async -> Void
    private var lookedAt = MonotonicClock.milliseconds
    /// A check that nobody waits for, because the disk of the state may hang.
    private var looking: Task<Void, Never>?
    /// The problem, in words for people.
    private var problem: String?

    /// The shortest pause between two checks that nobody asks for.
    private static let shortestPause: Int64 = 1_000

    /// A watch over a folder.
    ///
    /// - Parameter writeAnew: writes the state into the empty folder that was locked in its place.
    init(
        folder: StateFolder, dispatches: DispatchService, interval: Duration, logger: Logger,
        writeAnew: @escaping @Sendable () async -> Void
    ) {
        (self.folder, self.dispatches, self.logger, self.writeAnew) = (folder, dispatches, logger, writeAnew)
        self.interval = interval.components.seconds * 1_000
    }

    func consume(_ update: PositioningUpdate) async { lookIfDue() }

    /// Checks when nothing else makes it, until the task is cancelled.
    func run() async {
        // Cancelled: the tracker ends.
        while (try? await Task.sleep(for: pause)) != nil { lookIfDue() }  // See above.
    }

    private var pause: Duration {
        .milliseconds(max(StateWatch.shortestPause, interval - (MonotonicClock.milliseconds - lookedAt)))
    }

    private func lookIfDue() {
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
