import WaypostRecording
import WaypostSystem

extension OddLogFile {
    /// What was found and what became of it, for people.
    var words: String {
        switch fate {
        case .setAside(let aside): "\(path): \(what); it is set aside as \(aside)"
        case .stays(let reason): "\(path): \(cause.reason); it cannot be set aside: \(reason)"
        case .isNotRead: "\(path): \(cause.reason); until the journal is back, its track is not read"
        }
    }

    /// What it is, without what to do.
    private var what: String { String(cause.reason.prefix { $0 != ";" }) }
}
