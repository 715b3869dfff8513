import Waypost
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

extension JSONWriter {
    mutating func append(_ pace: PositioningPace) {
        switch pace {
        case .stopped: member("pace", "stopped")
        case .unneeded: member("pace", "unneeded")
        case .everyFix: member("pace", "every_fix")
        case .sampling: member("pace", "sampling")
        case .asleep(let pause):
            member("pace", "asleep")
            member("asleep_seconds", Int(pause / .seconds(1)))
        }
    }

    mutating func append(_ client: PositioningClient) {
        object { json in
            json.member("reason", client.reason)
            switch client.need {
            case .everyFix: json.member("need", "every_fix")
            case .within(let milliseconds):
                json.member("need", "within")
                json.member("seconds", Double(milliseconds) / 1_000)
            }
        }
    }
}
