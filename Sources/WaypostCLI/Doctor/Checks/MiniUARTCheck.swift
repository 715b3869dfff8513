import Waypost
import WaypostSystem

/// The UART of a Raspberry Pi's pins: switched off, the small one, or another connector than the name suggests.
enum MiniUARTCheck: DoctorCheck {
    static let name = "uart"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let board = facts.board else {
            // A running machine shows its model.
            let isHidden = facts.programs == nil || facts.boardLines.isRaspberryPi
            return isHidden ? .notChecked("no /proc/device-tree/model, so the model is not known") : .well
        }
        guard let boot = board.bootConfiguration else {
            return .notChecked("\(board.model.text), but no /boot/firmware/config.txt can be read")
        }
        let port = facts.ports.first { isOnPins($0.path) || isOnPins($0.device) }
        let uart0 = boot.line(["dtparam=uart0=on", "dtparam=uart0", "dtparam=uart0_console=on", "dtparam=uart0_console"])
        // On a Pi 5 the other setting is that of the debug connector.
        let isEnabled = board.headerUART == .besideDebugConnector ? uart0 : boot.line(["enable_uart=1"]) ?? uart0
        // Nothing says that the receiver is on the pins: only a user who switched the UART on can mean that.
        guard port != nil || facts.ports.isEmpty && isEnabled != nil && !facts.mayHaveUSBReceiver else { return .well }
        switch board.headerUART {
        case .besideDebugConnector: return besideDebugConnector(facts, board, boot, port, isEnabled)
        case .mini where boot.line(BoardLines.overlays) == nil: return mini(facts, board, boot, port, isEnabled)
        case .mini, .full:
            // The full UART is on unless it is switched off.
            guard let line = boot.line(["enable_uart=0", "enable_uart=1"]), line.text.hasSuffix("0") else { return .well }
            return .found(disabled(board, boot, port, line))
        }
    }

    private static func isOnPins(_ path: String) -> Bool { ["/dev/serial0", "/dev/ttyS0", "/dev/ttyAMA0", "/dev/ttyAMA10"].contains(path) }

    private static func mini(
        _ facts: SystemFacts, _ board: Board, _ boot: BootConfiguration, _ port: ReceiverPort?, _ isEnabled: Evidence?
    ) -> CheckReport {
        // The full UART, which serves Bluetooth, was named: nothing from the pins arrives there.
        var commands = [#"printf '\n[all]\nenable_uart=1\ndtoverlay=disable-bt\n' | sudo tee -a \#(boot.path)"#]
        if facts.tree.exists("/etc/systemd/system/multi-user.target.wants/hciuart.service") {
            commands.append("sudo systemctl disable --now hciuart.service")
        }
        // The small UART's own name has nothing on the pins any more; serial0 is whichever is there.
        if let port, port.path == "/dev/ttyS0" {
            let file = shellWord(port.evidence.file)
            commands.append("\(facts.sudo(for: file))sed -i 's|\(sedPattern(port.path))|/dev/serial0|' \(file)")
        }
        let evidence = [board.model] + [isEnabled, port?.evidence].compactMap { $0 } + (isEnabled == nil ? others(boot) : [])
        let what =
            isEnabled == nil
            ? "the UART of the pins is switched off, and would be the small one: the full one serves Bluetooth"
            : "the pins are on the small UART, whose speed follows the core clock and which loses bytes: the full one serves Bluetooth"
        return .found(Finding(what: what, evidence: evidence, commands: commands + ["sudo reboot"]))
    }

    private static func disabled(_ board: Board, _ boot: BootConfiguration, _ port: ReceiverPort?, _ line: Evidence) -> Finding {
        Finding(
            what: "the UART of the pins is switched off: nothing in \(boot.path) that holds for this model enables it",
            evidence: [board.model, line] + [port?.evidence].compactMap { $0 } + misplaced(boot),
            commands: [#"printf '\n[all]\nenable_uart=1\n' | sudo tee -a \#(boot.path)"#, "sudo reboot"])
    }

    private static func besideDebugConnector(
        _ facts: SystemFacts, _ board: Board, _ boot: BootConfiguration, _ port: ReceiverPort?, _ isEnabled: Evidence?
    ) -> CheckReport {
        if isEnabled == nil {
            let other = boot.line(["enable_uart=1"]).map { [$0] } ?? []
            let evidence = [board.model] + [port?.evidence].compactMap { $0 } + other + others(boot, "dtparam=uart0=on")
            let what =
                "the UART of the pins is switched off" + (other.isEmpty ? "" : ": enable_uart=1 is for the debug connector of this model")
            let naming = port.flatMap { onDebugConnector($0, facts) ? [namingPins($0, facts)] : nil } ?? []
            return .found(
                Finding(
                    what: what + (naming.isEmpty ? "" : "; \(port?.path ?? "") is the debug connector"), evidence: evidence,
                    commands: [#"printf '\n[all]\ndtparam=uart0=on\n' | sudo tee -a \#(boot.path)"#] + naming + ["sudo reboot"]))
        }
        guard let port, onDebugConnector(port, facts) else { return .well }
        return .found(
            Finding(
                what: "\(port.path) is the debug connector of this model; the pins are /dev/ttyAMA0",
                evidence: [board.model, port.evidence],
                commands: [namingPins(port, facts)]
                    + (port.isOfGPSD ? ["sudo systemctl restart gpsd.service"] : facts.restartCommands)))
    }

    /// Whether a port of a Pi 5 is its debug connector: as its link says, or, on a card, the settings.
    private static func onDebugConnector(_ port: ReceiverPort, _ facts: SystemFacts) -> Bool {
        port.device == "/dev/ttyAMA10" || facts.boardLines.devices(of: port.path) == ["/dev/ttyAMA10"]
    }

    /// The command that names the pins of a Pi 5 instead of a port.
    private static func namingPins(_ port: ReceiverPort, _ facts: SystemFacts) -> String {
        let file = shellWord(port.evidence.file)
        return "\(facts.sudo(for: file))sed -i 's|\(sedPattern(port.path))|/dev/ttyAMA0|' \(file)"
    }

    /// A setting under another model's heading is the usual reason.
    private static func others(_ boot: BootConfiguration, _ setting: String = "enable_uart=1") -> [Evidence] {
        let misplaced = misplaced(boot).filter { setting.hasPrefix("enable_uart") || $0.text.contains("uart0") }
        return misplaced.isEmpty ? [Evidence(file: boot.path, text: "no \(setting)")] : misplaced
    }

    private static func misplaced(_ boot: BootConfiguration) -> [Evidence] {
        boot.otherLines.filter { $0.text.contains("enable_uart") || $0.text.contains("uart0") }
    }
}
