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
            registered with waypost register, in the folder wake beside your configuration; the tracker only says when. One agent at a time starts \
            the programs for a tracker; a second one waits until the first has ended.

            Example: waypost agent
            """)

    @Flag(help: "End when nothing is to be started any more, or somebody else starts it.")
    var once = false

    @OptionGroup var daemon: DaemonConnection

    /// How long an agent that is to end waits for the programs of one that was killed, milliseconds.
    private static let lockMilliseconds: Int64 = 5_000
    /// How long it tries to say how the last program has ended, milliseconds.
    private static let reportMilliseconds: Int64 = 60_000
    /// How often it looks whether the tracker is there while a program runs, milliseconds.
    private static let lookMilliseconds: Int64 = 1_000

    func run() throws {
        let launcher = WakeLauncher(folder: WakeProgram.folder(.own, socket: daemon.path), isAlone: true)
        var end: Int64?
        var isTold = false
        while true {
            do throws(CommandFailure) { return try serve(launcher) } catch {
                guard error.status == .unavailable || error.status == .timedOut else { throw error }
                if once {
                    // What has run is told to the tracker's next run: else it would run again.
                    guard launcher.unreported != nil else { throw error }
                    let last = end ?? MonotonicClock.milliseconds + AgentCommand.reportMilliseconds
                    guard MonotonicClock.milliseconds < last else { throw error }
                    end = last
                } else if error.status == .timedOut, !isTold {
                    // Somebody else starts them, with programs in another folder.
                    SystemProcess.printError(error.line)
                    isTold = true
                }
            }
            // The tracker is not there now; it will be again.
            MonotonicClock.wait(milliseconds: 2_000)
        }
    }

    /// Starts programs until nothing is left to start; for ever without `--once`.
    private func serve(_ launcher: WakeLauncher) throws(CommandFailure) {
        // Where no tracker ever was, nothing is left behind.
        if !Syscalls.isFolder(launcher.folder) { _ = try daemon.connect() }
        guard try launcher.lock(forSocket: daemon.path, waitingAtMost: once ? AgentCommand.lockMilliseconds : nil) else {
            return SystemProcess.printError("waypost: agent: another agent of this user starts the programs")
        }
        var client = try daemon.connect()
        try report(launcher, to: &client)
        var dueCount: Int
        do throws(CommandFailure) { dueCount = try client.askPatiently(AgentRequest()).dueCount } catch {
            // One whose programs are in another folder, which locks another file.
            guard once, error.status == .timedOut else { throw error }
            // A tracker that hangs answers nobody.
            _ = try daemon.ask(StatusRequest())
            return SystemProcess.printError(error.line)
        }
        while true {
            if once, dueCount == 0 { return }
            do throws(ControlError) {
                // With --once somebody else may have been told to start it.
                guard let line = try client.nextLine(within: once ? .seconds(90) : nil) else { return }
                guard let order = try? LaunchOrder(line: line) else { continue }  // What this client may know has changed.
                var nextLook = MonotonicClock.milliseconds
                let ran = launcher.run(order) { stayConnected(&client, whileRunning: order, &nextLook) }
                launcher.unreported = ran
                dueCount = try client.ask(ran).dueCount
                launcher.unreported = nil
            } catch .refused(_, let message) where !once {
                // What has run cannot be stored now; the tracker knows it.
                launcher.unreported = nil
                SystemProcess.printError("waypost: agent: \(printable(message))")
            } catch {
                if case .refused = error { launcher.unreported = nil }
                throw CommandFailure(error)
            }
        }
    }

    /// Notices, while a program runs, that the tracker has ended, and tells its next run what runs: it would call for somebody to start that.
    private func stayConnected(_ client: inout ControlClient, whileRunning order: LaunchOrder, _ nextLook: inout Int64) {
        guard MonotonicClock.milliseconds >= nextLook else { return }
        nextLook = MonotonicClock.milliseconds + AgentCommand.lookMilliseconds
        do throws(ControlError) {
            // Nothing is to be started meanwhile; what else comes is of no interest.
            while true { _ = try client.nextLine(timeout: .zero) }
        } catch {
            switch error {
            case .closed, .connectionFailed: break
            default: return
            }
        }
        do throws(ControlError) {
            var next = try ControlClient.connect(to: daemon.path, timeout: .seconds(2))
            _ = try next.ask(AgentRequest(running: order), timeout: .seconds(2))
            client = next
        } catch {
            return  // It is not there yet: the next look tries again, and at last what has run is told.
        }
    }

    /// Says how the last program has ended, when the tracker ended meanwhile: what it has acknowledged must not run again.
    private func report(_ launcher: WakeLauncher, to client: inout ControlClient) throws(CommandFailure) {
        guard let ran = launcher.unreported else { return }
        do throws(ControlError) { _ = try client.ask(ran) } catch {
            guard case .refused(_, let message) = error else { throw CommandFailure(error) }
            SystemProcess.printError("waypost: agent: \(printable(message))")
        }
        launcher.unreported = nil
    }
}
