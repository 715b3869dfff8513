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
        let answer = try daemon.ask(.capabilities)
        let output = try OutputStream(path: "-")
        if json {
            var text = TextBuffer()
            text.appendJSON { json in json.element(answer) }
            return try output.write(line: text.string)
        }
        for receiver in answer["receivers"]?.array ?? [] {
            try output.write(line: "receiver on \(receiver["path"]?.string ?? "?"): \(receiver["receiver"]?.string ?? "?")")
        }
        for (member, words) in CapabilitiesCommand.wording {
            try output.write(line: "\(words): \(answer[member]?.bool == true ? "yes" : "no")")
        }
    }

    private static let wording = [
        ("significant_changes", "significant changes"),
        ("sleeps_between_samples", "the receiver sleeps when few positions are needed"),
        ("switches_receiver_off", "the receiver is turned off while it sleeps ([power] hook)"),
        ("pauses_at_rest", "the receiver also sleeps at rest ([tracking] rest_interval)"),
        ("map_matching", "positions are matched to roads"),
        ("playback", "plays a recording or a simulated drive (waypost playback)"),
    ]
}
