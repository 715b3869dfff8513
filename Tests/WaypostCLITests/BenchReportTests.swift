import Foundation
import Testing
import WaypostControl
import WaypostSystem

@testable import WaypostCLI

/// `waypost doctor --bench`: its text, from figures that are known.
struct BenchReportTests {
    @Test func endsWithAChecksumThatOtherProgramsFind() throws {
        let report = BenchReport(lines: [.init(name: "board", value: "Raspberry Pi 4"), .init(name: "odd\u{1B}", value: "a\nb")])
        let lines = report.text.split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "waypost bench 1" && lines[1] == "board      Raspberry Pi 4")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/sha256sum")
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        input.fileHandleForWriting.write(Data((lines.dropLast().joined(separator: "\n") + "\n").utf8))
        try input.fileHandleForWriting.close()
        let sum = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).prefix(64)
        #expect(lines[3] == "checksum   \(sum)")
    }

    @Test func tellsWhatTheTrackerTookAndWhatTheReceiverGave() {
        let first = TrackerBench.Sample(milliseconds: 0, ticks: 100, wakeUps: 500, positions: 40)
        let last = TrackerBench.Sample(
            milliseconds: 60_000, ticks: 130, wakeUps: 1_100, residentKilobytes: 13_700, anonymousKilobytes: 1_500, positions: 640)
        var status = StatusReport()
        status.uptimeSeconds = 7_200
        var source = StatusReport.Source()
        (source.url, source.state, source.connected) = ("serial:///dev/ttyAMA0", .fix, "u-blox, 38400 baud")
        (source.satellitesSeen, source.satellitesUsed) = (14, 9)
        status.source = source
        #expect(
            TrackerBench.lines(from: first, to: last, status: status).map { "\($0.name): \($0.value)" } == [
                "tracker: over 60 s, resident 13.4 MB, anonymous 1.5 MB, processor 0.50 %, 10.0 wake-ups/s, running for 2 h",
                "receiver: serial, u-blox, 38400 baud, fix, 9 of 14 satellites used, 10.00 positions/s logged",
            ])
    }

    /// The address of a server, the name of a recording and a command say who or where somebody is.
    @Test func namesNoAddressOfASource() {
        for url in ["nmea-tcp://van.example.org:10110", "nmea:/home/anna/home.nmea", "exec:ssh anna@home gps", "gpx:/media/anna/a.gpx"] {
            var status = StatusReport()
            var source = StatusReport.Source()
            (source.url, source.connected) = (url, "van.example.org")
            status.source = source
            let sample = TrackerBench.Sample(milliseconds: 0)
            let text = TrackerBench.lines(from: sample, to: sample, status: status).map(\.value).joined()
            #expect(!text.contains("anna") && !text.contains("example"), "\(text)")
        }
    }

    @Test func readsTheBoard() throws {
        let system = try FakeSystem()
        try system.write("Raspberry Pi Zero 2 W Rev 1.0\u{0}", to: "/proc/device-tree/model")
        try system.write("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", to: "/etc/os-release")
        try system.write("6.12.25+rpt-rpi-v8\n", to: "/proc/sys/kernel/osrelease")
        let core = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n"
        try system.write(String(repeating: core, count: 4), to: "/proc/cpuinfo")
        try system.write("1000000\n", to: "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
        try system.write("ondemand\n", to: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        try system.write("MemTotal:         427376 kB\nMemFree: 1 kB\nMemAvailable:     310000 kB\n", to: "/proc/meminfo")
        try system.write("50005\n", to: "/sys/devices/platform/soc/soc:firmware/get_throttled")
        try system.write("48312\n", to: "/sys/class/thermal/thermal_zone0/temp")
        let tree = SystemTree(root: system.path)
        let board = BoardFigures(facts: SystemFacts(tree: tree, measurements: Measurements(saved: tree)))
        let lines = Dictionary(uniqueKeysWithValues: (board.lines + board.lastLines).map { ($0.name, $0.value) })
        #expect(lines["board"] == "Raspberry Pi Zero 2 W Rev 1.0")
        #expect(lines["system"] == "Debian GNU/Linux 12 (bookworm)")
        #expect(lines["kernel"]?.hasPrefix("6.12.25+rpt-rpi-v8 ") == true)
        #expect(lines["processor"] == "4 x Cortex-A53, up to 1000 MHz, governor ondemand")
        #expect(lines["memory"] == "417 MB, 302 MB available")
        #expect(
            lines["power"] == "throttled 0x50005 (undervoltage now, throttled now, undervoltage before, throttled before), 48 degrees C")
        #expect(lines["clock"] == "synchronized, no clock of its own")
    }

    @Test func measuresADiskAndLeavesNothingOnIt() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UInt32.random(in: .min ... .max))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let figures = try DiskBench.measured(in: folder)
        #expect((1...64).contains(figures.microseconds.count))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(
            DiskBench.Figures(microseconds: [3_000, 1_000, 2_000]).words
                == "3 fdatasyncs of 512 bytes: median 2.00 ms, 95 % 3.00 ms, at most 3.00 ms")
        // The report is for others to read: it says why, and names no folder.
        let refused = DiskBench(folders: ["/proc"], mounts: nil).line.value
        #expect(refused.hasPrefix("not measured: ") && !refused.contains("/proc"))
        #expect(DiskBench(folders: [folder + "/none"], mounts: nil).line.value == "not measured: the tracker has no folder yet")
    }
}
