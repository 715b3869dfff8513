import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Notices when the state folder, or the outbox in it, is removed while the tracker runs: what it then writes there is lost with the process.
///
/// It checks as often as the log is synced to disk, and at each request. While the source delivers nothing it only checks which files are
/// in their places: five calls of the system, as the processor of a tracker that waits should sleep.
actor StateWatch: PositioningConsumer {
    private let folder: StateFolder
    private let interval: Int64
    private let dispatches: DispatchService
    private let logger: Logger
    private let writeAnew: @Sendable () async -> Void
    private let keepPrivate: @Sendable () -> String?
    private var lookedAt = MonotonicClock.milliseconds
    /// When the files were last found in their places.
    private var foundAt = MonotonicClock.milliseconds
    /// A check that nobody waits for, because the disk of the state may hang.
    private var looking: Task<Void, Never>?
    /// Which files the outbox had at the last check; empty while they change.
    private var outboxFiles: [FileIdentity?] = []
    /// The problem, in words for people.
    private var problem: String?
    /// Why private mode is not kept, in words for people.
    private var privateProblem: String?

    /// The shortest pause between two checks that nobody asks for.
    private static let shortestPause: Int64 = 1_000

    /// A watch over a folder.
    ///
    /// - Parameters:
    ///   - keepPrivate: stores that private mode is on where that failed; returns why it cannot be stored.
    ///   - writeAnew: writes the state into the empty folder that was locked in its place.
    init(
        folder: StateFolder, dispatches: DispatchService, interval: Duration, logger: Logger,
        keepPrivate: @escaping @Sendable () -> String?, writeAnew: @escaping @Sendable () async -> Void
    ) {
        (self.folder, self.dispatches, self.logger) = (folder, dispatches, logger)
        (self.keepPrivate, self.writeAnew) = (keepPrivate, writeAnew)
        self.interval = interval.components.seconds * 1_000
    }

    func consume(_ update: PositioningUpdate) async { lookIfDue() }

    /// Checks when nothing else makes it, until the task is cancelled.
    func run() async {
        // Cancelled: the tracker ends.
        while (try? await Task.sleep(for: pause)) != nil {  // See above.
            guard restMilliseconds <= 0, looking == nil else { continue }
            if isAsBefore, keepPrivate() == nil { foundAt = MonotonicClock.milliseconds } else { lookIfDue() }
        }
    }

    private var pause: Duration { .milliseconds(max(StateWatch.shortestPause, restMilliseconds)) }

    /// How long it is until the files must be in their places again.
    private var restMilliseconds: Int64 { interval - (MonotonicClock.milliseconds - max(lookedAt, foundAt)) }

    /// Whether there was nothing to report, and every file is where it was.
    private var isAsBefore: Bool {
        problem == nil && privateProblem == nil && !outboxFiles.isEmpty && folder.isKept && foundOutboxFiles == outboxFiles
            && dispatches.isWell
    }

    private var foundOutboxFiles: [FileIdentity?] {
        SQLiteDatabase.suffixes.map { FileIdentity(ofOwn: DispatchOpening.path(in: folder.kept) + $0) }
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
            return [problem, privateProblem].compactMap(\.self)
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
        let knownPrivate = privateProblem
        privateProblem = keepPrivate()
        if let privateProblem, privateProblem != knownPrivate { logger.error("\(privateProblem)") }
        if knownPrivate != nil, privateProblem == nil { logger.notice("private mode is kept over restarts again") }
        let found = foundOutboxFiles
        await dispatches.check()
        outboxFiles = foundOutboxFiles == found ? found : []
    }

    private func log(_ words: String, after known: String?) {
        problem = words
        if words != known { logger.error("\(words)") }
    }
}
