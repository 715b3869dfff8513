import Waypost
import WaypostControl
import WaypostSystem

/// Starts a program as its user, with what has happened.
///
/// One at a time starts the programs of a tracker: it holds a lock in the folder, which the group of what it has started holds, too, as long as it
/// runs. What has left that group ends with the program; where the starter was killed the next one finds it by a mark in its environment, which
/// stands in a file beside the lock while a program runs. So a program has ended, with all that it has started, before it is started again.
final class WakeLauncher {
    /// The lock of a tracker's programs.
    private struct Hold: ~Copyable {
        let socket: String
        let lock: FileLock
    }

    /// Where the user's programs are named.
    let folder: String
    /// How the last program has ended, until the tracker knows it.
    var unreported: RanRequest?
    private var hold: Hold?
    private let isAlone: Bool
    /// The file with the mark of what runs.
    private var run: RunningMark?

    private static let longestWords = 4_000

    /// - Parameters:
    ///   - folder: where it stands which program belongs to a registration.
    ///   - isAlone: whether this process does nothing but start programs: then everything below it is theirs, and is ended with them.
    init(folder: String, isAlone: Bool) {
        (self.folder, self.isAlone) = (folder, isAlone)
    }

    /// Waits until nobody else starts programs for a tracker, and nothing runs that somebody has started.
    ///
    /// - Parameters:
    ///   - socket: the tracker's control socket.
    ///   - limit: how long to wait at most, in milliseconds; nil waits for ever.
    /// - Returns: false when somebody else still does.
    func lock(forSocket socket: String, waitingAtMost limit: Int64?) throws(CommandFailure) -> Bool {
        let whole = WakeProgram.wholeSocket(socket)
        if hold?.socket == whole { return true }
        hold = nil
        unreported = nil
        // No registration has a name that begins with a dot.
        let path = "\(folder)/.agent\(WakeProgram.flat(whole))"
        let run = RunningMark(path: "\(folder)/.run\(WakeProgram.flat(whole))")
        do throws(SystemError) {
            try Syscalls.createFolders(folder, mode: 0o700)
            let deadline = limit.map { MonotonicClock.milliseconds + $0 }
            while true {
                switch try FileLock.acquire(path: path) {
                case .taken(let lock):
                    try begin(Hold(socket: whole, lock: lock), run)
                    return true
                case .held: break
                }
                guard let deadline else {
                    SystemProcess.printError("waypost: agent: another agent of this user starts the programs; waiting for its end")
                    try begin(Hold(socket: whole, lock: try FileLock.wait(path: path)), run)
                    return true
                }
                guard MonotonicClock.milliseconds < deadline else { return false }
                MonotonicClock.wait(milliseconds: 100)
            }
        } catch {
            throw CommandFailure(.cannotCreate, what: path, why: error.reason)
        }
    }

    /// Ends what another one has left behind, before anything is started.
    private func begin(_ hold: consuming Hold, _ run: RunningMark) throws(SystemError) {
        if isAlone { StrayProcesses.adoptOrphans() }
        if isAlone, let mark = try run.load() {
            StrayProcesses.end(markedWith: mark)
            try run.clear()
        }
        self.run = run
        self.hold = consume hold
    }

    /// Runs the program of an order, and says how that ended.
    ///
    /// - Parameter look: is called every now and then while it runs.
    /// - Cost: blocks this thread until the program ends, 60 s at most.
    func run(_ order: LaunchOrder, meanwhile look: () -> Void = {}) -> RanRequest {
        var ran = RanRequest()
        (ran.registration, ran.ids, ran.wasStarted) = (order.registration, order.ids, false)
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
            let mark = RandomDigits.make()
            try run?.save(mark)
            let command = try program.command(order.registration, mark: mark)
            let input = order.events.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
            let limit = Int64(WakeLedger.runSeconds) * 1_000
            let start = MonotonicClock.milliseconds
            let started = try begin(command, input)
            ran.wasStarted = true
            let (end, output) = try started.result(withinMilliseconds: limit, meanwhile: look)
            if isAlone { StrayProcesses.endDescendants() }
            try run?.clear()
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

    private func begin(_ command: String, _ input: [UInt8]) throws(SystemError) -> ShellCommand {
        switch hold {
        case .some(let hold): try ShellCommand.start(command, input: input, holding: hold.lock)
        case .none: try ShellCommand.start(command, input: input)
        }
    }
}
