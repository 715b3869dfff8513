import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost watch`: positions and events as they come.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show positions as they come.",
        discussion: """
            Exit code 75 when the time of --timeout passes without a fix, 69 when the tracker ends.

            Example: waypost watch --json --count 10
            """)

    @OptionGroup var daemon: DaemonConnection

    @Flag(help: "Print JSON lines: TPV, SKY, EVENT, LOST.")
    var json = false

    @Option(help: ArgumentHelp("End after so many fixes.", valueName: "n"))
    var count: Int?

    @Option(help: ArgumentHelp("End with 75 when so many seconds pass without a fix.", valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        // The upper end keeps the milliseconds far from overflow: ten years.
        if let timeout, !(timeout > 0 && timeout < 315_360_000) { throw ValidationError("--timeout must be more than 0 seconds") }
    }

    func run() throws {
        var client = try daemon.connect()
        let output = try OutputStream(path: "-")
        var fixes = 0
        var deadline = nextDeadline
        do throws(ControlError) {
            try client.send(.watch(ControlRequest.WatchOptions(sky: json)))
        } catch {
            throw CommandFailure(error)
        }
        while fixes < count ?? .max {
            let line = try next(of: &client, before: deadline)
            let report = try? TPVCodec.decode(line)  // Other classes of lines are no reports.
            if case .position? = report {
                fixes += 1
                deadline = nextDeadline
            }
            if json {
                try output.write(line: String(decoding: line, as: UTF8.self))
            } else if let text = words(for: line, report) {
                try output.write(line: text)
            }
        }
    }

    private var nextDeadline: Int64? {
        timeout.map { MonotonicClock.milliseconds + Int64($0 * 1_000) }
    }

    private func next(of client: inout ControlClient, before deadline: Int64?) throws(CommandFailure) -> [UInt8] {
        do throws(ControlError) {
            return try client.nextLine(timeoutMilliseconds: deadline.map { Int(max(0, $0 - MonotonicClock.milliseconds)) })
        } catch .timedOut {
            throw CommandFailure(.timedOut, what: "watch", why: "no fix for \(timeout ?? 0) seconds", next: "see waypost status")
        } catch {
            throw CommandFailure(error)
        }
    }

    private func words(for line: [UInt8], _ report: PositionReport?) -> String? {
        if case .position(let position)? = report { return PositionLine(position).text }
        guard report == nil, let value = try? JSONParser().parse(line) else { return nil }  // Of a later version, perhaps.
        switch value["class"]?.string {
        case "LOST": return "lost: \(value["detail"]?.string ?? value["reason"]?.string ?? "")"
        case "DROPPED": return "(\(value["count"]?.int ?? 0) lines dropped: this terminal is too slow)"
        default: return nil
        }
    }
}
