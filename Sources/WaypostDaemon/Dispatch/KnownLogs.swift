import Waypost
import WaypostRecording
import WaypostSystem

/// The folders of the log in this run and of earlier ones from which something is still to be sent, in the file `log-folders` of the state folder,
/// and in `journal/.earlier` of the log.
///
/// ```
/// {"folders":["/mnt/tracks","/var/log/waypost"]}
/// {"folders":["/var/log/waypost"],"later":["/mnt/tracks"]}
/// ```
/// The first outlasts an outbox that is lost, the second a state folder that is. `later` is in the earlier logs while the state folder cannot be
/// written: whoever knows one of these finds the others. A file that cannot be read or written is like one that is not there: without both,
/// earlier logs are forgotten.
struct KnownLogs {
    private let path: String
    private let numbersPath: String
    private let log: LogFolder?

    private static let byteLimit = 1 << 20

    /// What a file says.
    private struct Note: Equatable {
        var folders: [String]
        var later: [String] = []
    }

    /// - Parameter log: the log of this run; nil when it is off.
    init(folder: String, log: LogFolder?) {
        (path, numbersPath, self.log) = (folder + "/log-folders", folder + "/log-numbers", log)
    }

    /// The folders, that of the last run first, as far as the state folder could be written then.
    func read() -> [String] {
        let own = log.flatMap { KnownLogs.note(in: $0.earlierPath) }
        var folders = KnownLogs.note(in: path)?.folders ?? own?.folders ?? []
        func add(_ later: [String]) { for folder in later where !folders.contains(folder) { folders.append(folder) } }
        add(own?.later ?? [])
        var index = 0
        while index < folders.count {
            add(KnownLogs.note(in: LogFolder(path: folders[index]).earlierPath)?.later ?? [])
            index += 1
        }
        return folders
    }

    private static func note(in path: String) -> Note? {
        let bytes = try? Syscalls.contents(of: path, limit: byteLimit, as: .own)  // See above.
        guard let bytes else { return nil }
        let found = try? JSONParser().parse(bytes)  // See above.
        guard let folders = found?["folders"]?.array else { return nil }
        return Note(folders: folders.compactMap(\.string), later: found?["later"]?.array?.compactMap(\.string) ?? [])
    }

    /// The logs of earlier runs in other folders than this one, and that of the last run, when it is one of them; before the folder of this run
    /// is noted.
    func others(than folder: String) -> (all: [LogFolder], former: LogFolder?) {
        let here = Syscalls.resolvingLinks(folder)
        func isElsewhere(_ other: String) -> Bool { Syscalls.resolvingLinks(other) != here }
        let known = read()
        let all = known.filter(isElsewhere).map(LogFolder.init(path:))
        // Numbers only grow: they also tell what the state folder could not note. Without those of the last run this is an older copy of its log.
        let newest = all.max { $0.newestMark < $1.newestMark }
        let (own, other) = (LogFolder(path: folder).newestMark, newest?.newestMark ?? 0)
        if other > own, other >= LogFolder.newestMark(in: numbersPath) { return (all, newest) }
        let isStale = other > 0 && other < own
        return (all, isStale ? nil : known.first.flatMap { isElsewhere($0) ? LogFolder(path: $0) : nil })
    }

    /// Whether it is noted now.
    @discardableResult
    func write(_ folders: [String]) -> Bool {
        let isNoted = folders == KnownLogs.note(in: path)?.folders || KnownLogs.write(Note(folders: folders), to: path, isState: true)
        guard let log else { return isNoted }
        let own = Note(folders: folders, later: isNoted ? [] : Array(folders.dropFirst()))
        // Most logs have none before them.
        if own != KnownLogs.note(in: log.earlierPath), folders.count > 1 || Syscalls.exists(log.earlierPath) {
            KnownLogs.write(own, to: log.earlierPath)
        }
        for folder in folders.dropFirst() {
            let other = LogFolder(path: folder)
            let later = isNoted ? [] : folders.filter { $0 != folder }
            var note = KnownLogs.note(in: other.earlierPath) ?? Note(folders: [folder])
            // A link could lead root to other users' files.
            guard note.later != later, Syscalls.isOwnFolder(folder + "/journal") else { continue }
            note.later = later
            KnownLogs.write(note, to: other.earlierPath)
        }
        return isNoted
    }

    @discardableResult
    private static func write(_ note: Note, to path: String, isState: Bool = false) -> Bool {
        var members: [String: JSONValue] = ["folders": .array(note.folders.map(JSONValue.string))]
        if !note.later.isEmpty { members["later"] = .array(note.later.map(JSONValue.string)) }
        var json = JSONWriter()
        json.object { json in json.members(members) }
        let text = json.text.bytes + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try AtomicFile.write(text, to: path, mode: isState ? 0o600 : 0o640, adoptsFolderOwner: !isState)
            return true
        } catch {
            return false
        }
    }

    /// Forgets a folder, from which nothing is sent any more.
    func forget(_ folder: String) { write(read().filter { $0 != folder }) }
}
