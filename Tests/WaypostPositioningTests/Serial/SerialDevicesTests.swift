import Foundation
import Testing
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The catalogue on a tree as Linux makes it: two USB devices, a line on the board, and terminals that are none.
@Suite struct SerialDevicesTests {
    @Test func describesWhatIsPluggedIn() throws {
        let root = try SystemTree()
        try root.addUSBDevice(
            "ttyACM0", interface: "1-1:1.0", driver: "cdc_acm", vendor: "1546", product: "01a8",
            strings: ["manufacturer": "u-blox AG - www.u-blox.com", "product": "u-blox GNSS receiver"])
        try root.addUSBDevice(
            "ttyUSB0", interface: "1-2:1.0/ttyUSB0", driver: "ftdi_sio", vendor: "0403", product: "6001",
            strings: ["manufacturer": "FTDI", "product": "FT232R USB UART", "serial": "A700eXyZ"])
        try root.link("/dev/serial/by-id/usb-u-blox_AG_-_www.u-blox.com_u-blox_GNSS_receiver-if00", to: "../../ttyACM0")
        try root.link("/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0", to: "../../ttyACM0")
        let devices = SerialDeviceCatalogue(root: root.path).devices()
        try #require(devices.map(\.name) == ["ttyACM0", "ttyUSB0"])
        var ublox = SerialDevice(name: "ttyACM0")
        ublox.byIDNames = ["/dev/serial/by-id/usb-u-blox_AG_-_www.u-blox.com_u-blox_GNSS_receiver-if00"]
        ublox.byPathNames = ["/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0"]
        (ublox.vendorID, ublox.productID) = (0x1546, 0x01a8)
        (ublox.vendorName, ublox.productName) = ("u-blox AG - www.u-blox.com", "u-blox GNSS receiver")
        ublox.driver = "cdc_acm"
        #expect(devices[0] == ublox)
        #expect(devices[0].knownReceiver == "u-blox 8")
        #expect(devices[0].lastingName == ublox.byIDNames[0])
        #expect(devices[1].serialNumber == "A700eXyZ" && devices[1].driver == "ftdi_sio")
        #expect(!devices[1].isKnownGNSS, "any cable may have that bridge")
        #expect(devices[1].lastingName == "/dev/ttyUSB0")
    }

    @Test func leavesOutTerminalsWithoutHardware() throws {
        let root = try SystemTree()
        try root.addBoardLine("ttyAMA0", driver: "uart-pl011", type: "32")
        try root.addBoardLine("ttyS5", driver: "serial8250", type: "0")
        try root.makeFolder("/sys/devices/virtual/tty/tty0")
        try root.link("/sys/class/tty/tty0", to: "../../devices/virtual/tty/tty0")
        let devices = SerialDeviceCatalogue(root: root.path).devices()
        #expect(devices.map(\.name) == ["ttyAMA0"])
        #expect(devices.first?.driver == "uart-pl011")
        #expect(devices.first?.vendorID == nil && devices.first?.isKnownGNSS == false)
    }

    @Test(arguments: ["/proc/cmdline", "/sys/class/tty/console/active"])
    func knowsWhichLinesAreConsoles(file: String) throws {
        let root = try SystemTree()
        try root.addBoardLine("ttyS0", driver: "serial8250", type: "4")
        try root.addBoardLine("ttyS1", driver: "serial8250", type: "4")
        try root.write(file == "/proc/cmdline" ? "console=tty0 console=ttyS0,115200n8 quiet" : "tty0 ttyS0", to: file)
        let devices = SerialDeviceCatalogue(root: root.path).devices()
        #expect(devices.map(\.isConsole) == [true, false])
    }

    @Test func findsTheConsoleBehindTheNameOfTheBoard() throws {
        let root = try SystemTree()
        try root.addBoardLine("ttyAMA0", driver: "uart-pl011", type: "32")
        try root.link("/dev/serial0", to: "ttyAMA0")
        try root.write("console=serial0,115200 console=tty1", to: "/boot/firmware/cmdline.txt")
        #expect(SerialDeviceCatalogue(root: root.path).devices().map(\.isConsole) == [true])
    }

    @Test func findsNothingWhereNothingIs() throws {
        #expect(SerialDeviceCatalogue(root: try SystemTree().path).devices() == [])
        #expect(SerialDeviceCatalogue(root: "/nowhere").devices() == [])
    }

