import ArgumentParser

/// `waypost roads ...`: the roads on the device.
struct RoadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roads",
        abstract: "Make a road file of an extract of OpenStreetMap, and show what one holds.",
        discussion: "Example: waypost roads build berlin.osm.pbf berlin.roads",
        subcommands: [RoadsBuildCommand.self, RoadsInfoCommand.self, RoadsModeCommand.self])
}
