import WaypostSystem

/// Reads the page's own files and those that are fetched, on a thread of its own: a disk that hangs must not hold up the streams.
actor PageDisk {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private static let pieceByteCount = 65_536

    init() throws(SystemError) {
        executor = try ThreadExecutor(name: "page files")
    }

    /// The content of a small file; nil when it cannot be read.
    func contents(of path: String) -> [UInt8]? {
        (try? Syscalls.contents(of: path, limit: 1 << 20)) ?? nil  // Then it is not there, for browsers.
    }

    /// Sends a file of the log piece by piece; returns whether all of it was sent.
    ///
    /// - Parameter send: takes a piece; false when nobody wants more.
    func read(_ file: PageFile, _ send: @Sendable ([UInt8]) async -> Bool) async -> Bool {
        do throws(SystemError) {
            let descriptor = try Syscalls.openOwnForReading(file.path)
            defer { Syscalls.close(descriptor) }
            var done = 0
            while done < file.byteCount {
                let piece = try Syscalls.read(descriptor, at: Int64(done), upTo: min(PageDisk.pieceByteCount, file.byteCount - done))
                if piece.isEmpty { return false }
                guard await send(piece) else { return false }
                done += piece.count
            }
            return true
        } catch {
            return false
        }
    }
}
