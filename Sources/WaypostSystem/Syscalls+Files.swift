import Glibc

/// Calls that create, resize, lock and describe files.
extension Syscalls {
    /// Writes all of the bytes at that offset; the file grows when it ends before.
    public static func writeAll(_ descriptor: Int32, _ bytes: RawSpan, at offset: Int64, path: String? = nil) throws(SystemError) {
        try bytes.withUnsafeBytes { (raw) throws(SystemError) in
            var done = 0
            while done < raw.count {
                let rest = UnsafeRawBufferPointer(rebasing: raw[done...])
                done += try retrying("write", path: path) { pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + done) }
            }
        }
    }

    /// Reads up to that many bytes from the descriptor's position; an empty array is the end.
    public static func read(_ descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
        var outcome: Result<Int, SystemError> = .success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            outcome = Result { () throws(SystemError) in try read(descriptor, into: UnsafeMutableRawBufferPointer(buffer)) }
            if case .success(let read) = outcome { initialized = read }
        }
        _ = try outcome.get()
        return bytes
    }

    /// Reads up to that many bytes at that offset, without moving the descriptor's position; an empty array is the end.
    public static func read(_ descriptor: Int32, at offset: Int64, upTo count: Int) throws(SystemError) -> [UInt8] {
        var outcome: Result<Int, SystemError> = .success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            outcome = Result { () throws(SystemError) in
                try retrying("read") { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
            }
            if case .success(let read) = outcome { initialized = read }
        }
        _ = try outcome.get()
        return bytes
    }

    /// The next offset, at or after this one, where bytes other than zeros may begin; it becomes the descriptor's position.
    ///
    /// - Errors: `ENXIO` when there are none; `EINVAL` where the system cannot know.
    public static func seekContent(_ descriptor: Int32, from offset: Int64, path: String? = nil) throws(SystemError) -> Int64 {
        let seekData: Int32 = 3  // SEEK_DATA, which Glibc's headers keep from Swift.
        return Int64(try retrying("seek", path: path) { lseek(descriptor, off_t(offset), seekData) })
    }

    /// Allocates blocks of a file for that range and makes it at least that long; the new bytes read as zero.
    ///
    /// - Errors: `ENOSPC`; `EOPNOTSUPP` where neither the file system nor the C library can.
    public static func allocate(_ descriptor: Int32, offset: Int64, count: Int64, path: String? = nil) throws(SystemError) {
        // posix_fallocate returns the code and leaves errno alone.
        while true {
            let code = posix_fallocate(descriptor, off_t(offset), off_t(count))
            if code == 0 { return }
            if code != EINTR { throw SystemError(code: code, operation: "allocate", path: path) }
        }
    }

    /// Cuts or extends a file to that many bytes.
    public static func truncate(_ descriptor: Int32, to count: Int64, path: String? = nil) throws(SystemError) {
        try retrying("truncate", path: path) { ftruncate(descriptor, off_t(count)) }
    }

    /// Sets the permission bits of an open file.
    public static func setMode(_ descriptor: Int32, _ mode: mode_t, path: String? = nil) throws(SystemError) {
        try retrying("chmod", path: path) { fchmod(descriptor, mode) }
    }

    /// Sets the times of last modification and access of an open file, in milliseconds since 1970.
    public static func setModified(_ descriptor: Int32, millisecondsSince1970: Int64, path: String? = nil) throws(SystemError) {
        // Rounded down, so that moments before 1970 keep a positive nanosecond part.
        let (quotient, remainder) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1_000)
        let seconds = remainder < 0 ? quotient - 1 : quotient
        let nanoseconds = (millisecondsSince1970 - seconds * 1_000) * 1_000_000
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        try retrying("set time", path: path) { futimens(descriptor, [time, time]) }
    }

    /// Tries to acquire the exclusive lock on an open file; returns false when another descriptor holds it.
    ///
    /// Closing the descriptor releases the lock.
    public static func lockExclusively(_ descriptor: Int32, path: String? = nil) throws(SystemError) -> Bool {
        do {
            try retrying("lock", path: path) { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// Waits for the exclusive lock on an open file.
    public static func lockWaiting(_ descriptor: Int32, path: String? = nil) throws(SystemError) {
        try retrying("lock", path: path) { flock(descriptor, LOCK_EX) }
    }

    /// As root, gives an open file to the owner of a folder, so that a service can use what its administrator made; otherwise does nothing.
    public static func adoptOwner(ofFolder folder: String, _ descriptor: Int32, path: String? = nil) throws(SystemError) {
        var status = stat()
        guard geteuid() == 0, stat(folder.cName, &status) == 0, status.st_uid != 0 || status.st_gid != 0 else { return }
        try retrying("chown", path: path) { fchown(descriptor, status.st_uid, status.st_gid) }
    }

    /// Removes a name; returns false when there was none.
    @discardableResult
    public static func remove(_ path: String) throws(SystemError) -> Bool {
        do {
            try retrying("remove", path: path) { unlink(path.cName) }
            return true
        } catch {
            if error.code == ENOENT { return false }
            if error.code == EISDIR { throw SystemError.oddFile(path, "is a folder, not a file", code: EISDIR) }
            throw error
        }
    }

    /// Whether the path names anything; a link counts, wherever it points.
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path.cName, &status) == 0
    }

    /// The whole of a small ordinary file; nil when there is none.
    ///
    /// - Errors: `EFBIG` when it has more than `limit` bytes.
    public static func contents(of path: String, limit: Int = 65_536, as trust: FileTrust = .named) throws(SystemError) -> [UInt8]? {
        try ownedContents(of: path, limit: limit, as: trust)?.bytes
    }

    /// The whole of a small ordinary file, and whose it is; nil when there is none.
    ///
    /// - Errors: `EFBIG` when it has more than `limit` bytes.
    public static func ownedContents(
        of path: String, limit: Int = 65_536, as trust: FileTrust = .named
    ) throws(SystemError) -> (bytes: [UInt8], owner: FileOwner)? {
        let descriptor: Int32
        do {
            descriptor = try open(path, O_RDONLY, as: trust)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let piece = try read(descriptor, upTo: 4_096)
            if piece.isEmpty { return (bytes, try FileOwner(of: descriptor)) }
            bytes += piece
            if bytes.count > limit { throw SystemError(code: EFBIG, operation: "read", path: path) }
        }
    }
}

