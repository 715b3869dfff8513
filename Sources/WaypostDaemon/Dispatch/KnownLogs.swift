import Waypost
import WaypostSystem

/// The folders of the log in this run and of earlier ones from which positions are still to be sent, in the file `log-folders` of the state folder.
///
/// ```
/// {"folders":["/mnt/tracks","/var/log/waypost"]}
/// ```
/// It outlasts an outbox that is lost. A file that cannot be read or written is like one that is not there: earlier logs are forgotten then.
struct KnownLogs {
    private let path: String

    private static let byteLimit = 1 << 20

    init(folder: String) {
        path = folder + "/log-folders"
    }

    /// The folders, that of the last run first.
    func read() -> [String] {
        let bytes = try? Syscalls.contents(of: path, limit: KnownLogs.byteLimit, as: .own)  // See above.
        guard let bytes, let found = (try? JSONParser().parse(bytes))?["folders"]?.array else { return [] }  // See above.
        return found.compactMap(\.string)
    }

    /// Whether it is noted now.
    @discardableResult
    func write(_ folders: [String]) -> Bool {
        if read() == folders { return true }
        var json = JSONWriter()
        json.object { json in json.members(["folders": .array(folders.map(JSONValue.string))]) }
        return (try? AtomicFile.write(json.text.bytes + [UInt8(ascii: "\n")], to: path, mode: 0o600)) != nil  // See above.
    }

    /// Forgets a folder, from which nothing is sent any more.
    func forget(_ folder: String) { write(read().filter { $0 != folder }) }
}
