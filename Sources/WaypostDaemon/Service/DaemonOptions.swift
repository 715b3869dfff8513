import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// The command line of `waypostd`.
struct DaemonOptions: Equatable {
    var configuration: String?
    var sources: [SourceURL] = []
    var state: String?
    var log: String?
    var socket: String?
    var stays = false

    /// What to do instead of tracking.
    enum Instead: Error, Equatable {
        case printHelp
        case printVersion
    }

    static let help = """
        OVERVIEW: The waypost tracker: follows a position source, logs tracks, and shows
        positions to programs that are allowed to see them.

        USAGE: waypostd [--config FILE] [--source URL]... [--state DIR] [--log DIR]
                        [--socket PATH] [--stay]

        Example: waypostd --source gpsd://localhost --log /var/log/waypost

        OPTIONS:
          --config FILE   Configuration; default /etc/waypost/waypost.toml, or
                          ~/.config/waypost/waypost.toml, if it exists.
          --source URL    Where positions come from; default gpsd://localhost:2947,
                          then serial:auto. Several: the first is preferred, the
                          next ones stand in for it.
          --state DIR     Folder of the tracker's state.
          --log DIR       Folder of the recorded tracks.
          --socket PATH   Control socket.
          --stay          Go on when the source has ended.
          --version       Show the version.
          -h, --help      Show help.

        SOURCES:
          \(SourceRegistry.helpLines.joined(separator: "\n  "))
        """

    /// Reads the arguments, without the program's name.
    init(arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let (name, attached) = DaemonOptions.split(argument)
            func value() throws(DaemonFailure) -> String {
                guard let value = attached ?? rest.popFirst() else { throw DaemonFailure(usage: "\(name) needs a value") }
                return value
            }
            func path() throws(DaemonFailure) -> String {
                let path = try value()
                if path.isEmpty { throw DaemonFailure(usage: "\(name) is empty; name a file or a folder") }
                return path
            }
            switch name {
            case "--config": configuration = try path()
            case "--state": state = try path()
            case "--log": log = try path()
            case "--socket": socket = try path()
            case "--source": sources.append(try DaemonOptions.source(try value()))
            case "--stay" where attached == nil: stays = true
            case "--help" where attached == nil, "-h": throw Instead.printHelp
            case "--version" where attached == nil: throw Instead.printVersion
            default: throw DaemonFailure(usage: "unknown argument \(argument)")
            }
        }
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }

    private static func source(_ text: String) throws(DaemonFailure) -> SourceURL {
        do { return try SourceURL(text) } catch { throw DaemonFailure(.usage, "\(error)") }
    }
}
