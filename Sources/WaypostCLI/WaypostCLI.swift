import ArgumentParser
import WaypostSystem

/// The program `waypost`: all commands for users, scripts and tests.
@main
struct WaypostCLI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waypost",
        abstract: "GPS tracker for embedded Linux: records, shows and converts positions.",
        discussion: """
            Example: waypost run --source gpsd://localhost --state ~/tracker --log ~/tracks --socket ~/tracker.sock

            Exit codes:
            \(ExitStatus.table)
            """,
        version: "waypost \(WaypostVersion.text)",
        subcommands: [
            RunCommand.self, StatusCommand.self, WatchCommand.self, MonitorCommand.self, ConvertCommand.self, FencesCommand.self,
            DevicesCommand.self,
            LogCommand.self, DispatchCommandGroup.self, TrackCommand.self, LedgerCommand.self, DoctorCommand.self, ReceiverCommand.self,
            PrivateCommand.self, GrantCommand.self, RevokeCommand.self, GrantsCommand.self, RequestCommand.self, RequestFullCommand.self,
            RegisterCommand.self, UnregisterCommand.self, AttachCommand.self, AcknowledgeCommand.self, AgentCommand.self,
            PageCommand.self,
            HoldCommand.self, PlaybackCommand.self, CapabilitiesCommand.self, RoadsCommand.self, MatchCommand.self,
            RouteCommand.self, ConfigCommand.self, SetupCommand.self,
        ])

    /// The commands and their subcommands.
    private static var names: [(name: String, subcommands: [String])] {
        configuration.subcommands.map { ($0._commandName, $0.configuration.subcommands.map { $0._commandName }) }
    }

    /// Runs the command of the arguments; every failure is one line on stderr and an exit code of sysexits.h.
    static func main() {
        Syscalls.holdStandardDescriptors()
        // A reader that went away (`| head`) is an error of write, not a signal.
        Signals.ignoreBrokenPipe()
        guard SystemProcess.hasArguments else {
            CommandFailure(
                .failed, what: "/proc", why: "is not mounted, and the arguments are read from there", next: "mount -t proc proc /proc"
            ).exit()
        }
        let words = CommandLineWords(SystemProcess.arguments)
        words.failureOfHelp?.exit()
        words.failureOfDash?.exit()
        do {
            var command = try parseAsRoot(words.joined)
            try command.run()
        } catch let failure as CommandFailure {
            failure.exit()
        } catch let error where exitCode(for: error) == .validationFailure {
            words.failure(message(for: error)).exit()
        } catch let error where exitCode(for: error) == .success {
            HelpScreen.show(CompletionScript.mended(fullMessage(for: error), commands: names))
        } catch {
            exit(withError: error)
        }
    }
}
