import ArgumentParser
import WaypostConfiguration
import WaypostSystem

/// `waypost config`: the configuration without the tracker.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the configuration.", discussion: "Example: waypost config check",
        subcommands: [Check.self])

    /// `waypost config check [FILE]`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Say every mistake in a configuration, with its place.",
            discussion: """
                Reads the file and conf.d/*.toml beside it, as the tracker does. Exit code 78 when there is a mistake, 66 when the file \
                does not exist.

                Example: waypost config check /etc/waypost/waypost.toml
                """)

        @Argument(help: "The configuration; default is the one that the tracker would read.")
        var file: String?

        func run() throws {
            let identity = ProcessIdentity.current()
            let paths = DefaultPaths(environment: identity.environment, userID: identity.userID, userName: identity.userName)
            let loaded: LoadedConfiguration
            do throws(ConfigurationErrors) {
                loaded = try Configuration.load(path: file, paths: paths)
            } catch {
                for mistake in error.errors { SystemProcess.printError("waypost: \(mistake)") }
                throw ExitCode((error.isNotFound ? ExitStatus.inputMissing : .badConfiguration).rawValue)
            }
            let names = loaded.files.isEmpty ? "no file, built-in defaults" : loaded.files.joined(separator: ", ")
            try OutputStream(path: "-").write(line: "\(names): ok")
        }
    }
}
