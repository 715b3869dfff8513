import WaypostSystem

/// Which entries are in which images of pages in the files of an outbox, while these are whole.
struct OutboxImages {
    private struct Image {
        var page: Int
        /// The bytes that must be as they were: the page, and in the log what its checksum is of.
        var stretches: [Range<Int>]
        var ids: Set<String>
        /// Whether it ends a commit.
        var isCommit = false
    }

    private let file: [UInt8]
    private let log: [UInt8]
    private var fileImages: [Image] = []
    private var logImages: [Image] = []

    private static let pageByteCount = SQLitePages.ownPageByteCount
    /// Source: SQLite's file format, section 4.1.
    private static let (logHead, frameHead) = (32, 24)

    init(file: [UInt8], log: [UInt8]) {
        (self.file, self.log) = (file, log)
        let size = OutboxImages.pageByteCount
        for start in stride(from: 0, to: file.count, by: size) {
            fileImages.append(image(file, start / size + 1, start..<min(start + size, file.count)))
        }
        let frameByteCount = OutboxImages.frameHead + size
        for start in stride(from: OutboxImages.logHead, through: log.count - frameByteCount, by: frameByteCount) {
            // Of the log before this one.
            guard log[start + 8..<start + 16].elementsEqual(log[16..<24]) else { break }
            var image = image(log, Int(word(start)), start + OutboxImages.frameHead..<start + frameByteCount)
            // Its checksum goes on from the one before it.
            let before = start == OutboxImages.logHead ? 24..<32 : start - size - 8..<start - size
            image.stretches = [before, start..<start + frameByteCount]
            image.isCommit = word(start + 4) > 0
            logImages.append(image)
        }
    }

    private func word(_ offset: Int) -> UInt32 { log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    private func image(_ bytes: [UInt8], _ number: Int, _ stretch: Range<Int>) -> Image {
        // Entries have seven columns, the second of which is the id; short ones are in one page.
        let pages = SQLitePages(pageByteCount: OutboxImages.pageByteCount, pageCount: number) { $0 == number ? Array(bytes[stretch]) : [] }
        let ids = pages.rows(ofPage: number).compactMap { row -> String? in
            guard row.number != nil, row.values.count == 7, case .text(let id) = row.values[1] else { return nil }
            return id
        }
        return Image(page: number, stretches: [stretch], ids: Set(ids))
    }

    /// The ids of the entries that must be found in files of which some bytes were changed: of each page, those of the newest image that is as it
    /// was.
    ///
    /// - Parameter files: the file and the log, which may be cut off.
    func entries(leftIn files: [[UInt8]]) -> Set<String> {
        var newest: [Int: Set<String>] = [:]
        for image in fileImages where image.stretches.allSatisfy({ isWhole(file, files[0], $0) }) { newest[image.page] = image.ids }
        let left = logImages.filter { image in image.stretches.allSatisfy { isWhole(log, files[1], $0) } }
        if let last = left.lastIndex(where: \.isCommit) {
            for image in left[...last] { newest[image.page] = image.ids }
        }
        return newest.values.reduce(into: []) { $0.formUnion($1) }
    }

    private func isWhole(_ bytes: [UInt8], _ found: [UInt8], _ stretch: Range<Int>) -> Bool {
        stretch.upperBound <= found.count && bytes[stretch].elementsEqual(found[stretch])
    }
}
