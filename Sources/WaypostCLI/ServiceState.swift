import WaypostSystem

/// The state of the installed service.
enum ServiceState: Equatable {
    /// It is not installed, or systemd does not run.
    case absent
    /// It runs.
    case running
    /// It is starting.
    case starting
    /// It was not started, or was stopped.
    case stopped
    /// It ended by itself and is not restarted.
    case failed

    /// The state from systemd.
    ///
    /// - Cost: runs systemctl, for two seconds at most.
    static var now: ServiceState {
        let tree = SystemTree(root: "")
        guard SystemFacts.unitPath(in: tree) != nil, tree.exists("/run/systemd/system") else { return .absent }
        do throws(SystemError) {
            let command = try ShellCommand.start("exec systemctl show --property=ActiveState waypostd.service 2>/dev/null")
            return ServiceState(try command.result(withinMilliseconds: 2_000).output)
        } catch {
            return .absent
        }
    }

    /// Parses the output of `systemctl show --property=ActiveState`.
    init(_ output: [UInt8]) {
        switch String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) {
        case "ActiveState=active", "ActiveState=reloading": self = .running
        case "ActiveState=activating": self = .starting
        case "ActiveState=failed": self = .failed
        case "ActiveState=inactive", "ActiveState=deactivating": self = .stopped
        default: self = .absent
        }
    }
}
