import Glibc

/// A new file that only grows, for records that must survive a power cut.
///
/// - Space is allocated a step ahead, so that writing appended bytes to the disk seldom has to write a new length or block list too.
///   Space that is allocated and not yet written reads as zeros. On a file system that cannot allocate, bytes are appended without it.
/// - A failed append leaves nothing behind: when not all of the bytes fit, none is written, and the allocated space stays. Where
///   space cannot be allocated, the bytes that were written are cut off, at the latest before the next append.
/// - Appended bytes are in the system's cache at once: they survive the end of the process, and a power cut after ``synchronize()``.
/// - Concurrency: one owner.
public final class AppendOnlyFile {
    /// Where it is.
    public private(set) var path: String
    /// How many bytes were appended; the file may be longer (allocated space).
    public private(set) var byteCount: Int64 = 0

    /// The most that is allocated ahead, in bytes.
    public static let mostRoom: Int64 = 1 << 20

    private let descriptor: Int32
    private var allocatedByteCount: Int64 = 0
    private var hasLeftovers = false
    /// Not every file system can (FAT, ext2, some network file systems).
    private var canAllocate = true
    /// The steps in which space is allocated; the small ones are for a disk that is nearly full.
    private static let steps: [Int64] = [mostRoom, 1 << 14, 1]

    /// Creates the file.
    ///
    /// - Errors: `EEXIST` when the name is taken; nothing was changed then.
    public init(creating path: String, mode: UInt32 = 0o640) throws(SystemError) {
        descriptor = try Syscalls.open(path, O_RDWR | O_CREAT | O_EXCL, mode: mode)
        self.path = path
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// Appends all of the bytes, or none.
    public func append(_ bytes: [UInt8]) throws(SystemError) {
        try removeLeftovers()
        try allocate(upTo: byteCount + Int64(bytes.count))
        do {
            try Syscalls.writeAll(descriptor, bytes.span.bytes, at: byteCount, path: path)
        } catch {
            hasLeftovers = true
            try? removeLeftovers()  // The caller learns of the first error; the next append tries again.
            throw error
        }
        byteCount += Int64(bytes.count)
        DiskWork.count(bytes: bytes.count)
    }

    /// Allocates space for a first step.
    ///
    /// - Errors: `ENOSPC`, `EDQUOT`.
    public func reserve() throws(SystemError) {
        try allocate(upTo: AppendOnlyFile.steps[1])
    }

    /// Releases the space after the content, when nothing more will be appended.
    public func giveRoomBack() throws(SystemError) {
        hasLeftovers = true
        try removeLeftovers()
    }

    /// Renames it within the same file system; a file that has that name is replaced.
    public func rename(to newPath: String) throws(SystemError) {
        try Syscalls.rename(path, to: newPath)
        path = newPath
    }

    /// Writes what was appended to the disk.
    public func synchronize() throws(SystemError) {
        try Syscalls.synchronizeData(descriptor, path: path)
    }

    /// Whether its path still leads to it; otherwise it was removed, moved or unmounted, and its content cannot be found there.
    public var isInPlace: Bool { Syscalls.isNamed(descriptor, path) }
    /// Whether it has a name at all: a file that was removed has none.
    public var hasName: Bool { Syscalls.hasName(descriptor) }

    /// Finishes a file to which nothing more is appended: cuts it to its content, makes it read-only and writes all of it to the disk.
    public static func seal(_ path: String, byteCount: Int64, mode: UInt32 = 0o440) throws(SystemError) {
        let descriptor = try Syscalls.open(path, O_RDWR, as: .own)
        defer { Syscalls.close(descriptor) }
        try Syscalls.truncate(descriptor, to: byteCount, path: path)
        try Syscalls.setMode(descriptor, mode, path: path)
        try Syscalls.synchronize(descriptor, path: path)
    }

    /// Allocates space, or none when there is too little.
    private func allocate(upTo end: Int64) throws(SystemError) {
        guard canAllocate, end > allocatedByteCount else { return }
        for step in AppendOnlyFile.steps {
            let target = (end + step - 1) / step * step
            do {
                try Syscalls.allocate(descriptor, offset: allocatedByteCount, count: target - allocatedByteCount, path: path)
                allocatedByteCount = target
                return
            } catch {
                // The write itself shows whether the bytes fit.
                if error.code == EOPNOTSUPP { canAllocate = false }
                if error.code != ENOSPC, error.code != EDQUOT { return }
                if step == AppendOnlyFile.steps.last { throw error }
            }
        }
    }

    /// Cuts off what a failed append left; the allocated space goes with it and is allocated again when needed.
    private func removeLeftovers() throws(SystemError) {
        guard hasLeftovers else { return }
        try Syscalls.truncate(descriptor, to: byteCount, path: path)
        allocatedByteCount = byteCount
        hasLeftovers = false
    }
}
