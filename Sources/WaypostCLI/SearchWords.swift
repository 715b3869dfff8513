import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// What the tracker reports about its search for a position, for people; the sentences are the tracker's own.
struct SearchWords {
    /// The sources that were tried, each with what was found there.
    let tried: [(source: String, found: String)]
    /// What to do next.
    let next: String
    /// The commands that do it.
    let commands: [String]
    /// How long there has been no position.
    let seconds: Int
    /// What was tried and found, in one line.
    let why: String
    /// What tells one state of the search from another; it does not change with every satellite.
    let key: String

    /// The search in a STATUS answer; nil while there is a position, or for a user who may not see it.
    init?(_ status: StatusReport) {
        guard let search = status.search else { return nil }
        // Of the source in use it is also known how much of the sky it sees.
        let seen = status.source.flatMap { source in
            source.reason == nil || source.reason == .noFix
                ? PositionSearch.satelliteWords(used: source.satellitesUsed, seen: source.satellitesSeen).map { (source.url, $0) } : nil
        }
        tried = search.attempts.map { attempt in
            (attempt.source, attempt.found + (seen.map { $0.0 == attempt.source ? " (\($0.1))" : "" } ?? ""))
        }
        key = search.why + search.next
        why = tried.map { "\($0.source): \($0.found)" }.joined(separator: "; ")
        next = search.next
        commands = search.commands
        seconds = search.seconds
    }

    /// The lines of `status`.
    var screenLines: [String] {
        tried.enumerated().map { "\($0 == 0 ? "tried     " : "          ")\($1.source): \($1.found)" }
            + ["next      \(next)"] + commands.map { StatusScreen.commandIndent + $0 }
    }

    /// The lines of `watch`: what it waits for, since when, and what to do.
    ///
    /// - Parameter moment: the time of day at which the wait began, by the user's clocks.
    func waitingLines(since moment: String) -> [String] {
        ["waiting for a position since \(moment)"] + tried.map { "    \($0.source): \($0.found)" } + ["next: \(next)"]
            + commands.map { "    \($0)" }
    }
}
