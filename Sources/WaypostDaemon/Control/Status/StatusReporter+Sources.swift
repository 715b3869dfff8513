import Waypost
import WaypostControl
import WaypostPositioning

extension StatusReport.Member {
    init(_ member: SourceMember) {
        self.init()
        url = member.name
        state = member.state.code
        isActive = member.isActive
        connected = member.peer
        if case .lost(let loss) = member.state { (reason, detail) = (loss.code, "\(loss)") }
    }
}

extension StatusReport.Search {
    init(_ report: SearchReporter.Report) {
        self.init()
        seconds = Int(report.milliseconds / 1_000)
        why = report.search.why
        attempts = report.search.attempts.map { StatusReport.Attempt(source: $0.source, found: $0.found) }
        next = report.search.advice
        commands = report.search.commands
    }
}

extension SourceMember.State {
    /// The state's name on the wire.
    fileprivate var code: StatusReport.SourceState {
        switch self {
        case .standby: .standby
        case .starting: .starting
        case .searching: .searching
        case .fix: .fix
        case .lost: .lost
        case .ended: .finished
        }
    }
}
