import ArgumentParser

/// `waypost fences ...`: the tracker's fences, and fence files.
struct FencesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fences",
        abstract: "Check fence files, replay recordings, and change the fences of the running tracker.",
        discussion: "Example: waypost fences check yards.geojson",
        subcommands: [
            FencesCheckCommand.self, FencesReplayCommand.self, FencesListCommand.self, FencesActiveCommand.self, FencesAddCommand.self,
            FencesRemoveCommand.self, FencesImportCommand.self, FencesExportCommand.self,
        ])
}
