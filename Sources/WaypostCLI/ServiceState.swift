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
    /// It ended by itself and is not restarted; its exit code, if it had one.
    case failed(ExitStatus?)
    /// It ended by itself, and is about to be started again.
    case restarting(ExitStatus?)

    /// The code with which it ended by itself.
    var exitStatus: ExitStatus? {
        switch self {
        case .failed(let status), .restarting(let status): status
        case .absent, .running, .starting, .stopped, .masked: nil
        }
    }

    /// The state from systemd.
    ///
    /// - Cost: runs systemctl, for two seconds at most.
    static var now: ServiceState {
        let tree = SystemTree(root: "")
        guard SystemFacts.unitPath(in: tree) != nil, tree.exists("/run/systemd/system") else { return .absent }
        do throws(SystemError) {
            let command = try ShellCommand.start(
                "exec systemctl show --property=LoadState --property=ActiveState --property=SubState --property=ExecMainCode --property=ExecMainStatus waypostd.service 2>/dev/null"
            )
            return ServiceState(try command.result(withinMilliseconds: 2_000).output)
        } catch {
            return .absent
        }
    }

    /// Parses the output of `systemctl show` with these properties; `ExecMainCode` is 1 (`CLD_EXITED`) for a program that was not killed.
    init(_ output: [UInt8]) {
        let lines = output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let status = lines.first { $0.hasPrefix("ExecMainStatus=") }.flatMap { Int32($0.dropFirst("ExecMainStatus=".count)) }
        let end = lines.contains("ExecMainCode=1") ? status.flatMap { ExitStatus(rawValue: $0) } : nil
        let isRestarting = lines.contains("SubState=auto-restart")
        switch lines.first(where: { $0.hasPrefix("ActiveState=") }) {
        case "ActiveState=active", "ActiveState=reloading": self = .running
        case "ActiveState=activating": self = isRestarting ? .restarting(end) : .starting
        case "ActiveState=failed": self = .failed(end)
        case "ActiveState=inactive", "ActiveState=deactivating": self = lines.contains("LoadState=masked") ? .masked : .stopped
        default: self = .absent
        }
    }
}
