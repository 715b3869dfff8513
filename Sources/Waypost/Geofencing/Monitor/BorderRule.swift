/// How a monitor decides that the object has changed sides.
public enum BorderRule: String, Sendable, Hashable, CaseIterable {
    /// From every fix as it came and the straight line between two fixes; nothing is filtered.
    case exact
    /// From an estimate of the position, made from fixes and Doppler velocity; see <doc:Geofences>.
    ///
    /// An event may come up to half a second before the border is reached, when the object is too fast to stop or turn away and the next fix
    /// would come later than that. Such an event ``GeofenceEvent/isPredicted``; its crossing time is extrapolated, and the distance in its
    /// evidence is on the old side.
    case robust
}
