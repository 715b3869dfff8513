import Foundation
import Waypost
import WaypostSystem

@testable import WaypostCLI

/// A made-up system tree in a temporary folder: a Raspberry Pi 4 with our service and a u-blox on USB, and nothing wrong with it.
final class FakeSystem {
    /// Where it is.
    let path = NSTemporaryDirectory() + "waypost-system-\(UUID().uuidString)"

    /// A system in which all is well.
    init() throws {
        try write("Raspberry Pi 4 Model B Rev 1.4\u{0}", to: "/proc/device-tree/model")
        try write("console=tty1 root=PARTUUID=1-02 rootfstype=ext4 fsck.repair=yes rootwait\n", to: "/boot/firmware/cmdline.txt")
        try write("# comment\ndtparam=audio=on\n[all]\nenable_uart=0\n", to: "/boot/firmware/config.txt")
        try write("/dev/mmcblk0p2 / ext4 rw,noatime 0 0\nproc /proc proc rw 0 0\ntmpfs /run tmpfs rw,nosuid 0 0\n", to: "/proc/mounts")
        try write("cpu  1 2 3\nbtime 1795262400\n", to: "/proc/stat")
        try write("serinfo:1.0 driver revision:\n0: uart:PL011 rev2 irq:29 tx:0 rx:9120 RTS|DTR\n", to: "/proc/tty/driver/ttyAMA")
        try write("XKBLAYOUT=de\n", to: "/etc/default/keyboard")
        try write("3600.10 7000.00\n", to: "/proc/uptime")
        try write("root:x:0:0:root:/root:/bin/bash\nwaypost:x:990:990::/nonexistent:/usr/sbin/nologin\n", to: "/etc/passwd")
        try write("root:x:0:\ndialout:x:20:pi\nwaypost:x:990:\n", to: "/etc/group")
        try write(
            "[Service]\nUser=waypost\nSupplementaryGroups=dialout\n", to: "/usr/lib/systemd/system/waypostd.service")
        try link("/etc/systemd/system/multi-user.target.wants/waypostd.service", to: "/usr/lib/systemd/system/waypostd.service")
        try link("/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service", to: "/lib/systemd/system/systemd-timesyncd.service")
        try makeFolder(above: "/var/lib/waypost/kept/state/last-position")
        try addProcess(1, "systemd")
        try addProcess(700, "waypostd", opens: "/dev/ttyACM0", unit: "waypostd.service")
        try write("Uid:\t990\t990\t990\t990\nGid:\t990\t990\t990\t990\nGroups:\t20 990\nPPid:\t1\n", to: "/proc/700/status")
        try addUSBLine("ttyACM0", number: "166:0", vendor: "1546", product: "01a8")
        try write(
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/root 29000000 4000000 24000000 15% /\n", to: "/commands/df")
        try write("Timezone=UTC\nNTPSynchronized=yes\n", to: "/commands/timedatectl")
        try writeStatus(#""state":"fix","connected":"/dev/ttyACM0 at 9600 baud","satellites_seen":14,"satellites_used":9"#)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, in the place of an earlier one.
    func write(_ text: String, to file: String) throws {
        try makeFolder(above: file)
        try text.write(toFile: path + file, atomically: false, encoding: .utf8)
    }

    /// Adds lines to a file.
    func append(_ text: String, to file: String) throws {
        let old = (try? String(contentsOfFile: path + file, encoding: .utf8)) ?? ""
        try write(old + text, to: file)
    }

    /// Makes a link, in the place of an earlier one.
    func link(_ name: String, to target: String) throws {
        try makeFolder(above: name)
        try? FileManager.default.removeItem(atPath: path + name)
        try FileManager.default.createSymbolicLink(atPath: path + name, withDestinationPath: target)
    }

    /// Removes a file or folder.
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + name) }

    /// A process, with a serial line open or not.
    func addProcess(_ number: Int, _ name: String, opens device: String? = nil, parent: Int = 1, unit: String? = nil) throws {
        try write(name + "\n", to: "/proc/\(number)/comm")
        try write("Name:\t\(name)\nPPid:\t\(parent)\n", to: "/proc/\(number)/status")
        try write("0::/\(unit.map { "system.slice/\($0)" } ?? "user.slice")\n", to: "/proc/\(number)/cgroup")
        try link("/proc/\(number)/fd/0", to: "/dev/null")
        if let device { try link("/proc/\(number)/fd/5", to: device) }
    }

    /// A serial line on USB.
    func addUSBLine(_ name: String, number: String, vendor: String, product: String) throws {
        let device = "/sys/devices/pci0000:00/usb1/1-\(name.suffix(1))"
        let line = "\(device)/1-1:1.0/tty/\(name)"
        try write(vendor + "\n", to: device + "/idVendor")
        try write(product + "\n", to: device + "/idProduct")
        try write(number + "\n", to: line + "/dev")
        try link(line + "/device", to: "../..")
        try link("/sys/class/tty/\(name)", to: "../../" + line.dropFirst("/sys/".count))
    }

    /// What `waypost status --json` would say, with these members of `source`.
    func writeStatus(_ source: String, uptime: Int = 3_600, problems: String = "", more: String = "") throws {
        try write(
            #"{"class":"STATUS","version":"0.1.0","pid":700,"uptime":\#(uptime),"health":"degraded","problems":[\#(problems)],"source":{"url":"serial:auto",\#(source)},"#
                + #""following":{"pace":"following","for":[],"stationary":false}\#(more)}"# + "\n",
            to: "/commands/status.json")
    }

    /// What `waypost status --json` would say after 90 seconds without a position.
    func writeSearch(_ tried: [(source: String, found: String)], _ next: String = "run the doctor", _ commands: [String] = []) throws {
        let attempts = tried.map { #"{"source":"\#($0.source)","found":"\#($0.found)"}"# }.joined(separator: ",")
        let list = commands.map { "\"\($0.replacing("\"", with: "\\\""))\"" }.joined(separator: ",")
        try write(
            #"{"class":"STATUS","version":"0.1.0","pid":700,"uptime":90,"health":"degraded","problems":[],"#
                + #""source":{"url":"\#(tried[0].source)","state":"lost","reason":"disconnected"},"#
                + #""search":{"seconds":90,"why":"x","tried":[\#(attempts)],"next":"\#(next)","commands":[\#(list)]}}"# + "\n",
            to: "/commands/status.json")
    }

