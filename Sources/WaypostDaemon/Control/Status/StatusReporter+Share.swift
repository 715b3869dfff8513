import WaypostControl

extension StatusReport.ShareDoor {
    init(_ report: ShareService.Report) {
        self.init()
        name = report.kind.rawValue
        place = report.place.description
        clientCount = report.clientCount
        isOpenToNetwork = report.isOpenToNetwork
        problem = report.problem
        level = report.level
    }
}

extension ShareService.Report {
    /// What is wrong, for the list of problems; nil when all is well.
    var problemWords: String? { problem.map { "[share] \(kind.rawValue): \($0)" } }
}
