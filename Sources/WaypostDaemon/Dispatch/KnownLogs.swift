import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

/// The folders of the log in this run and of earlier ones from which something is still to be sent, and what could not be erased, in the
/// file `log-folders` of the state folder, and in `journal/.earlier` of the log.
///
/// ```
/// {"folders":["/mnt/tracks","/var/log/waypost"]}
/// {"folders":["/var/log/waypost"],"later":["/mnt/tracks"]}
/// {"folders":["/mnt/tracks","/var/log/waypost"],"unerased":[{"folders":["/var/log/waypost"],"from":1790000000000,"through":812,"to":1790000600000}]}
/// {"folders":["/var/log/waypost"],"unerased":[{"folders":[],"from":1790000000000,"outbox":true,"through":812,"to":1790000600000}]}
/// {"folders":["/mnt/tracks","/var/log/waypost"],"since":[{"after":0,"folder":"/var/log/waypost"},{"after":812,"folder":"/mnt/tracks"}]}
/// ```
/// The first outlasts an outbox that is lost, the second a state folder that is. `later` is in the earlier logs while the state folder cannot be
/// written: whoever knows one of these finds the others. `since` says after which number each folder was that of the log, until the next one was:
/// so it is known what a folder has that is away. A file that cannot be read or written is like one that is not there: without both, earlier logs
/// are forgotten.
struct KnownLogs {
    /// Records that are erased, and what may still have them.
    struct Unerased: Hashable, Sendable {
        let erased: ErasedRecords
        var folders: [String]
        /// Whether the outbox may.
        var isInOutbox = false

        /// Whether nothing has them.
        var isDone: Bool { folders.isEmpty && !isInOutbox }
    }

    /// After which number a folder was that of the log.
    struct Since: Hashable, Sendable {
        let after: UInt64
        let folder: String
    }

    /// What a file says.
    fileprivate struct Content: Equatable {
        var folders: [String]
        var later: [String] = []
        var unerased: [Unerased] = []
        var since: [Since] = []
    }

    private let path: String
    private let numbersPath: String
    private let log: LogFolder?

    static let byteLimit = 1 << 20
    /// With more changes of the folder than that, the oldest are forgotten.
    private static let sinceLimit = 200

    /// - Parameter log: the log of this run; nil when it is off.
    init(folder: String, log: LogFolder?) {
        (path, numbersPath, self.log) = (folder + "/log-folders", folder + "/log-numbers", log)
    }

    /// The folders, that of the last run first, as far as the state folder could be written then.
    func read() -> [String] {
        let own = log.flatMap { Content(in: $0.earlierPath) }
        var folders = Content(in: path)?.folders ?? own?.folders ?? []
        func add(_ later: [String]) { for folder in later where !folders.contains(folder) { folders.append(folder) } }
        add(own?.later ?? [])
        var index = 0
        while index < folders.count {
            add(Content(in: LogFolder(path: folders[index]).earlierPath)?.later ?? [])
            index += 1
        }
        return folders
    }

    /// The folders, that of this run first.
    func folders(with current: String) -> [String] { [current] + read().filter { $0 != current } }

    /// What could not be erased: it must not be sent, and is still to be erased where it is.
    ///
    /// One of the files may be older, as of a full disk: what is erased by now is looked for in vain.
    func unerased() -> [Unerased] {
        let contents = [path, log?.earlierPath].compactMap(\.self).compactMap(Content.init(in:))
        return contents.flatMap(\.unerased).reduce(into: [Unerased]()) { $0.add($1) }
    }

    /// Since when each folder was that of the log, in order: what one of the files says is right, though an older one says less.
    private func since() -> [Since] {
        let paths = [path] + ([log].compactMap(\.self) + read().map(LogFolder.init(path:))).map(\.earlierPath)
        var known: [Since] = []
        for content in paths.compactMap(Content.init(in:)) { known += content.since.filter { !known.contains($0) } }
        return known.sorted { $0.after < $1.after }
    }

