import ArgumentParser
import Waypost
import WaypostRecording
import WaypostSystem

/// `waypost log recover`: writes the missing GPX files.
struct LogRecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Make the GPX files that are missing after a crash or a deletion.",
        discussion: """
            After a crash the tracker makes them itself when it starts. This is for a card in another computer, and for files that somebody \
            removed: every journal gets its files again. Prints their paths. Exit code 73 while a tracker records there, 74 when a track cannot be \
            made.

            Example: waypost log recover --log /mnt/card/var/log/waypost
            """)

    @OptionGroup var location: LogLocation

    func run() throws {
        let folder = try location.folder(isWritten: true)
        let recovery = try attempt { () throws(RecordingError) in
            try Patience.during("making GPX files") { () throws(RecordingError) in
                try LogMaintenance(folder: folder, creator: "waypost \(WaypostVersion.text)").recover()
            }
        }
        let output = try OutputStream(path: "-")
        for track in recovery.tracks {
            if let words = track.damageWords { SystemProcess.printError("waypost: \(logPath(track.journalPath)): \(words)") }
            for path in [track.trackPath].compactMap(\.self) + track.otherTrackPaths { try output.write(path: logPath(path)) }
        }
        for path in recovery.forgottenPaths {
            SystemProcess.printError("waypost: \(logPath(path)): is missing, and its journal, too: its line was removed from SHA256SUMS")
        }
        let failures = recovery.failures.map(CommandFailure.init)
        for failure in failures { SystemProcess.printError(failure.line) }
        // Data that cannot be repaired here must not hide a failing disk.
        guard let first = failures.first(where: { $0.status != .badData }) ?? failures.first else { return }
        throw ExitCode(first.status == .badData ? ExitStatus.badData.rawValue : ExitStatus.inputOutput.rawValue)
    }
}
