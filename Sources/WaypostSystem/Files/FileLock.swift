import Glibc

/// A lock file that holds the number of the process which has it; the lock ends with the process, however it ends.
///
/// The file stays: removing it would let two processes lock two files of the same name.
/// - Concurrency: one owner; the lock is given back when the value goes away.
public struct FileLock: ~Copyable {
    fileprivate let descriptor: Int32

    /// What became of an attempt.
    public enum Attempt: ~Copyable {
        /// The lock is ours.
        case taken(FileLock)
        /// Another one has it: its process id, when the file says.
        case held(by: Int32?)
    }

    /// Tries to acquire the lock, without waiting; creates the file when it is missing.
    public static func acquire(path: String) throws(SystemError) -> Attempt {
        let descriptor = try Syscalls.open(path, O_RDWR | O_CREAT, as: .own)
        let lock = FileLock(descriptor: descriptor)
        guard try Syscalls.lockExclusively(descriptor, path: path) else {
            let text = try Syscalls.read(descriptor, upTo: 16)
            return .held(by: Int32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)))
        }
        // The number only serves the message to the next one who tries; a full disk must not stop us from having the lock.
        try? Syscalls.truncate(descriptor, to: 0, path: path)  // a full disk must not stop us
        try? Syscalls.writeAll(descriptor, Array("\(getpid())\n".utf8), path: path)  // a full disk must not stop us
        return .taken(lock)
    }

    /// Takes the lock as soon as nobody else has it; creates the file when it is missing.
    ///
    /// For what takes milliseconds.
    public static func wait(path: String) throws(SystemError) -> FileLock {
        let lock = try openOrCreate(path)
        try Syscalls.lockWaiting(lock.descriptor, path: path)
        return lock
    }

    /// Whether the locked file still has that name; else somebody else may lock another one.
    public func isNamed(_ path: String) -> Bool { Syscalls.isNamed(descriptor, path) }

    /// The file; one that is made here is the folder owner's, one that is there stays whose it is.
    private static func openOrCreate(_ path: String) throws(SystemError) -> FileLock {
        do {
            let lock = FileLock(descriptor: try Syscalls.open(path, O_RDWR | O_CREAT | O_EXCL, as: .own))
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            try Syscalls.adoptOwner(ofFolder: folder, lock.descriptor, path: path)
            return lock
        } catch {
            guard error.code == EEXIST else { throw error }
            return FileLock(descriptor: try Syscalls.open(path, O_RDWR, as: .own))
        }
    }

    deinit {
        Syscalls.close(descriptor)
    }
}
