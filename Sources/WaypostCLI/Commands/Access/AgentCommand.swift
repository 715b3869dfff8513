import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost agent`: start this user's programs.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Start your registered programs when something happens.",
        discussion: """
            It waits for the tracker, too: start it once, with systemctl --user enable --now waypost-agent. What it starts is what you have \
            registered with waypost register, in the folder wake beside your configuration; the tracker only says when.

            Example: waypost agent
            """)

    @Flag(help: "End when nothing is to be started any more.")
    var once = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        while true {
            do throws(CommandFailure) { return try serve() } catch {
                guard !once, error.status == .unavailable || error.status == .timedOut else { throw error }
            }
            // The tracker is not there now; it will be again.
            MonotonicClock.wait(milliseconds: 2_000)
        }
    }

    /// Starts programs until nothing is left to start; for ever without `--once`.
    private func serve() throws(CommandFailure) {
        var client = try daemon.connect()
        var dueCount = try client.askPatiently(AgentRequest()).dueCount
        let launcher = WakeLauncher(folder: WakeProgram.folder(.ofThisProcess))
        while true {
            if once, dueCount == 0 { return }
            do throws(ControlError) {
                // With --once somebody else may have been told to start it.
                let line = try client.nextLine(timeout: once ? .seconds(90) : nil)
                guard let order = try? LaunchOrder(line: line) else { continue }  // What this client may know has changed.
                let ran = launcher.run(order)
                dueCount = try client.ask(ran).dueCount
            } catch .timedOut {
                return
            } catch {
                throw CommandFailure(error)
            }
        }
    }
}

/// Starts a program as its user, with what has happened.
struct WakeLauncher {
    /// Where the user's programs are named.
    let folder: String

    private static let longestWords = 4_000

    /// Runs the program of an order, and says how that ended.
    ///
    /// - Cost: blocks this thread until the program ends, 60 s at most.
    func run(_ order: LaunchOrder) -> RanRequest {
        var ran = RanRequest()
        (ran.registration, ran.ids) = (order.registration, order.ids)
        do throws(SystemError) {
            guard AccessPolicy.isKey(order.registration), let program = try WakeProgram.load(order.registration, in: folder) else {
                ran.words = "\(folder)/\(order.registration) is missing: register it again"
                return ran
            }
            if let obstacle = program.obstacle {
                ran.words = "\(program.words) \(obstacle)"
                return ran
            }
            let limit = Int64(WakeLedger.runSeconds) * 1_000
            let start = MonotonicClock.milliseconds
            let (end, output) = try ShellCommand.start(command(program, order)).result(withinMilliseconds: limit)
            let isTooLate = MonotonicClock.milliseconds - start >= limit
            let words = String(decoding: output.suffix(WakeLauncher.longestWords), as: UTF8.self)
            ran.words = String((isTooLate ? words + "\nended after \(WakeLedger.runSeconds) s" : words).suffix(WakeLauncher.longestWords))
            if case .exited(let code) = end, !isTooLate { ran.exitCode = Int(code) } else if !isTooLate { ran.words += "\n\(end)" }
        } catch {
            ran.words = error.description
        }
        return ran
    }

    /// The command for the shell: the events come as a here-document, which no line of JSON can end.
    private func command(_ program: WakeProgram, _ order: LaunchOrder) -> String {
        let environment = "WAYPOST_LAUNCH=location WAYPOST_REGISTRATION=\(shellWord(order.registration))"
        switch program.kind {
        case .program(let path):
            let events = order.events.map { String(decoding: $0.bytes, as: UTF8.self) + "\n" }.joined()
            return "export \(environment)\nexec \(shellWord(path)) 2>&1 <<'END OF EVENTS'\n\(events)END OF EVENTS\n"
        case .unit(let unit):
            let scope = ProcessIdentity.current().userID == 0 ? "" : " --user"
            return "exec systemctl\(scope) start \(shellWord(unit)) 2>&1"
        }
    }
}
