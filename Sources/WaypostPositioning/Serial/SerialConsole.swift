import WaypostSystem

/// A serial line that the system uses as a console: it receives what a receiver there sends, and answers it.
///
/// Only this type knows which lines those are; the doctor adds only the logins that it sees running. The boot file counts from the next start
/// on, the command line of the running kernel until then.
package struct SerialConsole: Sendable, Equatable {
    /// The line's name: `ttyS0`, or `serial0` where the board decides which line that is.
    package var name: String
    /// The evidence for it.
    package var evidence: Evidence
    /// The word of the kernel's command line that requests it: `console=serial0,115200`; nil where something else requests it.
    package var word: String?

    /// The device: `/dev/ttyS0`.
    package var path: String { "/dev/\(name)" }

    /// Files with the kernel's command line that the boot loader reads, in a system or on a boot partition alone.
    package static let bootFiles = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt", "/cmdline.txt"]
    /// The command line of the running kernel.
    package static let runningFile = "/proc/cmdline"
    /// The consoles of the running kernel, including those that the device tree requests.
    private static let activeFile = "/sys/class/tty/console/active"
    private static let gettyFolder = "/etc/systemd/system/getty.target.wants"
    private static let gettyPrefix = "serial-getty@"

    /// The first line of the first boot file that exists.
    package static func bootLine(in tree: SystemTree) -> Evidence? { bootFiles.lazy.compactMap(tree.firstLine).first }

    /// The serial consoles of a system, one for each place that requests it.
    package static func all(in tree: SystemTree) -> [SerialConsole] {
        var consoles: [SerialConsole] = []
        for line in [bootLine(in: tree), tree.firstLine(of: runningFile)].compactMap({ $0 }) {
            for word in line.text.split(separator: " ") where word.hasPrefix("console=") {
                let name = word.dropFirst("console=".count).prefix { $0 != "," }
                guard isSerial(name) else { continue }
                let evidence = Evidence(file: line.file, line: line.line, text: String(word))
                consoles.append(SerialConsole(name: String(name), evidence: evidence, word: String(word)))
            }
        }
        for unit in tree.names(in: gettyFolder) ?? [] where unit.hasPrefix(gettyPrefix) && unit.hasSuffix(".service") {
            let name = unit.dropFirst(gettyPrefix.count).dropLast(".service".count)
            guard isSerial(name) else { continue }
            consoles.append(SerialConsole(name: String(name), evidence: Evidence(file: "\(gettyFolder)/\(unit)", text: "enabled")))
        }
        if let active = tree.firstLine(of: activeFile) {
            let isKnown = { (device: String) in consoles.contains { tree.resolved($0.path) == device } }
            for name in active.text.split(separator: " ") where isSerial(name) && !isKnown("/dev/\(name)") {
                consoles.append(SerialConsole(name: String(name), evidence: active))
            }
        }
        return consoles
    }

    /// Whether a name belongs to a serial line.
    package static func isSerial(_ name: Substring) -> Bool {
        ["serial", "ttyS", "ttyAMA", "ttyUSB", "ttyACM"].contains { name.hasPrefix($0) }
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}
