import Logging
import Waypost
import WaypostConfiguration
import WaypostPositioning

extension Tracker {
    /// What puts positions on roads; nil when no road file is configured.
    ///
    /// A file that cannot be used yet is waited for: raw positions go on.
    func makeRoadMatcher() -> RoadMatcher? {
        guard let path = configuration.matching.roads else {
            if configuration.matching.isEnabled || configuration.log.types.contains(.matched) {
                logger.warning("[matching] roads: names no road file, so no position is put on a road; make one: waypost roads build")
            }
            return nil
        }
        return RoadMatcher(openingLater: path, mode: configuration.matching.mode) { [logger] problem in
            if let problem {
                logger.error("[matching] roads: \(problem.words)")
            } else {
                logger.notice("[matching] roads: \(path) can be used again")
            }
        }
    }

    /// Whether positions are always matched; otherwise that is done while somebody needs it.
    var matchesAlways: Bool {
        configuration.matching.roads != nil
            && (configuration.matching.isEnabled || configuration.log.types.contains { $0 == .matched || $0 == .current })
    }
}
