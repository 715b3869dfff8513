import WaypostControl
import WaypostRecording

/// What is said of a log that is switched off.
enum LogSwitch {
    /// That it is off, for people, after "log".
    static let isOff = "off ([log] types = [])"
    /// Why a fix was not logged.
    static let reason = "the log is off: [log] types = []"
}

extension ControlRefusal {
    /// A log that is off cannot do that.
    init(logIsOffFor what: String) {
        self.init(.notFound, what: what, why: "the log is off, and there are no tracks here", next: "switch it on: [log] types = [\"raw\"]")
    }
}
