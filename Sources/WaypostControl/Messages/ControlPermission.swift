import Waypost

/// Who may make a request.
public enum ControlPermission: Sendable, Hashable {
    /// Every local user; what the answer holds depends on what the user may know.
    case anybody
    /// Whoever may know roughly where the device is.
    case reduced
    /// Whoever may know the position.
    case full
    /// Root, the tracker's own user, and the members of its group.
    case operators
    /// Root and the tracker's own user.
    case administrators

    /// Whether a client may make such a request.
    package func allows(_ access: PeerAccess) -> Bool {
        switch self {
        case .anybody: true
        case .reduced: access.level >= .reduced
        case .full: access.level == .full
        case .operators: access.isOperator
        case .administrators: access.isAdministrator
        }
    }
}
