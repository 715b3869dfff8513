import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Notices when the state folder, or the outbox in it, is taken away from under the tracker: what is written there then is gone with the process.
///
/// It looks while something comes from the source, and whenever somebody asks: a tracker at rest is not woken for it.
actor StateWatch: PositioningConsumer {
    private let folder: String
    private let interval: Int64
    private let dispatches: DispatchDesk
    private let logger: Logger
    /// That of the lock file, which this process holds open: no other file gets it.
    private let identity: FileIdentity?
    private var lookedAt = MonotonicClock.milliseconds
    private var isGone = false

    /// A watch over a folder whose lock is held; it looks as often as the log is brought to the disk.
    init(folder: String, dispatches: DispatchDesk, interval: Duration, logger: Logger) {
        (self.folder, self.dispatches, self.logger) = (folder, dispatches, logger)
        self.interval = interval.components.seconds * 1_000
        identity = FileIdentity(of: folder + "/.lock")
    }

    func consume(_ update: PositioningUpdate) async {
        guard MonotonicClock.milliseconds - lookedAt >= interval else { return }
        await look()
    }

    /// What is wrong with the folder now, for people; the outbox in it is looked at, too.
    var problems: [String] {
        get async {
            await look()
            return isGone ? [words] : []
        }
    }

    private var words: String {
        "the state folder \(folder) was removed or replaced: what is kept there is lost with this process; restart the tracker"
    }

    private func look() async {
        lookedAt = MonotonicClock.milliseconds
        let isThere = FileIdentity(of: folder + "/.lock") == identity
        if isGone == isThere {
            isGone = !isThere
            if isGone { logger.error("\(words)") } else { logger.notice("the state folder \(folder) is back") }
        }
        await dispatches.check()
    }
}
