import Waypost
import WaypostControl
import WaypostPositioning

extension PositioningPace {
    /// Whether positions should come now.
    var isFollowing: Bool {
        switch self {
        case .everyFix, .sampling: true
        case .asleep, .stopped, .unneeded: false
        }
    }
}

extension StatusReport.Following {
    /// What is said of a pace and of those for whom it is.
    init(_ pace: PositioningPace, for clients: [PositioningClient], isStationary: Bool) {
        self.init()
        switch pace {
        case .stopped: self.pace = .stopped
        case .unneeded: self.pace = .unneeded
        case .everyFix: self.pace = .everyFix
        case .sampling: self.pace = .sampling
        case .asleep(let pause): (self.pace, asleepSeconds) = (.asleep, Int(pause / .seconds(1)))
        }
        self.clients = clients.map(StatusReport.Client.init)
        self.isStationary = isStationary
    }
}

extension StatusReport.Client {
    fileprivate init(_ client: PositioningClient) {
        self.init()
        reason = client.reason
        switch client.need {
        case .everyFix: need = .everyFix
        case .within(let interval): (need, seconds) = (.within, interval / .seconds(1))
        }
    }
}
