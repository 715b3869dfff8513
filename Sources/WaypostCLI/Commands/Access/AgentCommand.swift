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
        let launcher = WakeLauncher(folder: WakeProgram.folder(.own))
        while true {
            if once, dueCount == 0 { return }
            do throws(ControlError) {
                // With --once somebody else may have been told to start it.
                guard let line = try client.nextLine(within: once ? .seconds(90) : nil) else { return }
                guard let order = try? LaunchOrder(line: line) else { continue }  // What this client may know has changed.
                dueCount = try client.ask(launcher.run(order)).dueCount
            } catch .refused(_, let message) where !once {
                // What has run cannot be stored now; the tracker knows it.
                SystemProcess.printError("waypost: agent: \(printable(message))")
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
            // In plain words here; the command looks once more, at what it starts.
            if let obstacle = program.obstacle {
                ran.words = "\(program.words) \(obstacle)"
                return ran
            }
            let command = try program.command(order.registration, events: order.events.map(\.bytes))
            let limit = Int64(WakeLedger.runSeconds) * 1_000
            let start = MonotonicClock.milliseconds
            let (end, output) = try ShellCommand.start(command).result(withinMilliseconds: limit)
            var words = String(decoding: output.suffix(4 * WakeLauncher.longestWords), as: UTF8.self)
            if MonotonicClock.milliseconds - start >= limit {
                words += "\nended after \(WakeLedger.runSeconds) s"
            } else if case .exited(let code) = end {
                ran.exitCode = Int(code)
            } else {
                words += "\n\(end)"
            }
            ran.words = String(words.suffix(WakeLauncher.longestWords))
        } catch {
            ran.words = error.description
        }
        return ran
    }
}
