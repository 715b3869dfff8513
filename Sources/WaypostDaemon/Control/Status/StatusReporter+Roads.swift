import Waypost
import WaypostControl
import WaypostPositioning

extension StatusReporter {
    /// What is said of the roads to those who may know where the device is; nil when no road file is configured.
    func roadReport(_ position: Position?, isWithheld: Bool) async -> StatusReport.Roads? {
        guard let roads else { return nil }
        var report = StatusReport.Roads()
        report.isMatching = await manager.matchesPositions
        report.mode = await manager.mapMatchMode?.rawValue
        guard let position, !isWithheld, report.isMatching else { return report }
        report.isCovered = await roads.covers(position.coordinate)
        report.place = await manager.mapMatchedPosition.map { MatchedLine($0) }
        return report
    }
}
