import WaypostSystem

/// How gpsd is set up: `/etc/default/gpsd`, and whether the system starts it.
struct GPSDSetup: Equatable, Sendable {
    /// Whether the system has it; nil when that cannot be seen.
    var isInstalled: Bool?
    /// What starts it, at boot or at the first connection; nil when nothing does.
    var start: Evidence?
    /// Whether it runs.
    var isRunning = false
    /// The devices it opens.
    var devices: [String] = []
    /// The line that names them.
    var devicesLine: Evidence?
    /// The line that makes it open any receiver that is plugged in; nil when there is none.
    var automaticLine: Evidence?
    /// The line that turns that off.
    var notAutomaticLine: Evidence?
    /// The fixed speed that it is set to.
    var fixedBaudRate: Int?
    /// The line that sets it.
    var optionsLine: Evidence?

    private static let configuration = "/etc/default/gpsd"
    private static let wants = [
        "/etc/systemd/system/sockets.target.wants/gpsd.socket", "/etc/systemd/system/multi-user.target.wants/gpsd.service",
    ]

    init(_ tree: SystemTree, programs: [RunningProgram]?) {
        let isMasked = tree.linkTarget("/etc/systemd/system/gpsd.socket") == "/dev/null"
        if !isMasked, let want = GPSDSetup.wants.first(where: tree.exists) { start = Evidence(file: want, text: "enabled") }
        isRunning = programs?.contains { $0.name == "gpsd" } == true
        let places = ["/usr/sbin/gpsd", "/usr/lib/systemd/system/gpsd.socket", "/lib/systemd/system/gpsd.socket"]
        if isRunning || start != nil || places.contains(where: tree.exists) {
            isInstalled = true
        } else if tree.exists("/usr/sbin") {
            isInstalled = false
        }
        for line in tree.lines(of: GPSDSetup.configuration) ?? [] {
            guard let (name, value) = assignment(line.text) else { continue }
            switch name {
            case "DEVICES":
                devices = value.split(separator: " ").map(String.init)
                devicesLine = line
            case "USBAUTO":
                let isOn = value == "true"
                (automaticLine, notAutomaticLine) = isOn ? (line, nil) : (nil, line)
            case "GPSD_OPTIONS":
                optionsLine = line
                let words = value.split(separator: " ")
                fixedBaudRate = words.firstIndex(of: "-s").flatMap { words.indices.contains($0 + 1) ? Int(words[$0 + 1]) : nil }
            default: break
            }
        }
    }
}

/// A line `NAME="VALUE"` of a shell's variables; nil for any other.
private func assignment(_ line: String) -> (name: String, value: String)? {
    guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { return nil }
    let value = line[line.index(after: equals)...].filter { $0 != "\"" && $0 != "'" }
    return (String(line[..<equals]), value)
}