    /// The numbers that the log has given while it was in a folder, as far as that is known.
    ///
    /// - Parameter given: the largest number that it may have given at all.
    func numbers(in folder: String, through given: UInt64) -> [PositionCursor.Stretch] {
        let known = since()
        let ends = known.dropFirst().map(\.after) + [given]
        return zip(known, ends).compactMap { begin, end in
            begin.folder == folder && begin.after < min(end, given) ? .init(after: begin.after, through: min(end, given)) : nil
        }
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
    ///
    /// - Parameters:
    ///   - unerased: what could not be erased; nil when that is as it was. What a folder has that is not remembered, the first one
    ///     may have: the log may have been moved there.
    ///   - given: the largest number that may have been given before this run, which begins in the first folder.
    @discardableResult
    func write(_ folders: [String], unerased: [Unerased]? = nil, after given: UInt64? = nil) -> Bool {
        let left = (unerased ?? self.unerased()).map { known in
            let kept = known.folders.filter(folders.contains)
            let moved = kept.count < known.folders.count ? folders.prefix(1).filter { !kept.contains($0) } : []
            return Unerased(erased: known.erased, folders: kept + moved, isInOutbox: known.isInOutbox)
        }
        var since = since()
        if let given, let first = folders.first, since.last?.folder != first {
            // Before the first note, what waits is in the only folder that is known.
            if since.isEmpty, folders.count <= 2 { since = folders.suffix(1).map { Since(after: 0, folder: $0) } }
            if since.last?.folder != first { since.append(Since(after: given, folder: first)) }
        }
        var content = Content(
            folders: folders, unerased: left.reduce(into: [Unerased]()) { $0.add($1) }, since: since.suffix(KnownLogs.sinceLimit))
        let isNoted = content == Content(in: path) || content.write(to: path, isState: true)
        guard let log else { return isNoted }
        if !isNoted { content.later = Array(folders.dropFirst()) }
        // Most logs have none before them.
        let isNeeded = folders.count > 1 || Syscalls.exists(log.earlierPath) || !content.unerased.isEmpty
        if isNeeded, content != Content(in: log.earlierPath) { content.write(to: log.earlierPath) }
        for folder in folders.dropFirst() {
            let other = LogFolder(path: folder)
            let later = isNoted ? [] : folders.filter { $0 != folder }
            let known = Content(in: other.earlierPath) ?? Content(folders: [folder])
            var note = known
            note.later = later
            if !isNoted { note.since = content.since }
            // A link could lead root to other users' files.
            guard note != known, Syscalls.isOwnFolder(folder + "/journal") else { continue }
            note.write(to: other.earlierPath)
        }
        return isNoted
    }
}

extension [KnownLogs.Unerased] {
    /// Adds what could not be erased: of a stretch in one place.
    mutating func add(_ new: KnownLogs.Unerased) {
        guard let index = firstIndex(where: { $0.erased.stretch == new.erased.stretch }) else {
            if !new.isDone { append(new) }
            return
        }
        let (known, through) = (self[index], Swift.max(self[index].erased.through, new.erased.through))
        let folders = known.folders + new.folders.filter { !known.folders.contains($0) }
        let isInOutbox = known.isInOutbox || new.isInOutbox
        self[index] = .init(erased: ErasedRecords(known.erased.stretch, through: through), folders: folders, isInOutbox: isInOutbox)
    }
}

extension KnownLogs.Content {
    /// Reads a file; nil when it is not there or cannot be read.
    fileprivate init?(in path: String) {
        let bytes = try? Syscalls.contents(of: path, limit: KnownLogs.byteLimit, as: .own)  // See above.
        guard let bytes, let json = try? JSONParser().parse(bytes),  // See above.
            let folders = json["folders"]?.array
        else { return nil }
        self.init(
            folders: folders.compactMap(\.string), later: (json["later"]?.array ?? []).compactMap(\.string),
            unerased: (json["unerased"]?.array ?? []).compactMap(KnownLogs.Unerased.init),
            since: (json["since"]?.array ?? []).compactMap(KnownLogs.Since.init))
    }

    /// The text of a file.
    fileprivate var bytes: [UInt8] {
        var members: [String: JSONValue] = ["folders": .array(folders.map(JSONValue.string))]
        if !later.isEmpty { members["later"] = .array(later.map(JSONValue.string)) }
        if !unerased.isEmpty { members["unerased"] = .array(unerased.map(\.json)) }
        if !since.isEmpty { members["since"] = .array(since.map(\.json)) }
        var json = JSONWriter()
        json.object { json in json.members(members) }
        return json.text.bytes + [UInt8(ascii: "\n")]
    }

    /// Whether the file is written.
    @discardableResult
    fileprivate func write(to path: String, isState: Bool = false) -> Bool {
        do throws(SystemError) {
            try AtomicFile.write(bytes, to: path, mode: isState ? 0o600 : 0o640, adoptsFolderOwner: !isState)
            return true
        } catch {
            return false
        }
    }
}

extension KnownLogs.Unerased {
    fileprivate init?(_ json: JSONValue) {
        guard case .integer(let from)? = json["from"], case .integer(let to)? = json["to"], case .integer(let through)? = json["through"],
            from < to, through >= 0
        else { return nil }
        let (folders, isInOutbox) = ((json["folders"]?.array ?? []).compactMap(\.string), json["outbox"]?.bool == true)
        guard !folders.isEmpty || isInOutbox else { return nil }
        let stretch = UTCTime(millisecondsSince1970: from)..<UTCTime(millisecondsSince1970: to)
        self.init(erased: ErasedRecords(stretch, through: UInt64(through)), folders: folders, isInOutbox: isInOutbox)
    }

    fileprivate var json: JSONValue {
        let stretch = erased.stretch
        var members: [String: JSONValue] = [
            "from": .integer(stretch.lowerBound.millisecondsSince1970), "to": .integer(stretch.upperBound.millisecondsSince1970),
            "through": .integer(Int64(clamping: erased.through)), "folders": .array(folders.map(JSONValue.string)),
        ]
        if isInOutbox { members["outbox"] = .bool(true) }
        return .object(members)
    }
}

extension KnownLogs.Since {
    fileprivate init?(_ json: JSONValue) {
        guard case .integer(let after)? = json["after"], after >= 0, let folder = json["folder"]?.string else { return nil }
        self.init(after: UInt64(after), folder: folder)
    }

    fileprivate var json: JSONValue { .object(["after": .integer(Int64(clamping: after)), "folder": .string(folder)]) }
}
