import WaypostControl
import WaypostRecording

/// Messages about a log that is switched off.
enum LogSwitch {
    /// The state of the log for people, after the word "log".
    static let isOff = "off ([log] types = [])"
    /// Why a fix was not logged.
    static let reason = "the log is off: [log] types = []"
}

extension ControlRefusal {
    /// The refusal of a request that needs the log, while it is off.
    init(logIsOffFor what: String) {
        self.init(.notFound, what: what, why: "the log is off, and there are no tracks here", next: "switch it on: [log] types = [\"raw\"]")
    }
}
