import ArgumentParser
import Waypost
import WaypostPositioning
import WaypostSystem

/// `waypost devices`: the serial lines of this box, and who has them.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the serial lines, what hangs on them and who has them.",
        discussion: """
            No line is opened. Programs of other users are only named when this runs as root. A line marked "receiver" is one that \
            serial:auto opens; any other can be named: serial:///dev/ttyUSB0.

            Example: sudo waypost devices
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() throws {
        let devices = SerialDeviceCatalogue().devicesWithHolders()
        let output = try OutputStream(path: "-")
        if devices.isEmpty, !json {
            SystemProcess.printError("waypost: no serial lines; plug the receiver in, or see dmesg why it does not appear")
        }
        for device in devices { try output.write(line: json ? line(device) : DeviceLines(device).text) }
    }

    private func line(_ device: SerialDevice) -> String {
        var text = TextBuffer()
        text.appendJSON { json in
            json.object { json in
                json.member("class", "SERIAL")
                json.member("path", device.path)
                json.member("receiver", device.knownReceiver)
                json.member("vendor_id", device.vendorID.map { hexadecimal($0) })
                json.member("product_id", device.productID.map { hexadecimal($0) })
                json.member("vendor", device.vendorName)
                json.member("product", device.productName)
                json.member("serial", device.serialNumber)
                json.member("driver", device.driver)
                json.array("by_id") { json in for name in device.byIDNames { json.element(name) } }
                json.array("by_path") { json in for name in device.byPathNames { json.element(name) } }
                json.array("holders") { json in for holder in device.holders { json.element(holder.words) } }
            }
        }
        return text.string
    }
}

/// A serial line for people.
private struct DeviceLines {
    let device: SerialDevice

    init(_ device: SerialDevice) {
        self.device = device
    }

    var text: String {
        var lines = [device.path + ": " + what]
        lines += (device.byIDNames + device.byPathNames).map { "    \($0)" }
        lines += device.holders.map { "    in use by \($0.words)" }
        return lines.joined(separator: "\n")
    }

    private var what: String {
        var words: [String] = []
        if let receiver = device.knownReceiver { words.append("receiver, \(receiver)") }
        if let vendor = device.vendorID, let product = device.productID {
            words.append("USB \(hexadecimal(vendor)):\(hexadecimal(product))")
            let names = [device.vendorName, device.productName].compactMap { $0 }.joined(separator: " ")
            if !names.isEmpty { words.append(names) }
        } else {
            words.append("on the board")
        }
        if let driver = device.driver { words.append("driver \(driver)") }
        return words.joined(separator: ", ")
    }
}

extension SerialDeviceHolder {
    /// Who it is, for people.
    fileprivate var words: String {
        switch self {
        case .gpsd: "gpsd"
        case .process(let process): "\(process.name) (process \(process.processID))"
        }
    }
}

private func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
