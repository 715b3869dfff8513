import ArgumentParser
import Waypost
import WaypostPositioning
import WaypostSystem

/// `waypost devices`: the serial lines of this device, and who uses them.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the serial ports, what is connected to them and who uses them.",
        discussion: """
            No port is opened. Programs of other users are named only when this runs as root. serial:auto opens the ports marked \
            "receiver"; you can name any other one: serial:///dev/ttyUSB0.

            Example: sudo waypost devices
            """)

    @Option(
        help: ArgumentHelp("Read a saved or made-up system tree instead of this system.", valueName: "folder"),
        completion: .directory, transform: PathValue.parse)
    var root: String?

    @Flag(help: "Print one JSON object per port.")
    var json = false

    func run() throws {
        if let root, !Syscalls.isFolder(root) {
            throw CommandFailure(.inputMissing, what: root, why: "is not a folder", next: "name the root of a saved system tree")
        }
        let devices = DevicesCommand.devices(root: root)
        let output = try OutputStream(path: "-")
        for line in DevicesCommand.lines(devices, json: json) { try output.write(line: line) }
        if !json, let remark = DevicesCommand.remark(devices) { SystemProcess.printError("waypost: \(remark)") }
    }

    /// The serial lines of this system, or of a saved tree.
    static func devices(root: String?) -> [SerialDevice] {
        root.map { saved(in: SystemTree(root: $0)) } ?? SerialDeviceCatalogue().devicesWithHolders()
    }

    /// The lines to print, device by device.
    static func lines(_ devices: [SerialDevice], json: Bool) -> [String] {
        devices.flatMap { json ? [line($0)] : DeviceLines($0).lines }
    }

    /// What to do when nothing is plugged in; nil when something is.
    static func remark(_ devices: [SerialDevice]) -> String? {
        let next = "plug the receiver in, or see dmesg why it does not appear"
        if devices.isEmpty { return "no serial lines; \(next)" }
        return devices.contains { $0.vendorID != nil } ? nil : "nothing is plugged in on USB; \(next)"
    }

    /// The serial lines of a saved tree, with the processes in its `/proc`.
    private static func saved(in tree: SystemTree) -> [SerialDevice] {
        let programs = RunningProgram.all(in: tree) ?? []
        return SerialDeviceCatalogue(root: tree.root).devices().map { device in
            var device = device
            device.holders = programs.filter { $0.lines.contains { $0.device == device.path } }.map { program in
                .process(DeviceHolder(processID: Int32(truncatingIfNeeded: program.processID), name: program.name))
            }
            return device
        }
    }

    private static func line(_ device: SerialDevice) -> String {
        jsonObject { json in
            json.member("class", "SERIAL")
            json.member("path", device.path)
            json.member("receiver", device.knownReceiver)
            json.member("possibly", device.possibleReceiver)
            json.member("vendor_id", device.vendorID.map { hexadecimal($0) })
            json.member("product_id", device.productID.map { hexadecimal($0) })
            json.member("vendor", device.vendorName)
            json.member("product", device.productName)
            json.member("serial", device.serialNumber)
            json.member("driver", device.driver)
            if device.isConsole { json.member("console", true) }
            json.array("by_id") { json in for name in device.byIDNames { json.element(name) } }
            json.array("by_path") { json in for name in device.byPathNames { json.element(name) } }
            json.array("holders") { json in
                for holder in device.holders {
                    json.object { json in
                        if case .process(let process) = holder { json.member("pid", Int(process.processID)) }
                        json.member("program", holder.program)
                    }
                }
            }
        }
    }
}

/// A serial line for people.
private struct DeviceLines {
    let device: SerialDevice

    init(_ device: SerialDevice) {
        self.device = device
    }

    /// The device and what is on it, then its other names and the programs that have it, set in.
    var lines: [String] {
        let names = (device.byIDNames + device.byPathNames).map { "    \(oneLine($0, limit: 255))" }
        return [device.path + ": " + what] + names + device.holders.map { "    in use by \($0.words)" }
    }

    private var what: String {
        var words: [String] = []
        if let receiver = device.knownReceiver { words.append("receiver, \(receiver)") }
        if let possibility = device.possibleReceiver { words.append("perhaps one: \(possibility)") }
        if let vendor = device.vendorID, let product = device.productID {
            words.append("USB \(hexadecimal(vendor)):\(hexadecimal(product))")
            let names = [device.vendorName, device.productName].compactMap { $0 }.joined(separator: " ")
            // The device chooses these words freely.
            if !names.isEmpty { words.append(oneLine(names, limit: 160)) }
        } else {
            words.append("on the board")
        }
        if device.isConsole { words.append("a console: no receiver can be here") }
        if let driver = device.driver { words.append("driver \(driver)") }
        return words.joined(separator: ", ")
    }
}

extension SerialDeviceHolder {
    /// Who it is, for people.
    fileprivate var words: String {
        switch self {
        case .gpsd: "gpsd, which has it on its list"
        case .process(let process): "\(oneLine(process.name)) (process \(process.processID))"
        }
    }

    /// The program's name.
    fileprivate var program: String {
        switch self {
        case .gpsd: "gpsd"
        case .process(let process): process.name
        }
    }
}

private func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
