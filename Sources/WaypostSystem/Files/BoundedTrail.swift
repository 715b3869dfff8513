import Glibc

extension Syscalls {
    /// Appends lines to a file that only this user may read; a file that is too large becomes `PATH.1`, in place of the one before.
    ///
    /// The lines are on the disk when this returns.
    /// - Parameters:
    ///   - bytes: the lines, each with its line feed.
    ///   - path: the file; it is created when it is missing.
    ///   - largestByteCount: the size from which the file is put aside.
    public static func append(_ bytes: [UInt8], to path: String, largestByteCount: Int64) throws(SystemError) {
        if let size = byteCount(of: path), size >= largestByteCount { try rename(path, to: path + ".1") }
        let descriptor = try open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600, as: .own)
        defer { close(descriptor) }
        try writeAll(descriptor, bytes.span.bytes, path: path)
        DiskWork.count(bytes: bytes.count)
        try synchronize(descriptor, path: path)
    }
}
