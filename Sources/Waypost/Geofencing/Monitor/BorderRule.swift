/// How a change of side is decided.
public enum BorderRule: String, Sendable, Hashable, CaseIterable {
    /// From every fix as it is, and the straight line between two fixes; nothing is filtered.
    case exact
    /// From an estimate of the position, made of fixes and Doppler velocity; see <doc:Geofences>.
    ///
    /// An event may come up to half a second before the border is met: when the object is too fast to stop or turn off any more, and the
    /// next fix would come later than that. Such an event ``GeofenceEvent/isPredicted``; its time of the crossing is extrapolated, and its evidence
    /// has a distance on the old side.
    case robust
}
