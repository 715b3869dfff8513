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
    /// It is masked: nothing can start it.
    case masked
    /// It ended by itself and is not restarted.
    case failed
    /// It ended by itself, and is about to be started again.
    case restarting

    /// The state from systemd.
    ///
    /// - Cost: runs systemctl, for two seconds at most.
    static var now: ServiceState {
        let tree = SystemTree(root: "")
        guard SystemFacts.unitPath(in: tree) != nil, tree.exists("/run/systemd/system") else { return .absent }
        do throws(SystemError) {
            let command = try ShellCommand.start(
                "exec systemctl show --property=LoadState --property=ActiveState --property=SubState waypostd.service 2>/dev/null")
            return ServiceState(try command.result(withinMilliseconds: 2_000).output)
        } catch {
            return .absent
        }
    }

    /// Parses the output of `systemctl show --property=LoadState --property=ActiveState --property=SubState`.
    init(_ output: [UInt8]) {
        let lines = output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let isRestarting = lines.contains("SubState=auto-restart")
        switch lines.first(where: { $0.hasPrefix("ActiveState=") }) {
        case "ActiveState=active", "ActiveState=reloading": self = .running
        case "ActiveState=activating": self = isRestarting ? .restarting : .starting
        case "ActiveState=failed": self = .failed
        case "ActiveState=inactive", "ActiveState=deactivating": self = lines.contains("LoadState=masked") ? .masked : .stopped
        default: self = .absent
        }
    }
}
