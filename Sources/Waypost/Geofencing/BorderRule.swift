/// How a change of side is decided.
public enum BorderRule: String, Sendable, Hashable, CaseIterable {
    /// By every fix as it is, and by the straight way between two fixes; nothing is filtered.
    case exact
    /// By an estimate of the position from fixes and Doppler velocity; see <doc:Geofences>.
    case robust
}
