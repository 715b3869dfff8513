import WaypostSystem

/// The devices behind the names of the board's serial lines, even where no `/dev` shows them: on a card in a reader.
///
/// `serial0` is the line of the pins, a different device on each generation: `ttyAMA0` (the full UART) up to the Pi 2 and on the Zero;
/// `ttyS0` (the small one) from the Pi 3 on, whose full one serves Bluetooth unless an overlay moves that; `ttyAMA10` on the Pi 5, where it
/// is a separate connector, and the pins are `ttyAMA0`.
/// - Source: Raspberry Pi documentation, "UART configuration".
struct BoardLines: Sendable {
    /// Overlays that leave the full UART to the pins.
    static let overlays = ["dtoverlay=disable-bt", "dtoverlay=miniuart-bt", "dtoverlay=pi3-disable-bt", "dtoverlay=pi3-miniuart-bt"]
    /// The overlays that give Bluetooth the small one.
    private static let exchanges = ["dtoverlay=miniuart-bt", "dtoverlay=pi3-miniuart-bt"]

    private let tree: SystemTree
    private let headerUART: Board.HeaderUART?
    private let boot: BootConfiguration?

    init(tree: SystemTree, board: Board?) {
        self.tree = tree
        headerUART = board?.headerUART
        boot = board?.bootConfiguration ?? BootConfiguration.any(tree, model: nil)
    }

    /// Whether it is a Raspberry Pi of any model.
    var isRaspberryPi: Bool { headerUART != nil || boot != nil }

    /// The devices that a path may mean: one, or several where the model is unknown.
    func devices(of path: String) -> Set<String> {
        if tree.linkTarget(path) != nil || !isRaspberryPi { return [tree.resolved(path)] }
        switch path {
        case "/dev/serial0": return primary
        case "/dev/serial1": return secondary
        default: return [tree.resolved(path)]
        }
    }

    private var primary: Set<String> {
        let isFull = boot?.line(BoardLines.overlays) != nil
        switch headerUART {
        case .full: return ["/dev/ttyAMA0"]
        case .mini: return [isFull ? "/dev/ttyAMA0" : "/dev/ttyS0"]
        case .besideDebugConnector:
            return [boot?.line(["dtparam=uart0_console", "dtparam=uart0_console=on"]) == nil ? "/dev/ttyAMA10" : "/dev/ttyAMA0"]
        case nil: return isFull ? ["/dev/ttyAMA0"] : ["/dev/ttyAMA0", "/dev/ttyS0"]
        }
    }

    private var secondary: Set<String> {
        guard headerUART == .mini else { return ["/dev/serial1"] }
        return boot?.line(BoardLines.overlays) == nil ? ["/dev/ttyAMA0"] : boot?.line(BoardLines.exchanges) == nil ? [] : ["/dev/ttyS0"]
    }
}
