import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost request`: ask for the position.
struct RequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Show what this user may know of the position, or ask for it.",
        usage: "waypost request [--reason <text> [--timeout <span>]] [--json] [--socket <path>]",
        discussion: """
            Without --reason it prints the level: not_determined, none, reduced or full. With --reason it asks the administrator, as long \
            as nobody has decided, who sees the question with waypost grants, and waits until somebody has. Exit code 77 for none, 75 when nobody decides in time.

            Example: waypost request --reason "shows the van on the wall in the office" --timeout 10min
            """)

    @Option(help: ArgumentHelp("Why you need the position, for the administrator.", valueName: "text"), transform: NameValue.parse)
    var reason: String?

    @Option(
        help: ArgumentHelp("How long to wait for an answer at most: \(SpanValue.forms).", valueName: "span"), transform: SpanValue.parse)
    var timeout: Duration?

    @Option(help: .otherName(of: "timeout"), transform: SpanValue.parse)
    var wait: Duration?

    @Flag(help: "Print one JSON object per answer.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if let reason, !(1...AuthorisationRequest.longestReason).contains(reason.count) {
            throw ValidationError("--reason must have 1 to \(AuthorisationRequest.longestReason) characters")
        }
        if try OptionNames.optional(timeout, "--timeout", wait, "--wait") != nil, reason == nil {
            throw ValidationError("--timeout needs --reason")
        }
    }

    func run() throws {
        var client = try daemon.connect()
        let answer = try client.askPatiently(AuthorisationRequest(reason: reason, isFollowed: reason != nil))
        var authorisation = answer.authorisation
        if answer.isAsked {
            try show(authorisation)
            SystemProcess.printError("waypost: asked; the administrator sees it with waypost grants")
            authorisation = try AuthorisationWait(timeout ?? wait).decision(of: &client) { $0.level != .notDetermined }
        }
        try show(authorisation)
        if reason != nil, !answer.isAsked {
            SystemProcess.printError(
                "waypost: request: that has been decided, so nobody is asked; to change it: sudo waypost grant USER LEVEL")
        }
        if reason != nil, !authorisation.level.isAllowed {
            throw CommandFailure(.notAuthorised, what: "request", why: "this user may not know the position")
        }
    }

    private func show(_ authorisation: Authorisation) throws {
        let output = try OutputStream(path: "-")
        if json { return try output.write(object: AuthorisationChange(authorisation)) }
        try output.write(line: authorisation.words)
    }
}

/// `waypost request-full`: full accuracy for a while.
struct RequestFullCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request-full",
        abstract: "Have full accuracy for a purpose until this command ends.",
        discussion: """
            For users who may know roughly where the device is. The policy file explains each purpose, and says who has full accuracy for it without \
            asking; others wait for waypost grant WHO full --purpose KEY. It holds for all programs of this user, and ends with this command, \
            however that ends (Ctrl-C, kill or --for), or with the grant.

            Example: waypost request-full --purpose navigation
            """)

    @Option(
        help: ArgumentHelp("The purpose, as the policy file has it.", valueName: "key"), completion: .purpose, transform: NameValue.parse)
    var purpose: String

    @Option(help: ArgumentHelp("Why, for the administrator.", valueName: "text"), transform: NameValue.parse)
    var reason: String?

    @Option(
        help: ArgumentHelp("How long to wait for an answer at most: \(SpanValue.forms).", valueName: "span"), transform: SpanValue.parse)
    var timeout: Duration?

    @Option(help: .otherName(of: "timeout"), transform: SpanValue.parse)
    var wait: Duration?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after this long: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var span: Duration?

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        guard AccessPolicy.isKey(purpose) else {
            throw ValidationError("--purpose must be the key of a purpose in the policy file, such as navigation")
        }
        _ = try OptionNames.optional(timeout, "--timeout", wait, "--wait")
    }

    func run() throws {
        var client = try daemon.connect()
        let answer = try client.askPatiently(AuthorisationRequest(reason: reason, purpose: purpose, isFollowed: true))
        if let words = answer.purposeText { SystemProcess.printError("waypost: \(purpose): \(printable(words))") }
        var authorisation = answer.authorisation
        if answer.isAsked {
            SystemProcess.printError("waypost: asked; the administrator sees it with waypost grants")
            authorisation = try AuthorisationWait(timeout ?? wait).decision(of: &client) { $0.level == .full || !$0.level.isAllowed }
        }
        guard authorisation.level == .full else {
            throw CommandFailure(.notAuthorised, what: "request-full", why: "this user may not know the position exactly")
        }
        try OutputStream(path: "-").write(line: authorisation.words)
        guard let end = try AuthorisationWait(span).next(of: &client, until: { $0.level != .full }) else { return }
        try OutputStream(path: "-").write(line: end.words)
        throw CommandFailure(.notAuthorised, what: "request-full", why: "the time or the grant has ended")
    }
}

/// Waits until a client may know something else.
struct AuthorisationWait {
    private let deadline: Int64?

    /// - Parameter limit: how long; nil for ever.
    init(_ limit: Duration?) {
        deadline = limit.map { MonotonicClock.milliseconds + Int64($0 / .milliseconds(1)) }
    }

    /// The next change for which the condition holds; nil when the time is over.
    func next(of client: inout ControlClient, until isEnough: (Authorisation) -> Bool) throws(CommandFailure) -> Authorisation? {
        while true {
            let left = deadline.map { Duration.milliseconds(max(0, $0 - MonotonicClock.milliseconds)) }
            do throws(ControlError) {
                guard let line = try client.nextLine(within: left) else { return nil }
                if let change = try? AuthorisationChange(line: line), isEnough(change.authorisation) {  // Or another line, for nobody here.
                    return change.authorisation
                }
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// What somebody decides.
    func decision(of client: inout ControlClient, until isEnough: (Authorisation) -> Bool) throws(CommandFailure) -> Authorisation {
        guard let change = try next(of: &client, until: isEnough) else {
            throw CommandFailure(
                .timedOut, what: "request", why: "nobody has decided in time", next: "the administrator sees it with sudo waypost grants")
        }
        return change
    }
}

extension Authorisation {
    /// The authorisation for people: `reduced, always`.
    var words: String {
        guard level.isAllowed else { return level.rawValue }
        return level.rawValue + (scope == .always ? ", always" : "") + (isTemporary ? ", for a while" : "")
    }
}
