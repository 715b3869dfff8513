import ArgumentParser
import Waypost
import WaypostControl

/// `waypost capabilities`: what the tracker and its device can do.
struct CapabilitiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities",
        abstract: "Show what the tracker can do on this box.",
        discussion: """
            One line per capability, and what this user may know of the position; with --json one object. What the box can do is told to users with \
            full authorisation only.

            Example: waypost capabilities
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        if json { return try OutputStream(path: "-").write(value: daemon.value(answering: CapabilitiesRequest())) }
        let answer = try daemon.ask(CapabilitiesRequest())
        let output = try OutputStream(path: "-")
        try output.write(line: "this user may know: \(CapabilitiesCommand.words(answer.authorisation.level))")
        guard answer.authorisation.level == .full else { return }
        for receiver in answer.receivers { try output.write(line: "receiver on \(receiver.path): \(receiver.name)") }
        let mode = answer.mode.map { ", for \($0.word) (waypost roads mode)" } ?? ""
        let lines = [
            ("significant changes", answer.hasSignificantChanges),
            ("the receiver sleeps when few positions are needed", answer.sleepsBetweenSamples),
            ("the receiver is turned off while it sleeps ([power] hook)", answer.switchesReceiverOff),
            ("the receiver also sleeps at rest ([tracking] rest_interval)", answer.pausesAtRest),
            ("positions are matched to roads\(mode)", answer.matchesPositions),
            ("plays a recording or a simulated drive (waypost playback)", answer.isPlayback),
        ]
        for (words, isSo) in lines { try output.write(line: "\(words): \(isSo ? "yes" : "no")") }
    }

    private static func words(_ level: AuthorisationLevel) -> String {
        switch level {
        case .full: "the position"
        case .reduced: "roughly where the device is"
        case .none: "nothing of the position"
        case .notDetermined: "nothing of the position: nobody has decided"
        }
    }
}
