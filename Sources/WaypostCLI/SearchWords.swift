import Waypost
import WaypostSystem

/// What the tracker says of its search for a position, for people; the sentences are the tracker's own.
struct SearchWords {
    /// The sources that were tried, each with what was found there.
    let tried: [(source: String, found: String)]
    /// What to do next.
    let next: String
    /// The commands that do it.
    let commands: [String]
    /// For how long there has been no position.
    let seconds: Int
    /// What was tried and found, in one line.
    let why: String

    /// What a STATUS answer says; nil while there is a position, or to somebody who may not see it.
    init?(_ status: JSONValue) {
        guard let search = status["search"], let why = search["why"]?.string else { return nil }
        self.why = why
        tried = (search["tried"]?.array ?? []).map { ($0["source"]?.string ?? "?", $0["found"]?.string ?? "?") }
        next = search["next"]?.string ?? ""
        commands = (search["commands"]?.array ?? []).compactMap(\.string)
        seconds = search["seconds"]?.int ?? 0
    }

    /// The lines of `status`.
    var screenLines: [String] {
        tried.enumerated().map { "\($0 == 0 ? "tried     " : "          ")\($1.source): \($1.found)" }
            + ["next      \(next)"] + commands.map { StatusScreen.commandIndent + $0 }
    }

    /// The lines of `watch`: why it waits, since when, and what to do.
    ///
    /// - Parameter moment: the time of day at which the wait began, as the person's clocks show it.
    func waitingLines(since moment: String) -> [String] {
        ["waiting: \(why), since \(moment)", "next: \(next)"] + commands.map { "    \($0)" }
    }
}
