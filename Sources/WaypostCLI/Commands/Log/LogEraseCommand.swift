import ArgumentParser
import Waypost
import WaypostControl
import WaypostRecording
import WaypostSystem

/// `waypost log erase --since T --until T`: removes a stretch of time.
struct LogEraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Remove a stretch of time from the log for good.",
        usage: "waypost log erase --since <time> --until <time> [--yes] [--log <dir>] [--socket <path>]",
        discussion: """
            Removes the fixes from --since until before --until from the journals and from the GPX files, which are rewritten. If a power cut interrupts \
            it, the next start or recovery completes it. Copies that were fetched are not touched. Asks first, unless --yes is given, \
            and names the whole stretch either way: a time of day without a day is its most recent occurrence. Where the clocks are changed, a day and a \
            time that come twice are refused, and so is a time that never comes.

            Example: waypost log erase --since 2026-11-21T11:00:00Z --until 2026-11-21T12:30:00Z
            """)

    @Option(help: ArgumentHelp("The first moment to erase: \(MomentText.forms).", valueName: "time"), transform: MomentValue.parse)
    var since: MomentText?

    @Option(help: ArgumentHelp("The first moment after it to keep, in the same forms.", valueName: "time"), transform: MomentValue.parse)
    var until: MomentText?

    @Option(help: .otherName(of: "since"), transform: MomentValue.parse)
    var from: MomentText?

    @Option(help: .otherName(of: "until"), transform: MomentValue.parse)
    var to: MomentText?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var location: LogLocation

    func validate() throws {
        _ = try OptionNames.value(since, "--since", from, "--from")
        _ = try OptionNames.value(until, "--until", to, "--to")
    }

    func run() throws {
        let format = location.daemon.format
        guard let since = since ?? from, let until = until ?? to else { return }
        let (from, to) = try MomentText.stretch(since, until, by: format, ofTwo: (.refused, .refused))
        let unrecorded = try location.unrecordedLog()
        let folder = unrecorded == nil ? try location.folder(isWritten: true) : nil
        let place = unrecorded ?? logPath(folder?.path ?? "")
        let stretch = format.stretch(from: from, until: to)
        if !yes {
            try Confirmation.ask("Erase everything in \(place) \(stretch), for good?", command: "log erase", refusal: "nothing was erased")
        }
        let (positions, tracks) = try folder.map { (folder) throws(CommandFailure) in try erase(folder, from, to) } ?? erase(from, to)
        if yes { SystemProcess.printError("waypost: log erase: \(place), \(stretch)") }
        try OutputStream(path: "-").write(line: "erased \(counted(positions, "position")) from \(counted(tracks, "track"))")
    }

    private func erase(_ folder: LogFolder, _ from: UTCTime, _ to: UTCTime) throws(CommandFailure) -> (positions: Int, tracks: Int) {
        var held: CommandFailure
        let deadline = MonotonicClock.milliseconds + LogEraseCommand.waitMilliseconds
        repeat {
            do throws(RecordingError) { return try eraseHere(folder, from, to) } catch {
                guard case .alreadyInUse(let path, let holder) = error else { throw CommandFailure(error) }
                held = CommandFailure(heldBy: holder, path, next: "name its socket with --socket PATH: it erases them itself")
            }
            // Another command may be erasing there.
        } while try !location.isRecorded(folder) && MonotonicClock.milliseconds < deadline && pause()
        // A tracker records there, and erases it itself.
        let answer = try location.ask(EraseLogRequest(from: from, to: to), about: folder, timeout: .seconds(600), or: held)
        return (answer.positionCount, answer.trackCount)
    }

    /// How long another command may take that has the log, milliseconds.
    private static let waitMilliseconds: Int64 = 10_000

    private func pause() -> Bool { (try? WakeSignal())?.sleep(milliseconds: 100) ?? false }  // Without one it does not wait.

    private func eraseHere(_ folder: LogFolder, _ from: UTCTime, _ to: UTCTime) throws(RecordingError) -> (positions: Int, tracks: Int) {
        let maintenance = try LogMaintenance(folder: folder, creator: "waypost \(WaypostVersion.text)")
        let erasure = try Patience.during("erasing") { () throws(RecordingError) in try maintenance.erase(from: from, to: to) }
        return (erasure.positionCount, erasure.trackCount)
    }

    /// Has it erased by a tracker that records nothing: what it sends and tells has the stretch, too.
    private func erase(_ from: UTCTime, _ to: UTCTime) throws(CommandFailure) -> (positions: Int, tracks: Int) {
        let answer = try location.daemon.ask(EraseLogRequest(from: from, to: to), timeout: .seconds(600))
        return (answer.positionCount, answer.trackCount)
    }
}
