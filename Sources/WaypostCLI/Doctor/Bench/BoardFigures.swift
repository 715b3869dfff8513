import Waypost
import WaypostSystem

/// What the files of a system say of its board: model, system, processor, memory, power and clock.
struct BoardFigures {
    let facts: SystemFacts
    private var tree: SystemTree { facts.tree }

    /// The lines before the measurements.
    var lines: [BenchReport.Line] {
        [
            .init(name: "waypost", value: WaypostVersion.text), .init(name: "board", value: model), .init(name: "system", value: system),
            .init(name: "kernel", value: kernel), .init(name: "processor", value: processor), .init(name: "memory", value: memory),
        ]
    }

    /// The lines behind them: these change while a board works.
    var lastLines: [BenchReport.Line] { [.init(name: "clock", value: clock), .init(name: "power", value: power)] }

    private var model: String {
        let model = ["/proc/device-tree/model", "/sys/firmware/devicetree/base/model"].lazy.compactMap(tree.firstLine).first?.text
        // A PC has a maker and a product instead.
        let product = ["sys_vendor", "product_name"].compactMap { tree.firstLine(of: "/sys/class/dmi/id/\($0)")?.text }.joined(
            separator: " ")
        return model.map { String($0.filter { $0 != "\0" }) } ?? (product.isEmpty ? "unknown" : product)
    }

    private var system: String {
        let name = tree.lines(of: "/etc/os-release")?.map(\.text).first { $0.hasPrefix("PRETTY_NAME=") }
        return name.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } } ?? "unknown"
    }

    private var kernel: String {
        let release = tree.firstLine(of: "/proc/sys/kernel/osrelease")?.text ?? "unknown"
        #if arch(arm64)
        return release + " aarch64"
        #elseif arch(x86_64)
        return release + " x86_64"
        #else
        return release
        #endif
    }

    private var processor: String {
        let lines = tree.lines(of: "/proc/cpuinfo")?.map(\.text) ?? []
        func values(_ key: String) -> [String] {
            lines.filter { $0.hasPrefix(key) }.compactMap { line in
                line.firstIndex(of: ":").map { String(line[line.index(after: $0)...].drop { $0 == " " }) }
            }
        }
        let count = values("processor").count
        let kinds =
            values("model name").first ?? values("CPU part").first.map { BoardFigures.cores[$0] ?? "CPU part \($0)" } ?? "unknown kind"
        let folder = "/sys/devices/system/cpu/cpu0/cpufreq/"
        let limit = tree.firstLine(of: folder + "cpuinfo_max_freq").flatMap { Int($0.text) }.map { "up to \($0 / 1_000) MHz" }
        let governor = tree.firstLine(of: folder + "scaling_governor").map { "governor \($0.text)" }
        return (["\(count) x \(kinds)"] + [limit, governor].compactMap { $0 }).joined(separator: ", ")
    }

    /// Arm's part numbers of the cores on the boards that people have.
    ///
    /// - Source: the Technical Reference Manuals, MIDR_EL1.
    private static let cores = [
        "0xb76": "ARM1176", "0xc07": "Cortex-A7", "0xd03": "Cortex-A53", "0xd04": "Cortex-A35", "0xd05": "Cortex-A55",
        "0xd08": "Cortex-A72",
        "0xd0b": "Cortex-A76",
    ]

    private var memory: String {
        func megabytes(_ name: String) -> String? {
            let line = tree.lines(of: "/proc/meminfo")?.map(\.text).first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) }.map { "\($0 / 1_024) MB" }
        }
        guard let total = megabytes("MemTotal"), let free = megabytes("MemAvailable") else { return "unknown" }
        return "\(total), \(free) available"
    }

    private var clock: String {
        let isSynchronized = facts.measurements.isClockSynchronized.map { $0.value ? "synchronized" : "not synchronized" } ?? "unknown"
        return isSynchronized + (tree.exists("/sys/class/rtc/rtc0") ? ", has a clock (rtc0)" : ", no clock of its own")
    }

    private var power: String {
        var parts: [String] = []
        let files = ["/sys/devices/platform/soc/soc:firmware/get_throttled", "/sys/devices/platform/axi/soc:firmware/get_throttled"]
        if let flags = files.lazy.compactMap(tree.firstLine).first?.text ?? vcgencmd {
            let number = flags.hasPrefix("0x") ? flags : "0x\(flags)"
            parts.append("throttled \(number)\(BoardFigures.words(ofThrottled: number))")
        }
        if let temperature = tree.firstLine(of: "/sys/class/thermal/thermal_zone0/temp").flatMap({ Double($0.text) }) {
            parts.append("\((temperature / 1_000).text(decimals: 0)) degrees C")
        }
        return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
    }

    /// What the firmware's tool says, on systems whose kernel does not.
    private var vcgencmd: String? {
        guard tree.root.isEmpty, ["/usr/bin/vcgencmd", "/opt/vc/bin/vcgencmd"].contains(where: tree.exists) else { return nil }
        let result = try? ShellCommand.start("vcgencmd get_throttled").result(withinMilliseconds: 2_000)  // Unknown then.
        // A user outside of the group video may not ask.
        guard let result else { return nil }
        let text = String(decoding: result.output, as: UTF8.self)
        return text.hasPrefix("throttled=") ? String(text.dropFirst("throttled=".count).prefix { !$0.isNewline }) : nil
    }

    /// What the flags say: undervoltage, a capped frequency, throttling, the soft limit; now, and since the start.
    ///
    /// - Source: Raspberry Pi documentation, "vcgencmd get_throttled".
    static func words(ofThrottled text: String) -> String {
        guard let flags = UInt32(text.dropFirst(2), radix: 16), flags != 0 else { return "" }
        let names = ["undervoltage", "frequency capped", "throttled", "too warm"]
        let now = names.indices.filter { flags & (1 << $0) != 0 }.map { names[$0] + " now" }
        let before = names.indices.filter { flags & (1 << ($0 + 16)) != 0 }.map { names[$0] + " before" }
        return " (\((now + before).joined(separator: ", ")))"
    }
}
