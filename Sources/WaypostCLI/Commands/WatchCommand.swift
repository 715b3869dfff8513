import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// `waypost watch`: positions and events as they arrive.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show positions and events as they come.",
        discussion: """
            With --distance, --significant, or --accuracy withinOneKilometer and coarser, the receiver sleeps in between if nothing else needs it.

            A user who may only know roughly where the device is gets reduced positions: at most four an hour, each the middle of a cell of 5 km.

            Exit code 75 when --timeout passes without a fix, 69 when the tracker ends, 77 when this user may not know the position any more.

            Example: waypost watch --json --count 10
            """)

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    @Flag(help: "Print JSON lines: TPV, SKY, EVENT, LOST, and MATCHED with --roads.")
    var json = false

    @Flag(
        help:
            "Show the road, too: a line when it changes, or with --json one for each position. The tracker needs a road file ([matching]).")
    var roads = false

    @Option(
        help: ArgumentHelp("Only fixes at least this far from the last one shown: \(DistanceValue.forms).", valueName: "distance"),
        transform: DistanceValue.parse)
    var distance: Double?

    @Option(
        help: ArgumentHelp(
            "The accuracy wanted: \(DesiredAccuracy.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "level"))
    var accuracy: DesiredAccuracy = .best

    @Flag(help: "Only significant changes: 500 m and 5 min from the last one. The first is the last known position, at once.")
    var significant = false

    @Flag(help: "Only events: fences entered and left. --count and --timeout then refer to these.")
    var events = false

    @Option(
        help: ArgumentHelp("End after this many fixes, at least 1.", valueName: "n"), transform: NumberValue.parse("how many, such as 10"))
    var count: Int?

    @Option(
        help: ArgumentHelp("End with 75 when this long passes without a fix: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var timeout: Duration?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        if significant, distance != nil || accuracy != .best {
            throw ValidationError("--significant has its own distance; leave out --distance and --accuracy")
        }
        if events, significant || distance != nil || accuracy != .best {
            throw ValidationError("--events shows no positions; leave out --significant, --distance and --accuracy")
        }
        if roads, events || significant || distance != nil || accuracy != .best {
            throw ValidationError("--roads needs every position; leave out --events, --significant, --distance and --accuracy")
        }
    }

    func run() throws {
        // However long the tracker takes for anything.
        var deadline = nextDeadline
        var client = try daemon.connect(within: WatchCommand.limit(before: deadline))
        // Without a road file the tracker refuses that; it would just never tell of a road.
        if roads { _ = try client.askPatiently(MatchingRequest(), timeout: WatchCommand.limit(before: deadline)) }
        let output = try OutputStream(path: "-", endsWithReader: true)
        let format = json ? screen.format : screen.format(askedOf: &client, within: WatchCommand.limit(before: deadline))
        var lines = json ? nil : WatchLines(format, screenColumns: output.screenColumns)
        var found = 0
        var isRoadlessTold = false
        var hasEnded = false
        var patience = WatchPatience(isForEvents: events, format)
        do throws(ControlError) {
            try client.send(request)
        } catch {
            throw CommandFailure(error)
        }
        while found < count ?? .max {
            guard let line = try next(of: &client, before: deadline, &patience, afterEnd: hasEnded) else {
                let words = patience.look(&client, within: WatchCommand.limit(before: deadline))
                for line in words where !json || Terminal.isErrorInteractive { Terminal.sayError(line) }
                continue
            }
            let news = (try? WatchLine(line: line)) ?? .other("")  // Perhaps from a later version.
            if case .authorisation(let authorisation) = news, !authorisation.level.isAllowed {
                throw CommandFailure(.notAuthorised, what: "watch", why: "this user may not know the position any more")
            }
            if case .matched(let match) = news, match.position == nil, !isRoadlessTold {
                isRoadlessTold = true
                if let why = whyNoRoads(&client, within: WatchCommand.limit(before: deadline)) {
                    SystemProcess.printError("waypost: watch: no position is put on a road: \(why)")
                }
            }
            hasEnded = if case .lost(let loss) = news { loss.reason == .ended } else { false }
            if isCounted(news) {
                found += 1
                deadline = nextDeadline
            }
            if json {
                try output.write(line: String(decoding: line, as: UTF8.self))
                patience.noteShown()
            } else {
                for text in lines?.lines(for: news) ?? [] {
                    for part in wrapped(text, columns: output.screenColumns, indent: 4) { try output.write(line: part) }
                    patience.noteShown()
                }
            }
        }
    }

    /// Why there are no roads here at all; nil when the device is just on none.
    private func whyNoRoads(_ client: inout ControlClient, within limit: Duration) -> String? {
        // A tracker that does not answer has ended, or will: the next line says so.
        let status = try? client.ask(StatusRequest(), timeout: limit)  // As said.
        guard let roads = status?.roads, roads.isMatching, status?.position != nil, roads.isCovered != true else { return nil }
        return roads.isCovered == nil ? "no road file can be used; see waypost status" : "the road file does not have this area"
    }

    private var request: WatchRequest {
        WatchRequest(
            sky: json && !significant, roads: roads, positions: !events,
            selection: .init(isSignificantOnly: significant, distanceFilterMetres: distance ?? 0, accuracy: accuracy))
    }

    private func isCounted(_ line: WatchLine) -> Bool {
        switch line {
        case .event: events
        case .position: !events
        case .matched, .noFix, .sky, .lost, .dropped, .authorisation, .other: false
        }
    }

    private var nextDeadline: Int64? {
        timeout.map { MonotonicClock.milliseconds + Int64($0 / .milliseconds(1)) }
    }

    /// How long a question may take by the way: never much longer than the time that is left.
    private static func limit(before deadline: Int64?) -> Duration {
        guard let deadline else { return .seconds(5) }
        return min(.seconds(5), max(leastLimit, .milliseconds(deadline - MonotonicClock.milliseconds)))
    }

    /// A tracker that is well answers in less.
    private static let leastLimit: Duration = .milliseconds(300)

    /// The next line; nil when it is time to say what the command waits for.
    private func next(
        of client: inout ControlClient, before deadline: Int64?, _ patience: inout WatchPatience, afterEnd hasEnded: Bool
    ) throws(CommandFailure) -> [UInt8]? {
        let left = deadline.map { max(0, $0 - MonotonicClock.milliseconds) } ?? .max
        if patience.milliseconds == 0, left > 0 { return nil }
        do throws(ControlError) {
            return try client.nextLine(timeout: .milliseconds(min(left, patience.milliseconds)))
        } catch .timedOut {
            if left > patience.milliseconds { return nil }
            _ = patience.look(&client, within: WatchCommand.leastLimit)
            let what = "no \(events ? "event" : "fix") for \(spanText(timeout ?? .zero))"
            throw CommandFailure(
                .timedOut, what: "watch", why: what + (patience.why.map { " (\($0))" } ?? ""), next: "see waypost status")
        } catch .closed where hasEnded {
            throw CommandFailure(.unavailable, what: "tracker", why: "has ended with its source")
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension DesiredAccuracy: ExpressibleByArgument {}
