import Glibc

/// The write-ahead log of a database, read without SQLite.
///
/// SQLite reads its log up to the first frame that is damaged or cut off, treats the rest as rubbish, and reports nothing: one flipped bit hides
/// every later commit. Here each frame is checked on its own: its checksum follows from the one stored in the frame before.
///
/// ```
/// 0   magic  version  page size  number of the checkpoint       4 bytes each, big-endian
/// 16  salt (8 bytes)  checksum (8 bytes)
/// 32  frame, frame, ...
///
/// 0   page number  database size in pages after a commit, else 0
/// 8   salt (8 bytes)  checksum (8 bytes)
/// 24  page
/// ```
/// Frames of another salt are leftovers of an earlier log.
/// - Source: SQLite's file format, section 4: https://www.sqlite.org/fileformat2.html#walformat
public struct SQLiteLog: Sendable {
    /// The content of the log file.
    public private(set) var bytes: [UInt8]
    /// How many commits SQLite does not see, because something before them is damaged.
    public private(set) var hiddenCommitCount = 0
    /// Whether more was written after one of these: it was confirmed, and not interrupted by a power cut.
    public private(set) var hasConfirmedHiddenCommit = false

    /// The bytes of a page.
    public private(set) var pageByteCount: Int
    /// The intact frames, up to the last commit.
    private var frames: [Frame] = []
    /// Whether any frame is as SQLite wrote it, of this log or of an earlier one in the same file.
    public private(set) var isThere = false

    private struct Frame {
        var pageNumber: Int
        var databasePageCount: Int
        var page: Range<Int>
    }

    /// A longer log cannot come from a small device; it is not read.
    private static let maximumByteCount = 64_000_000
    private static let headByteCount = 32
    private static let frameHeadByteCount = 24

