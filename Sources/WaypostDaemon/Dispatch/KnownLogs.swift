import Waypost
import WaypostRecording
import WaypostSystem

/// The folders of the log in this run and of earlier ones from which something is still to be sent, in the file `log-folders` of the state folder,
/// and in `journal/.earlier` of the log.
///
/// ```
/// {"folders":["/mnt/tracks","/var/log/waypost"]}
/// ```
/// The first outlasts an outbox that is lost, the second a state folder that is. A file that cannot be read or written is like one that is not
/// there: without both, earlier logs are forgotten.
struct KnownLogs {
    private let path: String
    private let copyPath: String?

    private static let byteLimit = 1 << 20

    /// - Parameter log: the log of this run; nil when it is off.
    init(folder: String, log: LogFolder?) {
        (path, copyPath) = (folder + "/log-folders", log?.earlierPath)
    }

    /// The folders, that of the last run first.
    func read() -> [String] { KnownLogs.folders(in: path) ?? copyPath.flatMap(KnownLogs.folders(in:)) ?? [] }

    private static func folders(in path: String) -> [String]? {
        let bytes = try? Syscalls.contents(of: path, limit: byteLimit, as: .own)  // See above.
        guard let bytes else { return nil }
        return (try? JSONParser().parse(bytes))?["folders"]?.array?.compactMap(\.string)  // See above.
    }

    /// The log of the last run, when that was in another folder than this one; before the folder of this run is noted.
    func former(than folder: String) -> LogFolder? {
        read().first.flatMap { Syscalls.resolvingLinks($0) == Syscalls.resolvingLinks(folder) ? nil : LogFolder(path: $0) }
    }

    /// Whether it is noted now.
    @discardableResult
    func write(_ folders: [String]) -> Bool {
        var json = JSONWriter()
        json.object { json in json.members(["folders": .array(folders.map(JSONValue.string))]) }
        let text = json.text.bytes + [UInt8(ascii: "\n")]
        // Most logs have none before them.
        if let copyPath, folders != KnownLogs.folders(in: copyPath), folders.count > 1 || Syscalls.exists(copyPath) {
            try? AtomicFile.write(text, to: copyPath, adoptsFolderOwner: true)  // See above.
        }
        return folders == KnownLogs.folders(in: path) || (try? AtomicFile.write(text, to: path, mode: 0o600)) != nil  // See above.
    }

    /// Forgets a folder, from which nothing is sent any more.
    func forget(_ folder: String) { write(read().filter { $0 != folder }) }
}
