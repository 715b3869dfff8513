import WaypostSystem

/// How the installed service is.
enum ServiceState: Equatable {
    /// It is not installed, or no systemd runs.
    case absent
    /// It runs.
    case running
    /// It is on its way.
    case starting
    /// Nobody has started it, or somebody has stopped it.
    case stopped
    /// It ended by itself and is not started again.
    case failed

    /// As systemd says.
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

    /// What `systemctl show --property=ActiveState` has printed.
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
