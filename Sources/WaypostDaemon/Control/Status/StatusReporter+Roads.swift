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
        let (isCovered, problem) = (await roads.covers(position.coordinate), await roads.problem)
        // Of a file that cannot be read nobody knows which area it has.
        report.isCovered = !isCovered && problem?.goesOn == false ? nil : isCovered
        report.place = await manager.mapMatchedPosition.map { MatchedLine($0) }
        return report
    }
}
