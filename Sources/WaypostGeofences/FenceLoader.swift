import Waypost
import WaypostSystem

/// Reads the fences of a file or of all fence files in a folder, and reads them again when they have changed.
///
/// Good fences are kept: a file that becomes unreadable or damaged keeps the fences it had. In a folder, a file that is removed takes its
/// fences with it; the single file that the configuration names does not, because an editor may be saving it.
struct FenceLoader {
    /// The result of reading.
    struct Reading: Equatable {
        /// All fences, each id once; of two with the same id the later one.
        var fences: [Geofence] = []
        /// Problems to report, `FILE: why`, the first ``FenceLoader/listedProblems`` of them.
        var problems: [String] = []
        /// What is odd in the files but costs nothing: for the message log alone.
        var notices: [String] = []
        /// Whether a file that is there, or should be, could not be read.
        var hasFailures = false
    }

    private struct Content {
        var stamp: FileStamp?
        var fences: [Geofence] = []
        var problems: [String] = []
        var notices: [String] = []
        var hasFailed = false
    }

    /// How many problems are reported.
    static let listedProblems = 100
    /// How many files of a folder are read; that there are more is reported.
    static let mostFiles = 1_000
    /// The extensions of fence files in a folder.
    static let extensions = ["geojson", "json", "kml", "otrw"]

    let path: String
    /// Whether the file comes later: until then it is no problem that it is missing.
    let isAwaited: Bool
    private var contents: [String: Content] = [:]
    private var listing: String?

    init(path: String, isAwaited: Bool = false) {
        self.path = path
        self.isAwaited = isAwaited
    }

    /// Reads what has changed since the last time; nil when nothing has.
    mutating func read() -> Reading? {
        var (files, listingProblem) = ([path], String?.none)
        let isFolder = Syscalls.kind(path) == .folder
        if isFolder {
            do throws(SystemError) {
                files = try FenceLoader.files(in: path)
            } catch {
                listingProblem = "\(path): cannot be read: \(error.reason)"
                files = contents.keys.sorted()
            }
        }
        var hasChanged = listing == nil || listing != listingProblem ?? ""
        listing = listingProblem ?? ""
        if isFolder, listingProblem == nil {
            for gone in contents.keys where !files.contains(gone) {
                contents[gone] = nil
                hasChanged = true
            }
        }
        for file in files.prefix(FenceLoader.mostFiles) where look(at: file) { hasChanged = true }
        guard hasChanged else { return nil }
        return summary(of: files, listingProblem)
    }

    /// The fence files of a folder, by name.
    private static func files(in folder: String) throws(SystemError) -> [String] {
        try Syscalls.names(inFolder: folder).filter { name in
            name.first != "." && extensions.contains { name.lowercased().hasSuffix("." + $0) }
        }.sorted().map { "\(folder)/\($0)" }
    }

    /// Reads a file unless it is still the one that was read; returns whether anything changed.
    private mutating func look(at file: String) -> Bool {
        if isAwaited, !Syscalls.exists(file) { return false }
        let stamp = FileStamp(of: file)
        var content = contents[file] ?? Content()
        if contents[file] != nil, stamp == content.stamp { return false }
        content.stamp = stamp
        (content.problems, content.notices) = ([], [])
        content.hasFailed = false
        do throws(FenceLoadFailure) {
            let read = try FenceLoader.fences(of: file)
            content.fences = read.fences
            content.problems = read.remarks.filter { !$0.isHarmless }.map { "\(file): \($0)" }
            content.notices = read.remarks.filter(\.isHarmless).map { "\(file): \($0)" }
        } catch {
            let kept =
                content.fences.isEmpty
                ? "" : "; the \(counted(content.fences.count, "fence")) read before \(content.fences.count == 1 ? "stays" : "stay")"
            content.problems = ["\(file): \(error.reason)\(kept)"]
            content.hasFailed = true
        }
        contents[file] = content
        return true
    }

    private static func fences(of file: String) throws(FenceLoadFailure) -> FenceFile {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let reader = try FileReader(path: file, as: .named)
            let limit = FenceFileLimits().bytes
            while bytes.count <= limit, case let piece = try reader.read(upTo: 1 << 20), !piece.isEmpty { bytes += piece }
        } catch {
            throw FenceLoadFailure(reason: "cannot be read: \(error.reason)")
        }
        return try fences(in: bytes)
    }

    /// The fences in a file's bytes; there must be at least one, unless the file says that there are none.
    static func fences(in bytes: [UInt8]) throws(FenceLoadFailure) -> FenceFile {
        let fences: FenceFile
        do throws(FenceFileError) {
            fences = try FenceFormat.read(bytes)
        } catch {
            throw FenceLoadFailure(reason: error.description)
        }
        // Without a single good entry it is more likely a wrong file than a wish for no fences.
        if fences.fences.isEmpty, let problem = fences.remarks.first(where: \.isDropped) {
            throw FenceLoadFailure(reason: problem.description)
        }
        return fences
    }

    private func summary(of files: [String], _ listingProblem: String?) -> Reading {
        var reading = Reading()
        if let listingProblem {
            reading.problems.append(listingProblem)
            reading.hasFailures = true
        }
        if files.count > FenceLoader.mostFiles {
            reading.problems.append("\(path): has \(counted(files.count, "fence file")); the first \(FenceLoader.mostFiles) are read")
        }
        var owners: [String: String] = [:]
        var places: [String: Int] = [:]
        for file in files {
            guard let content = contents[file] else { continue }
            reading.problems += content.problems
            reading.notices += content.notices
            reading.hasFailures = reading.hasFailures || content.hasFailed
            for fence in content.fences {
                if let owner = owners[fence.id], owner != file, let place = places[fence.id] {
                    reading.problems.append("\(file): the id \"\(fence.id)\" is in \(owner), too; this one counts")
                    reading.fences[place] = fence
                } else {
                    places[fence.id] = reading.fences.count
                    reading.fences.append(fence)
                }
                owners[fence.id] = file
            }
        }
        if reading.problems.count > FenceLoader.listedProblems {
            let more = reading.problems.count - FenceLoader.listedProblems
            reading.problems.removeLast(more)
            reading.problems.append("\(path): and \(counted(more, "more remark"))")
        }
        return reading
    }
}

/// Why a fence file could not be read.
struct FenceLoadFailure: Error {
    let reason: String
}
