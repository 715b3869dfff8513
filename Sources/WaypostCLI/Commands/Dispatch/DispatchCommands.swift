import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost dispatch ...`: what waits to be sent.
struct DispatchCommandGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Show what waits to be sent, send it now, pause it; handle what a server refused.",
        discussion: "Example: waypost dispatch now --wait",
        subcommands: [
            DispatchNowCommand.self, DispatchStatusCommand.self, DispatchPauseCommand.self, DispatchResumeCommand.self,
            DispatchDrainCommand.self, DispatchListCommand.self, DispatchRetryCommand.self, DispatchDropCommand.self,
            DispatchExportCommand.self, DispatchMoveCommand.self, DispatchDiscardCommand.self,
        ], defaultSubcommand: DispatchStatusCommand.self)
}

/// Asks the daemon about sending.
struct DispatchQuestion: ParsableArguments {
    @Option(
        name: [.customLong("to")], help: ArgumentHelp("Only this destination; default: all.", valueName: "destination"),
        completion: .destination, transform: NameValue.parse)
    var destination: String?

    @OptionGroup var daemon: DaemonConnection

    func ask<Verb: ControlVerb>(_ verb: Verb, timeout: Duration = .seconds(10)) throws(CommandFailure) -> Verb.Answer {
        try daemon.ask(verb, timeout: timeout)
    }

    /// Sends, and prints how it ended, what each destination has received of it, and every one that failed; an error ends the program with 1.
    func report<Verb: ControlVerb>(_ verb: Verb, timeout: Duration) throws where Verb.Answer == DispatchOutcome {
        try report(try ask(verb, timeout: timeout))
    }

    /// Prints how sending ended.
    func report(_ outcome: DispatchOutcome) throws {
        try OutputStream(path: "-").write(line: outcome.completion.text)
        for receipt in outcome.receipts {
            SystemProcess.printError("waypost: destination \(printable(receipt.destination)): \(counted(receipt.count, "record")) received")
        }
        let failures = DispatchQuestion.failures(in: outcome)
        guard outcome.completion == .error else { return failures.forEach { SystemProcess.printError($0.line) } }
        for failure in failures.dropLast() { SystemProcess.printError(failure.line) }
        throw failures.last ?? CommandFailure(.failed, what: "dispatch", why: "failed", next: "see waypost dispatch")
    }

    /// A line for each destination that failed.
    static func failures(in outcome: DispatchOutcome) -> [CommandFailure] {
        outcome.failures.map { failure in
            // Some reasons already say what to do.
            let next = failure.reason.contains("; ") ? nil : "see waypost dispatch"
            return CommandFailure(.failed, what: "destination \(failure.destination)", why: failure.reason, next: next)
        }
    }
}

/// The destination that a command is for, by itself or as `--to`: all of them when none is named.
struct DispatchTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Only this destination, as --to; default: all.", valueName: "destination"), completion: .destination,
        transform: NameValue.parse)
    var name: String?

    @OptionGroup var question: DispatchQuestion

    /// The destination; nil for all.
    var destination: String? { name ?? question.destination }

    func validate() throws {
        guard name == nil || question.destination == nil else { throw ValidationError("name one destination: NAME or --to NAME") }
    }
}

/// The one destination that a command is for, by itself or as `--to`.
struct OneDispatchTarget: ParsableArguments {
    @Argument(help: ArgumentHelp("The destination's name.", valueName: "destination"), completion: .destination, transform: NameValue.parse)
    var name: String?

    @Option(
        name: [.customLong("to")], help: ArgumentHelp("The same, as for the other commands.", valueName: "destination"),
        completion: .destination, transform: NameValue.parse)
    var option: String?

    @OptionGroup var daemon: DaemonConnection

    /// The destination.
    var destination: String { name ?? option ?? "" }

    func validate() throws {
        guard (name == nil) != (option == nil) else {
            throw ValidationError(name == nil ? "say which destination: NAME, or --to NAME" : "name one destination: NAME or --to NAME")
        }
    }
}

/// `waypost dispatch now`: send everything that waits.
struct DispatchNowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Send everything that waits; the interval does not change.",
        usage: "waypost dispatch now [<destination> | --to <destination>] [--wait [--timeout <span>]] [--socket <path>]",
        discussion: """
            With --wait it prints the result: good, no_data (nothing waits, or no network) or error (exit code 1), and says on standard error how many \
            records each destination received, and which one failed or is paused, and why. What is recorded from now on may go along, but is not \
            waited for. Exit code 75 when --timeout is over first: the tracker goes on sending.

            Example: waypost dispatch now --wait --timeout 5min
            """)

    @Flag(help: "Wait for the end and print the result.")
    var wait = false

    @Option(
        help: ArgumentHelp("With --wait, the longest time to wait: \(SpanValue.forms). (default: 1 d)", valueName: "span"),
        transform: SpanValue.parse)
    var timeout: Duration?

    @OptionGroup var target: DispatchTarget

    /// Enough for a backlog of months over a slow line.
    private static let longestWait: Duration = .seconds(86_400)

    func validate() throws {
        if timeout != nil, !wait { throw ValidationError("--timeout needs --wait") }
    }

    func run() throws {
        let request = DispatchNowRequest(destination: target.destination)
        var client = try target.question.daemon.connect()
        // A tracker that hangs sends nothing.
        _ = try client.askPatiently(StatusRequest(), timeout: min(timeout ?? .seconds(5), .seconds(5)))
        if wait { return try report(request, &client) }
        do throws(ControlError) {
            // A problem with the request is reported at once; sending takes its time.
            let outcome = try client.ask(request, timeout: .milliseconds(300))
            for failure in DispatchQuestion.failures(in: outcome) { SystemProcess.printError(failure.line) }
        } catch .timedOut {
            SystemProcess.printError("waypost: dispatch now: sending; see waypost dispatch")
        } catch {
            throw CommandFailure(error)
        }
    }

    private func report(_ request: DispatchNowRequest, _ client: inout ControlClient) throws {
        let span = timeout ?? DispatchNowCommand.longestWait
        let outcome: DispatchOutcome
        do throws(ControlError) {
            outcome = try Patience.during("sending") { () throws(ControlError) in try client.ask(request, timeout: span) }
        } catch .timedOut {
            throw CommandFailure(
                .timedOut, what: "dispatch now", why: "still sending after \(spanText(span)); the tracker goes on",
                next: "see waypost dispatch")
        } catch {
            throw CommandFailure(error)
        }
        try target.question.report(outcome)
    }
}

/// `waypost dispatch drain`: send until nothing waits or the time is over.
struct DispatchDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Send until nothing waits, something fails, or the time is up.",
        discussion: """
            For use before a shutdown, or after an interface came up. Prints good, no_data or error (exit code 1), and says on standard error how many \
            records each destination received, and which one failed.

            Example: waypost dispatch drain --timeout 20
            """)

    @Option(
        help: ArgumentHelp("The longest time it may take: \(SpanValue.forms). (default: 30)", valueName: "span"),
        transform: SpanValue.parse)
    var timeout: Duration?

    @Option(help: .otherName(of: "timeout"), transform: SpanValue.parse)
    var budget: Duration?

    @OptionGroup var target: DispatchTarget

    func validate() throws {
        _ = try OptionNames.optional(timeout, "--timeout", budget, "--budget")
        let longest = DrainDispatchRequest.maximumBudgetSeconds
        if seconds > longest { throw ValidationError("\(budget == nil ? "--timeout" : "--budget") must be from 1 to \(longest) seconds") }
    }

    /// The time in whole seconds, at least one.
    private var seconds: UInt64 { (timeout ?? budget).map { UInt64(($0 / .seconds(1)).rounded(.up)) } ?? 30 }

    func run() throws {
        let request = DrainDispatchRequest(destination: target.destination, budgetSeconds: seconds)
        try target.question.report(request, timeout: .seconds(Int(seconds) + 10))
    }
}

/// `waypost dispatch pause`: stop sending.
struct DispatchPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop sending, also over restarts; records wait meanwhile.",
        discussion: "Example: waypost dispatch pause --to home")

    @OptionGroup var target: DispatchTarget

    func run() throws {
        _ = try target.question.ask(PauseDispatchRequest(destination: target.destination))
        let (whom, option) = target.destination.map { ($0, " --to \(shellWord($0))") } ?? ("every destination", "")
        SystemProcess.printError("waypost: dispatch pause: \(whom) is paused; records wait until waypost dispatch resume\(option)")
    }
}

/// `waypost dispatch resume`: go on sending.
struct DispatchResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Send again after a pause.", discussion: "Example: waypost dispatch resume --to home")

    @OptionGroup var target: DispatchTarget

    func run() throws {
        _ = try target.question.ask(ResumeDispatchRequest(destination: target.destination))
        SystemProcess.printError("waypost: dispatch resume: records are sent to \(target.destination ?? "every destination") again")
    }
}