/// The kinds, sizes and permissions of paths.
extension Syscalls {
    /// How many bytes the file of that path has, links followed; nil when there is none.
    public static func byteCount(of path: String) -> Int64? {
        var status = stat()
        return stat(path.cName, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// How many bytes an unprivileged program can still write on the file system of that path; nil when that cannot be known.
    public static func freeByteCount(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path.cName, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// How many bytes the file system of that path has in all; nil when that cannot be known.
    public static func diskByteCount(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path.cName, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_blocks) * UInt64(status.f_frsize))
    }

    /// The kinds of things that a path can name, links followed.
    public enum PathKind: Sendable {
        /// An ordinary file.
        case regular
        /// A folder.
        case folder
        /// A device, FIFO or socket.
        case other
        /// Nothing.
        case missing
    }

    /// What the path names, links followed.
    public static func kind(_ path: String) -> PathKind {
        var status = stat()
        guard stat(path.cName, &status) == 0 else { return .missing }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Whether the path names a pipe, links followed.
    public static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path.cName, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Whether users other than the owner may read or change a file; true for a file that cannot be inspected.
    public static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path.cName, &status) != 0 || status.st_mode & 0o077 != 0
    }

    /// The path without links; when the file, or a link's target, does not exist yet, the path of what is missing.
    public static func resolvingLinks(_ path: String) -> String {
        var path = path
        // As many links as the kernel follows.
        for _ in 0..<40 {
            if let resolved = realpath(path.cName, nil) {
                defer { free(resolved) }
                return String(name: resolved)
            }
            guard let target = linkTarget(path) else { break }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = target.hasPrefix("/") ? target : folder + target
        }
        return path
    }

    /// The absolute path, which means the same to every program at any time; links stay in it.
    public static func absolutePath(_ path: String) throws(SystemError) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { throw SystemError(code: errno, operation: "find the working folder of", path: path) }
        defer { free(folder) }
        let names = path.split(separator: "/").drop { $0 == "." }
        return names.reduce(String(name: folder)) { $0 == "/" ? "/\($1)" : "\($0)/\($1)" }
    }

    /// The size of an open ordinary file in bytes, nil for anything else.
    public static func size(_ descriptor: Int32) -> Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Whether a path, links followed, names an open file.
    public static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        var (status, named) = (stat(), stat())
        guard fstat(descriptor, &status) == 0, stat(path.cName, &named) == 0 else { return false }
        return status.st_dev == named.st_dev && status.st_ino == named.st_ino
    }

    /// Whether an open file still has a name; one that was removed lives on without.
    static func hasName(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    /// The permission bits of a new file of a user under the process's umask.
    public static var newFileMode: mode_t {
        let mask = umask(0)
        umask(mask)
        return 0o666 & ~mask
    }
}
