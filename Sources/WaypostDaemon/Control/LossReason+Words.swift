import Waypost
import WaypostControl
import WaypostPositioning

extension LossReason {
    /// The reason's name on the wire.
    var code: LossCode {
        switch self {
        case .noFix: .noFix
        case .silent: .silent
        case .unusable: .unusable
        case .disconnected: .disconnected
        case .deviceGone: .deviceGone
        case .ended: .ended
        case .replaced: .replaced
        case .withheld(.zone): .privacyZone
        case .withheld(.privateMode): .privateMode
        }
    }

    /// For people.
    var words: String {
        switch self {
        case .noFix: "the receiver has no fix"
        case .silent: "the source is silent"
        case .unusable(let detail): "\(detail)"
        case .disconnected(let detail): "not connected: \(detail)"
        case .deviceGone(let detail): "the receiver is gone: \(detail)"
        case .ended: "the source has ended"
        case .replaced: "another source is used now"
        case .withheld(.zone): "inside a privacy zone"
        case .withheld(.privateMode): "private mode is on"
        }
    }
}
