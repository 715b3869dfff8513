import Waypost
import WaypostConfiguration

extension Configuration.Log {
    /// Which fixes are logged.
    var thinning: PositionThinner.Settings {
        var settings = PositionThinner.Settings()
        settings.minimumMetres = minDistanceMetres
        settings.minimumMilliseconds = Int64(minInterval / .milliseconds(1))
        settings.turnDegrees = minTurnDegrees
        settings.heartbeatMilliseconds = Int64(heartbeat / .milliseconds(1))
        return settings
    }
}