    /// The receiver on the pins instead of USB, and the tracker told so.
    func moveToPins(_ configuration: String = "[[source]]\nurl = \"serial:///dev/serial0\"\n") throws {
        try remove("/sys/class/tty/ttyACM0")
        try link("/proc/700/fd/5", to: "/dev/ttyAMA0")
        try link("/dev/serial0", to: "ttyAMA0")
        try write("[all]\nenable_uart=1\ndtoverlay=disable-bt\n", to: "/boot/firmware/config.txt")
        try write(configuration, to: "/etc/waypost/waypost.toml")
    }

    /// What the checks say.
    func examine() -> [(check: String, report: CheckReport)] {
        let tree = SystemTree(root: path)
        return Doctor.examine(SystemFacts(tree: tree, measurements: Measurements(saved: tree)))
    }

    /// The findings, by check.
    func findings(_ level: Finding.Level = .fault) -> [(check: String, finding: Finding)] {
        examine().flatMap { entry in entry.report.findings.map { (entry.check, $0) } }.filter { $0.1.level == level }
    }

    /// Makes an empty folder.
    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + name, withIntermediateDirectories: true)
    }

    private func makeFolder(above file: String) throws {
        let folder = (path + file).split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(atPath: "/" + folder, withIntermediateDirectories: true)
    }
}
