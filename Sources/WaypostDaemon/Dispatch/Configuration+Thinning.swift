import Waypost
import WaypostConfiguration

extension Configuration.Log {
    /// Which fixes are logged.
    var thinning: PositionThinner.Settings {
        var settings = PositionThinner.Settings()
        settings.minimumMetres = minDistanceMetres
        settings.minimumInterval = minInterval
        settings.turnDegrees = minTurnDegrees
        settings.heartbeat = heartbeat
        return settings
    }
}
