import Waypost
import WaypostControl
import WaypostSystem

/// Says what `watch` waits for when nothing has been shown for a while, so that its screen is never blank; each reason once.
struct WatchPatience {
    // Before the first line the screen is empty; later a short pause means nothing.
    private static let firstMilliseconds: Int64 = 1_500
    private static let laterMilliseconds: Int64 = 6_000

    /// Whether only events are watched.
    let isForEvents: Bool
    private let format: ScreenFormat
    private var nextLookAt = MonotonicClock.milliseconds + WatchPatience.firstMilliseconds
    private var told = ""
    /// What keeps positions away, as far as is known.
    private(set) var why: String?

    init(isForEvents: Bool, _ format: ScreenFormat) {
        self.isForEvents = isForEvents
        self.format = format
    }

    /// How long until there is something to say, in milliseconds.
    var milliseconds: Int64 { max(0, nextLookAt - MonotonicClock.milliseconds) }

    /// Notes that something was shown.
    mutating func noteShown() {
        nextLookAt = MonotonicClock.milliseconds + WatchPatience.laterMilliseconds
        told = ""
    }

    /// The lines that say what it waits for now; none when they were shown already.
    ///
    /// - Parameter limit: how long the tracker may take to say so.
    mutating func look(_ client: inout ControlClient, within limit: Duration) -> [String] {
        nextLookAt = MonotonicClock.milliseconds + WatchPatience.laterMilliseconds
        // A tracker that does not answer has ended, or will: the next line of the watch says so.
        guard let status = try? client.ask(StatusRequest(), timeout: limit) else { return [] }  // See above.
        let search = SearchWords(status)
        why = search?.why
        var isReduced = false
        if search == nil {
            let access = try? client.ask(CapabilitiesRequest(), timeout: limit)  // See above.
            isReduced = access?.authorisation.level == .reduced
        }
        let key = search?.key ?? words(status, isReduced: isReduced)
        if key == told { return [] }
        told = key
        guard let search else { return [key] }
        let began = UTCTime(millisecondsSince1970: WallClock.milliseconds - Int64(search.seconds) &* 1_000)
        return search.waitingLines(since: String(format.timeOfDay(began).prefix("15:25:00".count)))
    }

    /// What it waits for while there is a position.
    private func words(_ status: StatusReport, isReduced: Bool) -> String {
        if status.privacy?.isPrivate == true { return "waiting: private mode is on; end it with waypost private off" }
        if status.privacy?.isWithheld == true { return "waiting: inside a privacy zone" }
        if isForEvents { return "waiting for events" }
        if isReduced {
            return "waiting: you may know only roughly where the device is, at most four times an hour (waypost request --reason)"
        }
        switch status.following?.pace {
        case .asleep?, .sampling?: return "waiting: the receiver sleeps between two samples"
        default: return "waiting: there is a position, but no new fix that these options ask for"
        }
    }
}
