import Glibc

/// A lock file that contains the number of the process that holds it; the lock ends with the process, however it ends.
///
/// The file stays: removing it would let two processes lock two files of the same name.
/// - Concurrency: one owner; the lock is released when the value goes away.
public struct FileLock: ~Copyable {
    let descriptor: Int32

    /// The result of an attempt.
    public enum Attempt: ~Copyable {
        /// This process holds the lock.
        case taken(FileLock)
        /// Another process holds it: its process id, when the file has it.
        case held(by: Int32?)
    }

    /// Tries to acquire the lock, without waiting; creates the file when it is missing.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - mode: who may read a new one.
    public static func acquire(path: String, mode: mode_t = 0o640) throws(SystemError) -> Attempt {
        if let old = try openWithSecondName(path) {
            guard try Syscalls.lockExclusively(old.descriptor, path: path) else { return .held(by: try old.holder) }
            if old.isNamed(path) { _ = try Syscalls.remove(path) }
        }
        let descriptor = try Syscalls.open(path, O_RDWR | O_CREAT, mode: mode, as: .own)
        let lock = FileLock(descriptor: descriptor)
        guard try Syscalls.lockExclusively(descriptor, path: path) else { return .held(by: try lock.holder) }
        // The number only serves the message to the next process that tries; a full disk must not keep us from the lock.
        try? Syscalls.truncate(descriptor, to: 0, path: path)  // a full disk must not stop us
        try? Syscalls.writeAll(descriptor, Array("\(getpid())\n".utf8), path: path)  // a full disk must not stop us
        return .taken(lock)
    }

    /// Tries to acquire the lock of a folder itself, without waiting and without a file: nobody is known to hold it.
    package static func acquire(folder: String) throws(SystemError) -> Attempt {
        let lock = FileLock(descriptor: try Syscalls.open(folder, O_RDONLY | O_DIRECTORY))
        guard try Syscalls.lockExclusively(lock.descriptor, path: folder) else { return .held(by: nil) }
        return .taken(lock)
    }

    /// Waits until the lock is free and acquires it; creates the file when it is missing.
    ///
    /// For locks that are held for milliseconds.
    public static func wait(path: String) throws(SystemError) -> FileLock {
        if let old = try openWithSecondName(path) {
            try Syscalls.lockWaiting(old.descriptor, path: path)
            if old.isNamed(path) { _ = try Syscalls.remove(path) }
        }
        let lock = try openOrCreate(path)
        try Syscalls.lockWaiting(lock.descriptor, path: path)
        return lock
    }

    /// Whether the locked file still has that name; otherwise another process may lock another file.
    public func isNamed(_ path: String) -> Bool { Syscalls.isNamed(descriptor, path) }

    /// The process id that the holder has written; nil when there is none.
    private var holder: Int32? {
        get throws(SystemError) {
            let text = try Syscalls.read(descriptor, upTo: 16)
            return Int32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }

    /// The file, not locked, when a snapshot of the folder (`cp -al`) has given it a second name; nil otherwise.
    ///
    /// Whoever gets its lock removes this name: the content is worth nothing, but writing it would change the snapshot's.
    private static func openWithSecondName(_ path: String) throws(SystemError) -> FileLock? {
        guard Syscalls.hasSecondName(path) else { return nil }
        return FileLock(descriptor: try Syscalls.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY))
    }

    /// Opens the file; a new file belongs to the folder's owner, an existing one keeps its owner.
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
        // A program that is being started has a copy of the descriptor until it runs, and would keep the lock that long.
        _ = flock(descriptor, LOCK_UN)
        Syscalls.close(descriptor)
    }
}
