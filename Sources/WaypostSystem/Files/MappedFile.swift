import CMapping
import Glibc
import Waypost

/// A file as memory: only the pages that are touched are read, and the system takes them back when it needs room.
///
/// What somebody cuts off the file while it is mapped reads as zeros (``isCut``), and what somebody writes into it may show; one that is
/// replaced by renaming another one over it, as ``AtomicFile`` does, stays as it was.
/// - Effects: the first one handles SIGBUS in this process; what is not about such a file goes to the handler before.
/// - Concurrency: the bytes may be read by several threads.
public final class MappedFile: RoadStorage {
    /// Where it is.
    public let path: String
    /// The whole file.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mapping.map(cmapping_start) ?? nil, count: count) }
    /// Whether a part of the file was gone when it was read: the file was cut after it was mapped.
    public var isCut: Bool { mapping.map(cmapping_is_cut) ?? false }

    nonisolated(unsafe) private let mapping: OpaquePointer?  // Read-only memory, unmapped at the end.
    private let count: Int

    /// Maps the file.
    ///
    /// - Errors: it is missing, a folder or not an ordinary file, or may not be read.
    public init(path: String) throws(SystemError) {
        if Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
        let descriptor = try Syscalls.open(path, O_RDONLY, as: .named)
        defer { Syscalls.close(descriptor) }
        guard let size = Syscalls.size(descriptor) else { throw SystemError.oddFile(path, "is not an ordinary file", code: EINVAL) }
        self.path = path
        count = Int(size)
        guard count > 0 else {
            mapping = nil
            return
        }
        mapping = cmapping_open(descriptor, count)
        if mapping == nil { throw SystemError(code: errno, operation: "map", path: path) }
    }

    /// Gives back the memory of whole pages in a range that is not needed for now; they are read again when they are.
    public func release(_ range: Range<Int>) {
        guard !isCut, let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress), !range.isEmpty, range.upperBound <= count else {
            return
        }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let first = range.lowerBound / page * page
        // Advice that is not taken costs memory, nothing else.
        _ = madvise(start + first, range.upperBound - first, MADV_DONTNEED)
    }

    deinit {
        if let mapping { cmapping_close(mapping) }
    }
}