    @Test(arguments: [("067b", "2303"), ("0403", "6001"), ("10c4", "ea60"), ("1a86", "7523"), ("2c7c", "0125"), ("091e", "0003")])
    func neverTakesABridgeOrAModemForAReceiver(vendor: String, product: String) throws {
        let root = try SystemTree()
        try root.addUSBDevice("ttyUSB3", interface: "1-1:1.0/ttyUSB3", driver: "any", vendor: vendor, product: product, strings: [:])
        #expect(SerialDeviceCatalogue(root: root.path).devices().map(\.isKnownGNSS) == [false])
    }

    @Test(arguments: ["01a5", "01a6", "01a7", "01a8", "01a9"])
    func knowsTheReceiversOfUBlox(product: String) throws {
        let root = try SystemTree()
        try root.addUSBDevice("ttyACM1", interface: "1-1:1.0", driver: "cdc_acm", vendor: "1546", product: product, strings: [:])
        #expect(SerialDeviceCatalogue(root: root.path).devices().map(\.isKnownGNSS) == [true])
    }

    @Test func namesTheProcessThatHasALineOpen() throws {
        let terminal = try PseudoTerminal()
        defer { terminal.unplug() }
        #expect(DeviceHolder.all(of: terminal.path) == [])
        let reader = try HoldingProcess(terminal.path)
        defer { reader.end() }
        #expect(DeviceHolder.all(of: terminal.path) == [DeviceHolder(processID: reader.processID, name: "sleep")])
    }

    /// Every container counts its pseudo terminals anew: its /dev/pts/3 is another one.
    @Test(.enabled(if: geteuid() == 0, "mounts a file system of pseudo terminals, as root"))
    func takesNoTerminalOfAContainerForItsOwn() async throws {
        let terminal = try PseudoTerminal()
        defer { terminal.unplug() }
        let number = try #require(terminal.path.split(separator: "/").last.flatMap { Int($0) })
        let container = Process()
        container.executableURL = URL(filePath: "/usr/bin/unshare")
        container.arguments = [
            "--mount", "--kill-child", "--fork", "sh", "-ec",
            """
            mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts
            mount --bind /dev/pts/ptmx /dev/ptmx
            exec python3 -c 'import os, time
            ends = [os.openpty() for _ in range(\(number + 1))]
            print(os.ttyname(ends[-1][1]), flush=True)
            time.sleep(600)'
            """,
        ]
        let output = Pipe()
        container.standardOutput = output
        try container.run()
        // It ignores SIGTERM; its child ends with it.
        defer { kill(container.processIdentifier, SIGKILL) }
        let opened = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(opened.trimmingCharacters(in: .whitespacesAndNewlines) == terminal.path)
        #expect(DeviceHolder.all(of: terminal.path) == [])
    }
}

/// A made-up `/sys` and `/dev` in a temporary folder.
private final class SystemTree {
    let path = NSTemporaryDirectory() + "waypost-tree-\(UUID().uuidString)"

    init() throws { try makeFolder("/sys/class/tty") }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func makeFolder(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: path + folder, withIntermediateDirectories: true)
    }

    func link(_ name: String, to target: String) throws {
        try makeFolder(String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]))
        try FileManager.default.createSymbolicLink(atPath: path + name, withDestinationPath: target)
    }

    func write(_ text: String, to file: String) throws {
        try makeFolder(String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]))
        try (text + "\n").write(toFile: path + file, atomically: false, encoding: .utf8)
    }

    func addUSBDevice(
        _ name: String, interface: String, driver: String, vendor: String, product: String, strings: [String: String]
    ) throws {
        let device = "/sys/devices/pci0000:00/0000:00:14.0/usb1/\(interface.prefix(3))"
        let line = "\(device)/\(interface)"
        try makeFolder("\(line)/tty/\(name)")
        try write(vendor, to: device + "/idVendor")
        try write(product, to: device + "/idProduct")
        for (key, value) in strings { try write(value, to: "\(device)/\(key)") }
        try link(line + "/driver", to: "/sys/bus/usb/drivers/\(driver)")
        try link("\(line)/tty/\(name)/device", to: "../..")
        try link("/sys/class/tty/\(name)", to: "../../" + "\(line)/tty/\(name)".dropFirst("/sys/".count))
    }

    func addBoardLine(_ name: String, driver: String, type: String) throws {
        let line = "/sys/devices/platform/\(name).port"
        try makeFolder("\(line)/tty/\(name)")
        try link(line + "/driver", to: "/sys/bus/platform/drivers/\(driver)")
        try link("\(line)/tty/\(name)/device", to: "../..")
        try write(type, to: "\(line)/tty/\(name)/type")
        try link("/sys/class/tty/\(name)", to: "../../" + "\(line)/tty/\(name)".dropFirst("/sys/".count))
    }
}
