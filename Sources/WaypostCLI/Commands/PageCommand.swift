import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost page`: the address of the map page, with its token.
struct PageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Print the address of the map page.",
        discussion: """
            The address has the page's token: who knows it sees everything. The browser keeps it, and needs it only once. Each name in [map] hosts \
            has a line of its own: behind a proxy, with https.

            Example: waypost page
            """,
        subcommands: [PageShareCommand.self])

    @OptionGroup var question: PageQuestion

    func run() throws {
        try PageCommand.print(try question.daemon.ask(PageRequest()), asJSON: question.json)
    }

    /// Prints the address, and how a browser elsewhere gets there.
    static func print(_ page: PageRequest.Answer, asJSON: Bool) throws {
        let output = try OutputStream(path: "-")
        if asJSON { return try output.write(object: page) }
        let ssh = ProcessIdentity.current().environment["SSH_CONNECTION"] != nil
        let host = "\(ProcessIdentity.current().userName ?? "USER")@\(SystemProcess.hostName)"
        guard let address = page.address else {
            let socket = page.socket ?? ""
            try output.write(line: "http://localhost:7575/?token=\(page.token)")
            try printNames(of: page, to: output)
            SystemProcess.printError("waypost: page: first, on the browser's machine: ssh -L 7575:\(shellWord(socket)) \(host)")
            return
        }
        try output.write(line: "\(address)?token=\(page.token)")
        try printNames(of: page, to: output)
        let place = address.dropFirst("http://".count).dropLast()
        if page.isUnencrypted {
            SystemProcess.printError("waypost: page: the connection is not encrypted: the token can be read on the way")
        } else if ssh {
            SystemProcess.printError(
                "waypost: page: first, on the browser's machine: ssh -L \(place.split(separator: ":").last ?? "7575"):\(place) \(host)")
        }
    }

    /// Prints the addresses by name: of a proxy with TLS, or of the port itself where the network reaches it without one.
    private static func printNames(of page: PageRequest.Answer, to output: borrowing OutputStream) throws {
        let port = page.address?.split(separator: ":").last?.prefix(while: \.isNumber) ?? ""
        for name in page.names {
            let address = page.isUnencrypted ? "http://\(name):\(port)/" : "https://\(name)/"
            try output.write(line: "\(address)?token=\(page.token)")
        }
    }
}

/// What both commands take: an option that each declared by itself would be the first one's, also behind the second's name.
struct PageQuestion: ParsableArguments {
    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
}

/// `waypost page share`: a link for a guest, which expires.
struct PageShareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Print a link for a guest, which expires.",
        usage: "waypost page share --for <span> [--json] [--socket <path>]",
        discussion: """
            A guest sees the position, the track of the day, fences and their events, but neither files, destinations nor problems. A new token \
            (remove kept/state/page-token in the state folder, and restart the tracker) ends all links.

            Example: waypost page share --for 8h
            """)

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the link is valid, from a minute to 365d: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var span: Duration?

    @Option(help: .otherName(of: "for"))
    var hours: Int?

    @OptionGroup var question: PageQuestion

    func validate() throws {
        if let hours, !(1...8_760).contains(hours) { throw ValidationError("--hours must be from 1 to 8760") }
        let span = try OptionNames.value(span, "--for", hours.map { .seconds($0 * 3_600) }, "--hours")
        guard span >= .seconds(60), span <= .seconds(8_760 * 3_600) else {
            throw ValidationError("--for must be from 1min to 365d, such as 8h; a number alone is seconds")
        }
    }

    func run() throws {
        let seconds = span.map { Int($0 / .seconds(1)) } ?? (hours ?? 0) * 3_600
        try PageCommand.print(try question.daemon.ask(PageRequest(guestSeconds: seconds)), asJSON: question.json)
        guard !question.json else { return }
        let end = UTCTime(millisecondsSince1970: WallClock.milliseconds &+ Int64(seconds) &* 1_000)
        SystemProcess.printError(
            "waypost: page share: anyone who has the link may look until \(question.daemon.format.moment(end).prefix(16)); waypost page share --help says how to end it"
        )
    }
}
