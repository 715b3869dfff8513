import Waypost
import WaypostSystem

/// Which entries are in which page images of an outbox's intact files.
///
/// SQLite itself says so, queried after each commit of the log.
///
/// The code that reads damaged files is not used here; of the log only the places of its frames are used.
/// - Source: SQLite's file format, sections 4.1 and 4.2; https://www.sqlite.org/dbstat.html.
struct OutboxImages: Sendable {
    private struct Image {
        var page: Int
        /// The bytes that must be unchanged: the page, and in the log also what its checksum covers.
        var stretches: [Range<Int>]
        var ids: Set<String>
        /// Whether it ends a commit.
        var isCommit = false

        /// Where it is.
        var place: Range<Int> { stretches[stretches.count - 1] }
    }

    private let file: [UInt8]
    private let log: [UInt8]
    private var fileImages: [Image] = []
    private var logImages: [Image] = []

    private static let (logHead, frameHead) = (32, 24)

    /// - Parameter folder: an empty one, for copies that SQLite may write to.
    init(file: [UInt8], log: [UInt8], folder: String) throws {
        (self.file, self.log) = (file, log)
        let pageByteCount = Int(log[8..<12].reduce(0) { $0 << 8 | UInt32($1) })
        let before = try OutboxImages.ids(ofFile: file, log: [], folder)
        for start in stride(from: 0, to: file.count, by: pageByteCount) {
            let page = start / pageByteCount + 1
            fileImages.append(
                Image(page: page, stretches: [start..<min(start + pageByteCount, file.count)], ids: before[page] ?? []))
        }
        let frameByteCount = OutboxImages.frameHead + pageByteCount
        var commit: [Image] = []
        for start in stride(from: OutboxImages.logHead, through: log.count - frameByteCount, by: frameByteCount) {
            // A frame of an earlier log.
            guard log[start + 8..<start + 16].elementsEqual(log[16..<24]) else { break }
            // Its checksum continues from the one before it.
            let chain = start == OutboxImages.logHead ? 24..<32 : start - pageByteCount - 8..<start - pageByteCount
            commit.append(
                Image(
                    page: Int(word(start)), stretches: [chain, start..<start + frameByteCount], ids: [], isCommit: word(start + 4) > 0))
            guard word(start + 4) > 0 else { continue }
            let ids = try OutboxImages.ids(ofFile: file, log: Array(log[..<(start + frameByteCount)]), folder)
            for index in commit.indices { commit[index].ids = ids[commit[index].page] ?? [] }
            logImages += commit
            commit = []
        }
    }

    private func word(_ offset: Int) -> UInt32 { log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    /// The ids of the entries in each page that has some.
    ///
    /// Entries are in the leaves of their tree in the order of their numbers, from left to right; short ones are in one page.
    private static func ids(ofFile file: [UInt8], log: [UInt8], _ folder: String) throws -> [Int: Set<String>] {
        let path = folder + "/copy.sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { _ = try? Syscalls.remove(path + suffix) } }  // The folder goes, too.
        try AtomicFile.write(file, to: path)
        try AtomicFile.write(log, to: path + SQLiteDatabase.logSuffix)
        let database = try SQLiteDatabase(path: path)
        let ids = try database.rows("SELECT id FROM entry ORDER BY number") { $0.text(0) }
        let leaves = try database.rows(
            "SELECT pageno, ncell FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf' ORDER BY path"
        ) { (page: Int($0.integer(0)), count: Int($0.integer(1))) }
        guard leaves.reduce(0, { $0 + $1.count }) == ids.count else { throw SQLiteError.damaged("entries without a page", path: path) }
        var found: [Int: Set<String>] = [:]
        var next = 0
        for leaf in leaves {
            found[leaf.page] = Set(ids[next..<next + leaf.count])
            next += leaf.count
        }
        return found
    }

    /// The ids of the entries that must be found in partly changed files: for each page, those of its newest unchanged image.
    ///
    /// A last commit after damage, with nothing behind it, looks like one that a power cut has interrupted, unless the tally counts its entries.
    /// - Parameters:
    ///   - files: the file and the log, which may be cut off.
    ///   - isCounted: whether the tally is unchanged.
    func entries(leftIn files: [[UInt8]], isCounted: Bool) -> Set<String> {
        var newest: [Int: Set<String>] = [:]
        for image in fileImages where image.stretches.allSatisfy({ isWhole(file, files[0], $0) }) { newest[image.page] = image.ids }
        func isLeft(_ image: Image) -> Bool { image.stretches.allSatisfy { isWhole(log, files[1], $0) } }
        var left = logImages.filter(isLeft)
        // What SQLite itself sees.
        let seen = isWhole(log, files[1], 0..<OutboxImages.logHead) ? logImages.prefix(while: isLeft).count : 0
        if !isCounted, left[seen...].count(where: \.isCommit) == 1, let last = left.lastIndex(where: \.isCommit),
            !isFollowed(left[last], in: files[1])
        {
            left.removeSubrange(seen...)
        }
        if let last = left.lastIndex(where: \.isCommit) {
            for image in left[...last] { newest[image.page] = image.ids }
        }
        return newest.values.reduce(into: []) { $0.formUnion($1) }
    }

    /// Whether the head of another frame of the same log is behind that frame.
    private func isFollowed(_ image: Image, in found: [UInt8]) -> Bool {
        let salt = log[16..<24]
        return logImages.contains { other in
            let frame = other.place
            guard frame.lowerBound >= image.place.upperBound, frame.upperBound <= found.count else { return false }
            return found[frame.lowerBound + 8..<frame.lowerBound + 16].elementsEqual(salt)
        }
    }

    private func isWhole(_ bytes: [UInt8], _ found: [UInt8], _ stretch: Range<Int>) -> Bool {
        stretch.upperBound <= found.count && bytes[stretch].elementsEqual(found[stretch])
    }
}
