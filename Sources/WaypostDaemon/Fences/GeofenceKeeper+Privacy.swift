import WaypostGeofences
import WaypostPositioning

extension GeofenceKeeper {
    /// The fences that the device is inside of, in order; nil while its place is withheld.
    nonisolated func insideIDs(unlessWithheldBy source: PrivateSource) async -> [String]? {
        // Asked after the withholding began, the keeper has nothing newer.
        let ids = await insideIDs
        return await source.withholding == nil ? ids : nil
    }
}
