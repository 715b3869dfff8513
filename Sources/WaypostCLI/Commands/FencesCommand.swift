import ArgumentParser

/// `waypost fences ...`: fence files, and what they would have said.
struct FencesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fences",
        abstract: "Check fence files, and geofences against recordings.",
        discussion: "Example: waypost fences check yards.geojson",
        subcommands: [FencesCheckCommand.self, FencesReplayCommand.self])
}
