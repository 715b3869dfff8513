import Waypost
import WaypostSystem

/// A Raspberry Pi, described as far as its serial lines depend on it.
struct Board: Equatable, Sendable {
    /// The model as the board states it: `Raspberry Pi 4 Model B Rev 1.4`.
    var model: Evidence
    /// The settings of `config.txt` for this model; nil when there is no such file.
    var bootConfiguration: BootConfiguration?

    /// What the pins GPIO 14 and 15 are connected to by default.
    enum HeaderUART: Equatable, Sendable {
        /// The full UART.
        case full
        /// The small one, whose speed follows the core clock: the full one serves Bluetooth.
        case mini
        /// `ttyAMA0`, while `serial0` is a separate connector for debugging.
        case besideDebugConnector
    }

    /// The board, when it is a Raspberry Pi.
    init?(_ tree: SystemTree) {
        let files = ["/proc/device-tree/model", "/sys/firmware/devicetree/base/model"]
        guard let model = files.lazy.compactMap(tree.firstLine).first, model.text.hasPrefix("Raspberry Pi") else { return nil }
        self.model = model
        let key = Board.key(of: model.text)
        bootConfiguration = BootConfiguration.any(tree, model: key)
    }

    /// The generation in the words of `config.txt`: `pi4`.
    private static func key(of model: String) -> String {
        let name = model.dropFirst("Raspberry Pi ".count)
        if name.hasPrefix("Zero 2") { return "pi02" }
        if name.hasPrefix("Zero W") { return "pi0w" }
        if name.hasPrefix("Zero") { return "pi0" }
        if name.hasPrefix("Compute Module") { return "cm" + name.filter(\.isNumber).prefix(1) }
        if name.hasPrefix("400") || name.hasPrefix("500") { return "pi" + name.prefix(3) }
        return "pi" + name.filter(\.isNumber).prefix(1)
    }

    /// What the pins are connected to.
    var headerUART: HeaderUART {
        switch Board.key(of: model.text) {
        case "pi5", "pi500", "cm5": .besideDebugConnector
        case "pi3", "pi4", "pi400", "cm4", "pi0w", "pi02": .mini
        default: .full
        }
    }
}

/// `config.txt` of a Raspberry Pi: the lines that apply to one model.
struct BootConfiguration: Equatable, Sendable {
    /// Its path.
    var path: String
    /// The lines that apply, without comments.
    var lines: [Evidence] = []
    /// The lines that apply only to other models.
    var otherLines: [Evidence] = []

    /// The first file found: of a system, or of a boot partition alone.
    static func any(_ tree: SystemTree, model: String?) -> BootConfiguration? {
        ["/boot/firmware/config.txt", "/boot/config.txt", "/config.txt"].lazy.compactMap { BootConfiguration($0, tree, model: model) }.first
    }

    /// - Parameter model: the model's name in filters: `pi4`; nil when unknown, so that only lines for all models apply.
    init?(_ path: String, _ tree: SystemTree, model: String?) {
        guard let all = tree.lines(of: path) else { return nil }
        self.path = path
        var holds = true
        for line in all {
            let text = line.text.filter { $0 != " " && $0 != "\t" }
            if text.isEmpty || text.hasPrefix("#") { continue }
            if text.hasPrefix("["), text.hasSuffix("]") {
                let filter = String(text.dropFirst().dropLast())
                holds = filter == "all" || model.map { isHeading(filter, of: $0) } == true
            } else if holds {
                lines.append(line)
            } else {
                otherLines.append(line)
            }
        }
    }

    /// The line with one of these settings.
    func line(_ settings: [String]) -> Evidence? {
        lines.last { line in settings.contains { line.text.filter { $0 != " " }.split(separator: ",").first.map(String.init) == $0 } }
    }
}

/// Whether a filter names a model.
private func isHeading(_ filter: String, of model: String) -> Bool {
    filter == model || filter + "+" == model || filter == model + "+" || isFamily(filter, model)
}

/// Whether a filter for a generation includes a model: `[pi4]` also applies to the Pi 400 and the Compute Module 4.
private func isFamily(_ filter: String, _ model: String) -> Bool {
    switch filter {
    case "pi0": ["pi0w", "pi02"].contains(model)
    case "pi3": model == "cm3"
    case "pi4": ["pi400", "cm4"].contains(model)
    case "pi5": ["pi500", "cm5"].contains(model)
    default: false
    }
}
