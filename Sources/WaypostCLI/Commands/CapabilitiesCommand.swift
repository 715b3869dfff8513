import ArgumentParser
import Waypost
import WaypostControl

/// `waypost capabilities`: what the tracker and its device can do.
struct CapabilitiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities",
        abstract: "Show what the tracker can do on this box.",
        discussion: """
            One line per capability; with --json one object.

            Example: waypost capabilities
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        if json { return try OutputStream(path: "-").write(value: daemon.value(answering: CapabilitiesRequest())) }
        let answer = try daemon.ask(CapabilitiesRequest())
        let output = try OutputStream(path: "-")
        for receiver in answer.receivers { try output.write(line: "receiver on \(receiver.path): \(receiver.name)") }
        let lines = [
            ("significant changes", answer.hasSignificantChanges),
            ("the receiver sleeps when few positions are needed", answer.sleepsBetweenSamples),
            ("the receiver is turned off while it sleeps ([power] hook)", answer.switchesReceiverOff),
            ("the receiver also sleeps at rest ([tracking] rest_interval)", answer.pausesAtRest),
            ("positions are matched to roads", answer.matchesPositions),
            ("plays a recording or a simulated drive (waypost playback)", answer.isPlayback),
        ]
        for (words, isSo) in lines { try output.write(line: "\(words): \(isSo ? "yes" : "no")") }
    }
}
