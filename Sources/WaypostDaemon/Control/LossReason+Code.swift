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
}
