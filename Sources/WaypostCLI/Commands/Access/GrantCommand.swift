import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost grant`: say who may know the position.
struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Say what a user or a group may know of the position.",
        discussion: """
            none = nothing. reduced = roughly where the device is: a cell of 5 km, at most four times an hour, and nothing else. full = everything. It \
            holds at once, for open connections, too, and counts before the policy file. With --for it ends after that time, or with the tracker.

            --scope always lets programs of the user be started by events (waypost register); without --scope what was granted before stays. With --purpose the user keeps what was granted \
            before, and has full accuracy only while a program asks for it for that purpose (waypost request-full); the policy file explains purposes.

            For root and the tracker's own user only. Members of group waypost may know everything and operate the tracker without a grant.

            Example: sudo waypost grant pi full
            """)

    @Argument(help: "The user, by name or number, or @GROUP.", completion: .account, transform: NameValue.parse)
    var who: String

    @Argument(help: "none, reduced or full.")
    var level: GrantedLevel

    @Option(help: "attached = while connected, always = programs may be started, too. (default: as before, or attached)")
    var scope: AuthorisationScope?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after this long: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var span: Duration?

    @Option(
        help: ArgumentHelp("Full accuracy only for this purpose of the policy file.", valueName: "key"), completion: .purpose,
        transform: NameValue.parse)
    var purpose: String?

    @OptionGroup var daemon: DaemonConnection

    /// The levels that can be granted.
    enum GrantedLevel: String, CaseIterable, ExpressibleByArgument {
        case none, reduced, full
    }

    func validate() throws {
        if purpose != nil, level != .full { throw ValidationError("--purpose is for full accuracy: grant full") }
        if scope != nil, level == .none { throw ValidationError("--scope is for those who may know something: grant reduced or full") }
        if let span, span < .seconds(1) { throw ValidationError("--for must be at least a second") }
    }

    func run() throws {
        var request = GrantRequest()
        (request.who, request.scope, request.purpose) = (who, scope, purpose)
        request.level = AuthorisationLevel(rawValue: level.rawValue) ?? .none
        request.seconds = span.map { Int($0 / .seconds(1)) }
        let answer = try daemon.ask(request)
        let output = try OutputStream(path: "-")
        if let purpose {
            try output.write(line: "\(printable(answer.who)): full while asked for, purpose \(purpose)\(ending)")
        } else {
            let scope = answer.scope == .always && level != .none ? ", always" : ""
            try output.write(line: "\(printable(answer.who)): \(level.rawValue)\(scope)\(ending)")
            if answer.problem == nil, let now = answer.level, now.rawValue != level.rawValue {
                SystemProcess.printError("waypost: grant: \(now.rawValue) for now: a grant with an end counts before it")
            }
        }
        if let problem = answer.problem {
            SystemProcess.printError("waypost: grant: it is kept, but does not count now: \(printable(problem))")
        }
    }

    private var ending: String { span.map { ", for \(spanText($0))" } ?? "" }
}

/// `waypost revoke`: take back what was granted.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take back all that was granted to a user or a group.",
        discussion: """
            The rule of the policy file, if there is one, counts again. To refuse somebody whom the policy file lets in: waypost grant WHO none.

            Example: sudo waypost revoke pi
            """)

    @Argument(help: "The user, by name or number, or @GROUP.", completion: .grantee, transform: NameValue.parse)
    var who: String

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let answer = try daemon.ask(RevokeRequest(who: who))
        let name = printable(answer.who)
        let rest = answer.level.map { "; the policy file gives \(name) \($0.rawValue)" } ?? ""
        try OutputStream(path: "-").write(line: "\(name): \(counted(answer.count, "grant")) taken back\(rest)")
    }
}

extension AuthorisationScope: ExpressibleByArgument {}
