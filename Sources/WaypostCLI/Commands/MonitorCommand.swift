import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost monitor`: a full screen about the running tracker, until a key ends it.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show the fix, satellites, fences, events, queue and log full screen.",
        discussion: """
            It adapts to the size of the terminal, also over SSH. Keys: q quits, u changes the units. While it runs, the receiver stays on. With \
            NO_COLOR in the environment it shows no colours. Exit code 69 when the tracker ends, 77 when this user may not know the position any more.

            Example: ssh -t van waypost monitor
            """)

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func run() throws {
        guard Syscalls.isTerminal(Syscalls.standardInput), Syscalls.isTerminal(Syscalls.standardOutput) else {
            throw CommandFailure(
                .usage, what: "monitor", why: "standard input or output is not a terminal",
                next: "over SSH use ssh -t; for lines use waypost watch, for scripts waypost status --json")
        }
        var client = try daemon.connect()
        var format = screen.format(askedOf: &client)
        do throws(ControlError) { try client.send(WatchRequest(sky: true, roads: true)) } catch { throw CommandFailure(error) }
        // From here on Ctrl-C, Ctrl-\ and others end the loop, so that the terminal is given back first.
        Signals.blockStopRequests(and: Signals.quit)
        let environment = ProcessIdentity.current().environment
        var full = try MonitorCommand.fullScreen(hasColours: (environment["NO_COLOR"] ?? "").isEmpty, term: environment["TERM"])
        let end = MonitorCommand.show(on: &full, client: &client, format: &format)
        MonitorCommand.giveBack(full)
        switch end {
        case .quit, .signal(Signals.interrupt): return
        case .signal(let number): throw ExitCode(128 + number)
        case .failure(let failure): throw failure
        }
    }

    /// Why the monitor ends.
    private enum End {
        case quit
        case signal(Int32)
        case failure(CommandFailure)
    }

    private static func giveBack(_ screen: consuming FullScreen) {}

    private static func fullScreen(hasColours: Bool, term: String?) throws(CommandFailure) -> FullScreen {
        do throws(FullScreen.Failure) {
            return try FullScreen(hasColours: hasColours)
        } catch .noLibrary(let reason) {
            throw CommandFailure(.unavailable, what: "monitor", why: reason, next: "or use waypost watch")
        } catch {
            throw CommandFailure(
                .usage, what: "monitor", why: "no cursor can be moved on a terminal of type \(quoted(term ?? ""))",
                next: "set TERM to the terminal's type (TERM=xterm), or use waypost watch")
        }
    }

    /// Shows the tracker until a key, a signal or the tracker ends it.
    private static func show(on screen: inout FullScreen, client: inout ControlClient, format: inout ScreenFormat) -> End {
        var state = MonitorState(at: MonitorCommand.now)
        var requests = MonitorRequests()
        var shownAt = now - 1_000
        var isChanged = true
        while true {
            if let number = Signals.takeStopRequest(or: Signals.quit) { return .signal(number) }
            while let key = screen.nextKey() {
                if key == .character("q") || key == .character("Q") { return .quit }
                if key == .character("u") { format.units = format.units.next }
                isChanged = true
            }
            // Ages grow by themselves, once a second.
            if isChanged || now - shownAt >= 1_000 {
                draw(state, format, on: &screen)
                (shownAt, isChanged) = (now, false)
            }
            do throws(ControlError) {
                for request in requests.due(at: now, hasFences: state.hasFences) { try client.send(request) }
                // A short wait, as keys and sizes come from the terminal meanwhile.
                var line = try client.nextLine(within: .milliseconds(100))
                while let bytes = line {
                    state.process(bytes, at: now)
                    requests.noteAnswer(bytes)
                    isChanged = true
                    line = now - shownAt < 500 ? try client.nextLine(within: .zero) : nil
                }
                if state.isRevoked {
                    return .failure(CommandFailure(.notAuthorised, what: "monitor", why: "this user may not know the position any more"))
                }
            } catch {
                return .failure(CommandFailure(error))
            }
        }
    }

    private static var now: Int64 { MonotonicClock.milliseconds }

    private static func draw(_ state: MonitorState, _ format: ScreenFormat, on screen: inout FullScreen) {
        let (rows, columns) = screen.size
        let clock = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        screen.clear()
        for (row, line) in MonitorPicture(state, format, at: now, clock: clock).lines(columns: columns, rows: rows).enumerated() {
            var column = 0
            for piece in line.pieces {
                screen.write(piece.text, row: row, column: column, style: piece.style)
                column += displayWidth(piece.text)
            }
        }
        screen.show()
    }
}

/// When the monitor asks for what the tracker does not send by itself: at most one question of a kind waits for its answer.
private struct MonitorRequests {
    private static let interval: Int64 = 2_000
    private var statusAt: Int64? = .min
    private var fencesAt: Int64? = .min
    private var lastAt: (status: Int64, fences: Int64) = (.min, .min)

    /// The requests that are due.
    mutating func due(at now: Int64, hasFences: Bool) -> [any ControlRequest] {
        var due: [any ControlRequest] = []
        if let at = statusAt, at <= now {
            due.append(StatusRequest())
            (statusAt, lastAt.status) = (nil, now)
        }
        if hasFences, let at = fencesAt, at <= now {
            due.append(ActiveFencesRequest())
            (fencesAt, lastAt.fences) = (nil, now)
        }
        return due
    }

    /// Notes an answer, if the line is one.
    mutating func noteAnswer(_ line: [UInt8]) {
        guard case .other(let name)? = try? WatchLine(line: line) else { return }  // A line of the watch.
        if name == StatusReport.className { statusAt = lastAt.status + MonitorRequests.interval }
        if name == FenceList.className { fencesAt = lastAt.fences + MonitorRequests.interval }
    }
}

extension UnitSystem {
    /// The units that follow in the list of all, which goes round.
    fileprivate var next: UnitSystem {
        let all = UnitSystem.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}
