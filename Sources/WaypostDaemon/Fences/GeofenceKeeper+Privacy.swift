import WaypostGeofences
import WaypostPositioning

extension GeofenceKeeper {
    /// The fences that the device is inside of, in their order; nil while nobody is told where it is.
    nonisolated func insideIDs(unlessWithheldBy source: PrivateSource) async -> [String]? {
        // Asked after the withholding began, the keeper knows nothing newer.
        let ids = await insideIDs
        return await source.withholding == nil ? ids : nil
    }
}
