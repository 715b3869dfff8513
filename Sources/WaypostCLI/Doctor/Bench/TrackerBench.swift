import Waypost
import WaypostControl
import WaypostSystem

/// What the running tracker takes over some time, and what its receiver delivers meanwhile.
struct TrackerBench {
    /// The counters of a process at a moment.
    struct Sample: Equatable {
        var milliseconds: Int64
        /// Processor time in hundredths of a second.
        var ticks = 0
        /// Voluntary context switches of all threads: what wakes the processor up.
        var wakeUps = 0
        var residentKilobytes = 0
        var anonymousKilobytes = 0
        /// Positions written to the log in this run.
        var positions: Int?
    }

    /// The lines: the tracker, and its receiver.
    static func lines(from first: Sample, to last: Sample, status: StatusReport) -> [BenchReport.Line] {
        let seconds = Double(max(1, last.milliseconds - first.milliseconds)) / 1_000
        let processor = Double(last.ticks - first.ticks) / seconds
        var tracker = [
            "over \(seconds.text(decimals: 0)) s", "resident \((Double(last.residentKilobytes) / 1_024).text(decimals: 1)) MB",
            "anonymous \((Double(last.anonymousKilobytes) / 1_024).text(decimals: 1)) MB", "processor \(processor.text(decimals: 2)) %",
            "\((Double(max(0, last.wakeUps - first.wakeUps)) / seconds).text(decimals: 1)) wake-ups/s",
            "running for \(spanText(seconds: status.uptimeSeconds))",
        ]
        if let pages = status.page?.openCount, pages > 0 { tracker.append("\(counted(pages, "page")) open") }
        var receiver = [kind(of: status.source)]
        if let state = status.source?.state { receiver.append(state.text) }
        if let seen = status.source?.satellitesSeen { receiver.append("\(status.source?.satellitesUsed ?? 0) of \(seen) satellites used") }
        if let before = first.positions, let after = last.positions, after >= before {
            receiver.append("\((Double(after - before) / seconds).text(decimals: 2)) positions/s logged")
        }
        return [
            .init(name: "tracker", value: tracker.joined(separator: ", ")),
            .init(name: "receiver", value: receiver.joined(separator: ", ")),
        ]
    }

    /// The kind of a source: a serial line with its device and speed, or gpsd with its version; of other sources only the word, as an address, a file's name
    /// or a command may say who or where somebody is.
    private static func kind(of source: StatusReport.Source?) -> String {
        guard let source else { return "no source" }
        let kind = String(source.url.prefix { $0 != ":" })
        guard kind == "serial" || kind == "gpsd", let connected = source.connected else { return kind }
        return "\(kind), \(connected)"
    }

    /// The counters now; nil when the process cannot be seen.
    static func sample(_ process: Int, positions: Int?, in tree: SystemTree) -> Sample? {
        let folder = "/proc/\(process)"
        guard let stat = tree.firstLine(of: folder + "/stat")?.text, let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ").map { Int($0) }
        guard fields.count > 12, let user = fields[11], let system = fields[12] else { return nil }
        var sample = Sample(milliseconds: MonotonicClock.milliseconds, ticks: user + system, positions: positions)
        for thread in tree.names(in: folder + "/task") ?? [] {
            sample.wakeUps += number("voluntary_ctxt_switches", of: folder + "/task/\(thread)/status", in: tree)
        }
        sample.residentKilobytes = number("VmRSS", of: folder + "/status", in: tree)
        sample.anonymousKilobytes = number("RssAnon", of: folder + "/status", in: tree)
        return sample
    }

    private static func number(_ name: String, of file: String, in tree: SystemTree) -> Int {
        let line = tree.lines(of: file)?.first { $0.text.hasPrefix(name + ":") }
        return line.flatMap { Int($0.text.filter(\.isNumber)) } ?? 0
    }
}
