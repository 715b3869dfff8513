import Waypost
import WaypostSystem

/// The file `SHA256SUMS` beside the finished tracks, in the format of `sha256sum -c`.
///
/// It appears complete or not at all. After ``update(adding:removing:forgetsLost:)`` there is a line for every finished GPX file and for no
/// other, even if the previous update was interrupted: files without a line are read, and lines without a file are removed. Only the lines of
/// tracks that are lost stay (`LogFolder.lostTracks`): nothing else knows of them.
/// - Cost: the length of the list; a file without a line is read once.
struct TrackDigests {
    let folder: LogFolder
    var path: String { folder.path + "/SHA256SUMS" }

    /// Stores the list.
    ///
    /// - Parameters:
    ///   - added: digests of files just written, by their names.
    ///   - removed: the names of files about to be deleted.
    ///   - forgetsLost: whether to remove the lines of lost tracks, too.
    func update(
        adding added: [String: String] = [:], removing removed: Set<String> = [], forgetsLost: Bool = false
    ) throws(RecordingError) {
        let stored = try lines()
        var digests: [String: String] = [:]
        if !forgetsLost {
            let listed = Set(stored.digests.keys).subtracting(removed)
            let lost = Set(try folder.lostTracks(listed: listed).map { LogFolder.trackName($0.stem.description) })
            for name in lost { digests[name] = stored.digests[name] }
            // Whoever has not acknowledged what another puller has still learns that it is gone.
            let acknowledged = try folder.lostTracks(listed: listed, isOwed: true).filter {
                !lost.contains(LogFolder.trackName($0.stem.description))
            }
            folder.note(acknowledged.map(\.numbers), as: .lost)
        }
        for name in try trackNames() where !removed.contains(name) {
            if let known = added[name] ?? stored.digests[name] {
                digests[name] = known
            } else {
                digests[name] = try digest(of: name)
            }
        }
        guard digests != stored.digests || stored.oddLine != nil else { return }
        do {
            guard !digests.isEmpty else {
                try Syscalls.remove(path)
                return
            }
            let text = digests.sorted { $0.key < $1.key }.map { "\($0.value)  \($0.key)\n" }.joined()
            try AtomicFile.write(Array(text.utf8), to: path, adoptsFolderOwner: true)
        } catch {
            throw .cannotFinish(path: path, cause: error)
        }
    }

    /// The entries that do not match their files, the files that the list does not contain, and the first line that is no entry.
    ///
    /// A line whose file was fetched and deleted is not a fault as long as its journal is there.
    /// - Cost: reads every GPX file.
    func faults() throws(RecordingError) -> [LogFault] {
        let stored = try lines()
        var faults: [LogFault] = []
        if let line = stored.oddLine {
            faults.append(
                LogFault(path: path, words: "line \(line) is not one that waypost wrote; waypost log recover writes the list again"))
        }
        for name in try trackNames() {
            guard let found = try digest(of: name) else { continue }
            guard let told = stored.digests[name] else {
                faults.append(LogFault(path: path, words: "has no line for \(name); waypost log recover adds it"))
                continue
            }
            if told.lowercased() == found { continue }
            let stem = LogFolder.stem(ofTrack: name).map(\.description) ?? ""
            let isThere = Syscalls.exists(folder.finishedJournalPath(stem))
            let advice = isThere ? "; move it away, and waypost log recover makes it again from its journal" : "; take it from a copy"
            faults.append(LogFault(path: "\(folder.path)/\(name)", words: "is not what SHA256SUMS says" + advice))
        }
        for (track, _) in try folder.lostTracks(listed: Set(stored.digests.keys)) {
            let words =
                "is missing, and its journal, too: take both from a copy, or waypost log recover removes its line from SHA256SUMS"
            faults.append(LogFault(path: folder.trackPath(track.description), words: words))
        }
        return faults
    }

    /// The names in the list; none when it cannot be read.
    var names: Set<String> { Set(((try? lines().digests) ?? [:]).keys) }  // Whoever checks the list reports it.

    /// Whether a track is as it was written; nil when it or its line is not there.
    ///
    /// - Cost: reads the file.
    func isAsWritten(_ name: String) throws(RecordingError) -> Bool? {
        guard let told = try lines().digests[name], let found = try digest(of: name) else { return nil }
        return told.lowercased() == found
    }

    /// The finished GPX files.
    func trackNames() throws(RecordingError) -> [String] {
        do {
            return try Syscalls.names(inFolder: folder.path).filter { LogFolder.stem(ofTrack: $0) != nil }
        } catch {
            throw .cannotRead(path: folder.path, cause: error)
        }
    }

    /// The digests in the file by name, and the number of the first line that has none, or one for a name that had one before.
    private func lines() throws(RecordingError) -> (digests: [String: String], oddLine: Int?) {
        let bytes: [UInt8]?
        do {
            bytes = try Syscalls.contents(of: path, limit: 1 << 24, as: .own)
        } catch {
            throw .cannotRead(path: path, cause: error)
        }
        var digests: [String: String] = [:]
        var oddLine: Int?
        var lines = (bytes ?? []).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            let name = String(text.dropFirst(66))
            let isEntry = !name.isEmpty && text.dropFirst(64).hasPrefix("  ") && text.prefix(64).allSatisfy(\.isHexDigit)
            if !isEntry || digests[name] != nil { oddLine = oddLine ?? index + 1 }
            if isEntry { digests[name] = String(text.prefix(64)) }
        }
        return (digests, oddLine)
    }

    /// The digest of a file; nil when it no longer exists, because tracks may be fetched and deleted at any time.
    private func digest(of name: String) throws(RecordingError) -> String? {
        let path = "\(folder.path)/\(name)"
        do {
            let file = try FileReader(path: path, as: .own)
            var hash = SHA256()
            while true {
                let bytes = try file.read()
                if bytes.isEmpty { return SHA256.hexadecimal(hash.finish()) }
                hash.update(bytes.span.bytes)
            }
        } catch {
            if error.isMissing { return nil }
            throw .cannotRead(path: path, cause: error)
        }
    }
}
