import Waypost
import WaypostPositioning

extension LossReason {
    /// The reason's name on the wire.
    var code: String {
        switch self {
        case .noFix: "no_fix"
        case .silent: "silent"
        case .unusable: "unusable"
        case .disconnected: "disconnected"
        case .deviceGone: "device_gone"
        case .ended: "ended"
        case .replaced: "replaced"
        case .withheld(.zone): "privacy_zone"
        case .withheld(.privateMode): "private"
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