    /// The log beside a database; nil when there is none or it is empty.
    public init?(besideDatabase path: String) throws(SystemError) {
        let bytes = try Syscalls.contents(of: path + SQLiteDatabase.logSuffix, limit: SQLiteLog.maximumByteCount, as: .own)
        guard let bytes else { return nil }
        self.init(bytes)
    }

    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        self.bytes = bytes
        let magic = bytes.word(at: 0)
        let isBigEndian = magic == 0x377F_0683
        let pageByteCount = Int(bytes.word(at: 8))
        let isPageSize = SQLitePages.isPageSize(pageByteCount)
        self.pageByteCount = isPageSize ? pageByteCount : SQLitePages.ownPageByteCount
        let head = bytes.count >= SQLiteLog.headByteCount ? Checksum().adding(bytes[0..<24], isBigEndian) : nil
        let isHeadWhole = head == Checksum(bytes, at: 24) && isPageSize && (magic | 1) == 0x377F_0683
        readFrames(isBigEndian, isHeadWhole: isHeadWhole)
        if isHeadWhole { return }
        // A damaged header may state another page size or byte order than the frames have.
        for size in Set([self.pageByteCount, SQLitePages.ownPageByteCount]) {
            for isBigEndian in [false, true] {
                var other = self
                (other.pageByteCount, other.frames, other.hiddenCommitCount, other.hasConfirmedHiddenCommit) = (size, [], 0, false)
                other.readFrames(isBigEndian, isHeadWhole: false)
                if other.frames.count > frames.count { self = other }
            }
        }
    }

    private mutating func readFrames(_ isBigEndian: Bool, isHeadWhole: Bool) {
        let runs = findRuns(isBigEndian)
        isThere = isThere || runs.contains(where: \.isWhole)
        var logs = SQLiteLogSalts(runs.filter(\.isWhole).map(\.salts))
        let salt = isHeadWhole ? bytes[16..<24] : saltThatMendsTheHeader(of: runs, isBigEndian) ?? newestSalt(of: &logs)
        let newest = salt.flatMap { logs.log(of: $0) }
        var isSeenBySQLite = isHeadWhole
        var committedCount = 0
        for run in runs {
            for (frame, frameSalt) in zip(run.frames, run.salts) {
                let isOurs = newest != nil && logs.log(of: frameSalt) == newest
                if hiddenCommitCount > 0, isOurs { hasConfirmedHiddenCommit = true }
                if frameSalt != salt || !run.isWhole { isSeenBySQLite = false }
                guard isOurs, run.isWhole else { continue }
                frames.append(frame)
                if frame.databasePageCount > 0 {
                    committedCount = frames.count
                    if !isSeenBySQLite { hiddenCommitCount += 1 }
                }
            }
        }
        frames.removeLast(frames.count - committedCount)
    }

    /// Frames of one log, each of which has the checksum that follows from the one before it; or one frame that has not.
    ///
    /// No checksum covers the salts: each may be damaged.
    private struct Run {
        var isWhole: Bool
        var frames: [Frame] = []
        var salts: [ArraySlice<UInt8>] = []
    }

    /// All frames of the log.
    private func findRuns(_ isBigEndian: Bool) -> [Run] {
        var runs: [Run] = []
        var previous = Checksum(bytes, at: 24)
        var start = SQLiteLog.headByteCount
        while start + SQLiteLog.frameHeadByteCount + pageByteCount <= bytes.count {
            let page = start + SQLiteLog.frameHeadByteCount..<start + SQLiteLog.frameHeadByteCount + pageByteCount
            let stored = Checksum(bytes, at: start + 16)
            let frame = Frame(pageNumber: Int(bytes.word(at: start)), databasePageCount: Int(bytes.word(at: start + 4)), page: page)
            // Zeros have the checksum of zeros.
            let isWhole =
                frame.pageNumber > 0
                && previous.adding(bytes[start..<start + 8], isBigEndian).adding(bytes[page], isBigEndian) == stored
            if !isWhole || runs.last?.isWhole != true { runs.append(Run(isWhole: isWhole)) }
            runs[runs.count - 1].frames.append(frame)
            runs[runs.count - 1].salts.append(bytes[start + 8..<start + 16])
            previous = stored
            start = page.upperBound
        }
        return runs
    }

    /// The salt with which the header has the checksum that it states, so that only its salt is damaged; that of an intact frame.
    private func saltThatMendsTheHeader(of runs: [Run], _ isBigEndian: Bool) -> ArraySlice<UInt8>? {
        guard bytes.count >= SQLiteLog.headByteCount else { return nil }
        let start = Checksum().adding(bytes[0..<16], isBigEndian)
        let stated = Checksum(bytes, at: 24)
        return runs.lazy.filter(\.isWhole).flatMap(\.salts).first { start.adding($0, isBigEndian) == stated }
    }

    /// A salt of the newest log in a file whose header is damaged.
    ///
    /// The log counts that has a salt as near to the header's as any; of these the one that has the most intact frames, and of several the first,
    /// as the newest frames come first. The salt of an earlier log is far off: half of it is random. A log of one frame is less near by three
    /// bytes: both its salt and the header's may be damaged. Without a header, what is in doubt is one frame alone: its salt may be the damaged
    /// one, unless it follows the other's.
    private func newestSalt(of logs: inout SQLiteLogSalts) -> ArraySlice<UInt8>? {
        let head = bytes.count >= SQLiteLog.headByteCount ? bytes[16..<24] : []
        var candidates: [(salt: ArraySlice<UInt8>, distance: Int, count: Int)] = []
        for log in logs.all {
            let distance = log.salts.map { salt in zip(head, salt).count { $0 != $1 } }.min() ?? 8
            // A header without any likeness says nothing.
            candidates.append((log.firstSalt, distance > 4 ? 8 : distance, log.frameCount))
        }
        var best: (salt: ArraySlice<UInt8>, distance: Int, count: Int)?
        for var candidate in candidates {
            if candidate.distance < 8, candidate.count == 1 { candidate.distance += 3 }
            guard let known = best else {
                best = candidate
                continue
            }
            // An earlier log may have more than the newest.
            let isMore =
                candidate.distance < 8
                ? candidate.count > known.count
                : known.count == 1 && candidate.count > 1 && !SQLiteLog.isOfLaterLog(known.salt, than: candidate.salt)
            if candidate.distance < known.distance || candidate.distance == known.distance && isMore { best = candidate }
        }
        return best?.salt
    }

    /// Whether a salt is the one of a later log in the same file: each log has a first half that is one more, and another second half.
    private static func isOfLaterLog(_ salt: ArraySlice<UInt8>, than other: ArraySlice<UInt8>) -> Bool {
        func half(_ salt: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
            salt.dropFirst(4 * index).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        return (1...0xFFFF).contains(half(salt, 0) &- half(other, 0)) && half(salt, 1) != half(other, 1)
    }

    /// How many pages the database has after the last intact commit; nil when there is none.
    public var databasePageCount: Int? { frames.last(where: { $0.databasePageCount > 0 })?.databasePageCount }

    /// Where in the bytes the newest intact image of each page is.
    public var pages: [Int: Range<Int>] {
        frames.reduce(into: [:]) { $0[$1.pageNumber] = $1.page }
    }

    /// Creates the database that results from applying the intact frames to the database file.
    ///
    /// Pages that only a damaged frame changed keep their earlier content, or are zeros: the rows may be from different moments, and must be
    /// checked one by one.
    /// - Returns: false when there is no intact frame.
    public func replay(over path: String, into target: String) throws(SystemError) -> Bool {
        guard let pageCount = databasePageCount else { return false }
        try Syscalls.remove(target)
        let descriptor = try Syscalls.open(target, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        defer { Syscalls.close(descriptor) }
        if Syscalls.exists(path) {
            let file = try FileReader(path: path, as: .own)
            while case let piece = try file.read(), !piece.isEmpty { try Syscalls.writeAll(descriptor, piece, path: target) }
        }
        for frame in frames where frame.pageNumber <= pageCount {
            let offset = Int64(frame.pageNumber - 1) * Int64(pageByteCount)
            try Syscalls.writeAll(descriptor, Array(bytes[frame.page]).span.bytes, at: offset, path: target)
        }
        try Syscalls.truncate(descriptor, to: Int64(pageCount) * Int64(pageByteCount), path: target)
        // It has no log: the format versions for reading and writing say so.
        let versions: [UInt8] = [1, 1]
        try Syscalls.writeAll(descriptor, versions.span.bytes, at: 18, path: target)
        return true
    }

    /// The two sums over pairs of words.
    private struct Checksum: Equatable {
        var first: UInt32 = 0
        var second: UInt32 = 0

        init() {}

        init(_ bytes: [UInt8], at offset: Int) {
            (first, second) = (bytes.word(at: offset), bytes.word(at: offset + 4))
        }

        func adding(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> Checksum {
            var sum = self
            bytes.withUnsafeBytes { raw in
                for offset in stride(from: 0, to: raw.count, by: 8) {
                    let words = (
                        raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                        raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    )
                    sum.first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ sum.second
                    sum.second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ sum.first
                }
            }
            return sum
        }
    }
}

extension [UInt8] {
    /// Four bytes, the most significant first; 0 past the end.
    fileprivate func word(at offset: Int) -> UInt32 { UInt32(number(at: offset, 4)) }
}
