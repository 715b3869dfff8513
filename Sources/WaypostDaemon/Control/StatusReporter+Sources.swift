import Waypost
import WaypostPositioning

extension JSONWriter {
    mutating func append(_ member: SourceMember) {
        object { json in
            json.member("url", member.name)
            json.member("state", member.state.code)
            json.member("active", member.isActive)
            json.member("connected", member.peer)
            if case .lost(let reason) = member.state {
                json.member("reason", reason.code)
                json.member("detail", reason.words)
            }
        }
    }
}

extension SourceMember.State {
    /// The state's name on the wire.
    fileprivate var code: String {
        switch self {
        case .standby: "standby"
        case .starting: "starting"
        case .searching: "searching"
        case .fix: "fix"
        case .lost: "lost"
        case .ended: "finished"
        }
    }
}
