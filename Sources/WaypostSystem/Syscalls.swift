import Glibc

/// Every call to libc that works on descriptors and files goes through here: one retry loop, one kind of error.
public enum Syscalls {
    /// Repeats `body` while a signal interrupts it; throws for any other negative result.
    @discardableResult
    public static func retrying<Result: SignedInteger>(
        _ operation: String, path: String? = nil, _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(code: code, operation: operation, path: path) }
        }
    }

    /// Opens a file or device; the descriptor closes on exec.
    public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o640) throws(SystemError) -> Int32 {
        try retrying("open", path: path) { Glibc.open(path.cName, flags | O_CLOEXEC, mode) }
    }

    /// The descriptor of standard input.
    public static let standardInput: Int32 = STDIN_FILENO

    /// The descriptor of standard output.
    public static let standardOutput: Int32 = STDOUT_FILENO
    /// The descriptor of standard error.
    public static let standardError: Int32 = STDERR_FILENO

    /// Makes sure that the three standard descriptors are open, so that no file opened later gets one of their numbers and receives the messages.
    ///
    /// A descriptor that was closed then reads as empty and cannot be written to.
    public static func holdStandardDescriptors() {
        for descriptor in [standardInput, standardOutput, standardError] where fcntl(descriptor, F_GETFD) < 0 {
            // open returns the lowest free number: this one. It stays open over exec, as standard descriptors do.
            _ = Glibc.open("/dev/null", O_RDONLY)
        }
    }

    /// Whether a person may be at the other end of the descriptor.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Opens a device or FIFO for writing.
    public static func openForWriting(_ path: String) throws(SystemError) -> Int32 {
        try open(path, O_WRONLY)
    }

    /// Opens a file of our own for writing and creates it when it is missing; a link is not followed.
    public static func openOwnForWriting(_ path: String) throws(SystemError) -> Int32 {
        try open(path, O_WRONLY | O_CREAT, mode: 0o600, as: .own)
    }

    /// Opens a file of our own for reading; a link is not followed.
    public static func openOwnForReading(_ path: String) throws(SystemError) -> Int32 { try open(path, O_RDONLY, as: .own) }

    /// Opens a file, FIFO or device for reading, without waiting for a FIFO's writer: `poll` waits for that.
    public static func openForReading(_ path: String) throws(SystemError) -> Int32 {
        try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    /// Closes a descriptor that holds no unwritten data; errors would be of no use and are not reported.
    public static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Two connected stream sockets that close on exec (pipe2 is not imported, and pipe leaks into a process that starts at that moment).
    public static func socketPair() throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try retrying("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        return (ends[0], ends[1])
    }

    /// Reads what is available, up to the buffer's size; 0 is the end.
    public static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try retrying("read") { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Reads what is available now into the array; 0 is the end, -1 means that a non-blocking descriptor has nothing yet.
    public static func readAvailable(_ descriptor: Int32, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return -1
            case let code: throw SystemError(code: code, operation: "read")
            }
        }
    }

    /// Reads into the array, waiting until there is something; 0 is the end.
    ///
    /// It also waits for a FIFO that has no writer yet, although its descriptor does not block.
    public static func readWaiting(_ descriptor: Int32, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            _ = try poll(&descriptors, timeoutMilliseconds: -1)
            let count = try readAvailable(descriptor, into: &buffer)
            if count >= 0 { return count }
        }
    }

    /// Whether the descriptor is an ordinary file, which is always ready and has an end.
    public static func isRegularFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes all of the bytes, waiting for a slow reader even where the descriptor does not block (a pipe or terminal that is shared
    /// with a program which made it so).
    public static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, path: String? = nil) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            do {
                let written = try retrying("write", path: path) { Glibc.write(descriptor, rest.baseAddress, rest.count) }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            } catch {
                guard error.code == EAGAIN else { throw error }
                var descriptors = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
                _ = try poll(&descriptors, timeoutMilliseconds: -1)
            }
        }
    }

    /// Writes all of the bytes.
    public static func writeAll(_ descriptor: Int32, _ bytes: [UInt8], path: String? = nil) throws(SystemError) {
        // Array's own withUnsafeBytes does not carry typed errors; RawSpan's does.
        try writeAll(descriptor, bytes.span.bytes, path: path)
    }

    /// Writes all bytes, waiting where a non-blocking descriptor is full.
    public static func writeAll(_ descriptor: Int32, _ bytes: RawSpan, path: String? = nil) throws(SystemError) {
        try bytes.withUnsafeBytes { (raw) throws(SystemError) in try writeAll(descriptor, raw, path: path) }
    }

    /// Syncs a file's data (and the metadata needed to read it) to disk.
    public static func synchronizeData(_ descriptor: Int32, path: String? = nil) throws(SystemError) {
        DiskWork.countSynchronization()
        TaskPool.willWait()
        try retrying("fdatasync", path: path) { fdatasync(descriptor) }
    }

    /// Syncs a file's data and metadata to disk.
    public static func synchronize(_ descriptor: Int32, path: String? = nil) throws(SystemError) {
        DiskWork.countSynchronization()
        TaskPool.willWait()
        try retrying("fsync", path: path) { fsync(descriptor) }
    }

    /// Syncs a folder's entries (new names, renames) to disk.
    public static func synchronizeFolder(_ path: String) throws(SystemError) {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        try synchronize(descriptor, path: path)
    }

    /// Has the system acknowledge at once what a TCP connection has received, and what comes next; later it returns to its defaults by itself.
    static func acknowledgeAtOnce(_ descriptor: Int32) {
        var isOn: Int32 = 1
        // A connection that does not support this is merely slower.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
    }

    /// Waits until one of the descriptors is ready or the time is over; returns how many are ready, 0 when none.
    ///
    /// - Parameters:
    ///   - descriptors: what to wait for; receives which of them became ready.
    ///   - timeoutMilliseconds: -1 waits for ever.
    public static func poll(_ descriptors: inout [pollfd], timeoutMilliseconds: Int32) throws(SystemError) -> Int {
        let deadline = timeoutMilliseconds < 0 ? nil : MonotonicClock.milliseconds + Int64(timeoutMilliseconds)
        while true {
            let wait = deadline.map { Int32(clamping: max(0, $0 - MonotonicClock.milliseconds)) } ?? -1
            let ready = Glibc.poll(&descriptors, nfds_t(descriptors.count), wait)
            if ready >= 0 { return Int(ready) }
            let code = errno
            if code != EINTR { throw SystemError(code: code, operation: "poll") }
        }
    }

    /// Creates a folder and those above it that are missing.
    public static func createFolders(_ path: String, mode: mode_t = 0o750) throws(SystemError) {
        if mkdir(path.cName, mode) == 0 { return }
        switch errno {
        case EEXIST:
            guard isFolder(path) else { throw SystemError(code: ENOTDIR, operation: "create folder", path: path) }
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
                throw SystemError(code: ENOENT, operation: "create folder", path: path)
            }
            try createFolders(String(path[..<slash]), mode: mode)
            if mkdir(path.cName, mode) != 0, errno != EEXIST { throw SystemError(code: errno, operation: "create folder", path: path) }
        default:
            throw SystemError(code: errno, operation: "create folder", path: path)
        }
    }

    /// Whether the path names a folder.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path.cName, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Renames a file, replacing what has the new name.
    public static func rename(_ old: String, to new: String) throws(SystemError) {
        try retrying("rename to \(new)", path: old) { Glibc.rename(old.cName, new.cName) }
    }

    /// The names in a folder, without `.` and `..`, sorted.
    public static func names(inFolder path: String) throws(SystemError) -> [String] {
        guard let folder = opendir(path.cName) else { throw SystemError(code: errno, operation: "open folder", path: path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(name: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
