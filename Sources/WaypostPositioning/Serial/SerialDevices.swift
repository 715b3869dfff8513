import Waypost
import WaypostSystem

/// A serial line of this machine, with or without a receiver.
package struct SerialDevice: Sendable, Hashable {
    /// The kernel's name: `ttyUSB0`; a different one after the next plugging.
    package var name: String
    /// The device: `/dev/ttyUSB0`.
    package var path: String
    /// Its links in `/dev/serial/by-id`: by vendor, product and serial number; identical receivers without a number share one.
    package var byIDNames: [String] = []
    /// Its links in `/dev/serial/by-path`: by the socket it is plugged into.
    package var byPathNames: [String] = []
    /// USB vendor and product; nil for a line on the board.
    package var vendorID: UInt16?
    /// See ``vendorID``.
    package var productID: UInt16?
    /// The device's own description, as USB strings.
    package var vendorName: String?
    /// See ``vendorName``.
    package var productName: String?
    /// See ``vendorName``.
    package var serialNumber: String?
    /// The kernel's driver: `cdc_acm`, `ftdi_sio`.
    package var driver: String?
    /// The programs that have it open or claim it, as far as this user may see.
    package var holders: [SerialDeviceHolder] = []
    /// Whether the system uses it as a console: no receiver can be there.
    package var isConsole = false

    /// A line with nothing known but its name.
    package init(name: String) {
        self.name = name
        path = "/dev/\(name)"
    }

    /// The receiver's name, when its ids belong only to a receiver.
    package var knownReceiver: String? {
        guard let vendorID, let productID else { return nil }
        return GNSSProducts.name(vendorID: vendorID, productID: productID)
    }

    /// What it may be, when its ids do not decide: a bridge or a modem that is common with receivers.
    package var possibleReceiver: String? {
        guard knownReceiver == nil, let vendorID, let productID else { return nil }
        return GNSSProducts.possibility(vendorID: vendorID, productID: productID)
    }

    /// Whether `serial:auto` may open it.
    package var isKnownGNSS: Bool { knownReceiver != nil }

    /// The name that stays with the receiver, as far as there is one: a key for stored facts about it.
    package var lastingName: String { byIDNames.first ?? byPathNames.first ?? path }
}

/// A program that uses a serial line.
package enum SerialDeviceHolder: Sendable, Hashable {
    /// gpsd has it on its list, open or not.
    case gpsd
    /// A process has it open.
    case process(DeviceHolder)

    /// Whether it is another waypost.
    var isTracker: Bool { if case .process(let holder) = self { holder.name == DeviceHolder.trackerName } else { false } }

    /// The programs that have the line open or claim it, as far as this user may see, without waypost itself.
    ///
    /// - Parameter gpsdDevices: the result of ``GPSDDevices/list(port:)``.
    static func all(of path: String, gpsdDevices: [String]) -> [SerialDeviceHolder] {
        let device = Syscalls.resolvingLinks(path)
        let claims: [SerialDeviceHolder] = gpsdDevices.contains(device) ? [.gpsd] : []
        return claims + DeviceHolder.all(of: device).filter { !$0.isThisProcess }.map(SerialDeviceHolder.process)
    }
}

/// The serial lines of this machine, as `/sys` and `/dev/serial` show them.
///
/// No line is opened for this.
package struct SerialDeviceCatalogue: Sendable {
    /// The folder that holds `sys` and `dev`; empty for this machine's own.
    package var root: String

    /// The catalogue of this machine, or of a saved or made-up tree.
    package init(root: String = "") {
        self.root = root
    }

    /// Every line, by name; without holders.
    package func devices() -> [SerialDevice] {
        let byID = links(in: "by-id")
        let byPath = links(in: "by-path")
        let tree = SystemTree(root: root)
        let consoles = Set(SerialConsole.all(in: tree).map { tree.resolved($0.path) })
        return names(in: "/sys/class/tty").filter(isLine).map { name in
            var device = SerialDevice(name: name)
            device.byIDNames = byID[name] ?? []
            device.byPathNames = byPath[name] ?? []
            device.isConsole = consoles.contains(device.path)
            describe(&device)
            return device
        }
    }

    /// Every line, by name, with its holders.
    ///
    /// - Parameter gpsdPort: the port on which a gpsd of this machine listens.
    /// - Concurrency: waits for gpsd, two seconds at most; not for a task or an event loop.
    package func devicesWithHolders(gpsdPort: UInt16 = 2_947) -> [SerialDevice] {
        let found = devices()
        if found.isEmpty { return [] }
        let gpsdDevices = GPSDDevices.list(port: gpsdPort)
        return found.map { device in
            var device = device
            device.holders = SerialDeviceHolder.all(of: device.path, gpsdDevices: gpsdDevices)
            return device
        }
    }
}

// MARK: - Reading the tree

extension SerialDeviceCatalogue {
    /// Whether a terminal has hardware behind it; the kernel makes `ttyS` lines for ports that may exist, with type 0.
    private func isLine(_ name: String) -> Bool {
        guard Syscalls.exists("\(root)/sys/class/tty/\(name)/device") else { return false }
        return contents("\(root)/sys/class/tty/\(name)/type") != "0"
    }

    private func describe(_ device: inout SerialDevice) {
        let start = Syscalls.resolvingLinks("\(root)/sys/class/tty/\(device.name)/device")
        device.driver = Syscalls.linkTarget(start + "/driver").map(lastComponent)
        // The USB device is the first folder above the line that has a vendor.
        let top = Syscalls.resolvingLinks(root + "/sys").utf8.count
        var folder = Substring(start)
        while folder.utf8.count > top {
            if let vendor = contents("\(folder)/idVendor").flatMap({ UInt16($0, radix: 16) }) {
                device.vendorID = vendor
                device.productID = contents("\(folder)/idProduct").flatMap { UInt16($0, radix: 16) }
                device.vendorName = contents("\(folder)/manufacturer")
                device.productName = contents("\(folder)/product")
                device.serialNumber = contents("\(folder)/serial")
                return
            }
            guard let slash = folder.lastIndex(of: "/") else { return }
            folder = folder[..<slash]
        }
    }

    /// The links of one of udev's folders, by the name of their line.
    private func links(in kind: String) -> [String: [String]] {
        let folder = "/dev/serial/\(kind)"
        var found: [String: [String]] = [:]
        for link in names(in: folder) {
            guard let target = Syscalls.linkTarget("\(root)\(folder)/\(link)") else { continue }
            found[lastComponent(target), default: []].append("\(folder)/\(link)")
        }
        return found
    }

    private func names(in folder: String) -> [String] {
        (try? Syscalls.names(inFolder: root + folder)) ?? []  // A missing folder means that there are no serial lines.
    }

    /// The first line of a small file, without spaces around it; nil when it is missing or empty.
    private func contents(_ path: String) -> String? {
        let bytes = (try? Syscalls.contents(of: path)) ?? nil  // It was unplugged meanwhile and has no such property.
        guard let line = bytes?.split(separator: 0x0a).first else { return nil }
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") }
        let trimmed = Array(line.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    }

    private func lastComponent(_ path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }
}
