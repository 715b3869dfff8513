import ArgumentParser

/// `waypost fences ...`: fence files, and what they would have said.
struct FencesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fences",
        abstract: "Check geofences against recordings.",
        discussion: "Example: waypost fences replay yards.geojson drive.nmea",
        subcommands: [FencesReplayCommand.self])
}
