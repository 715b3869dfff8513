import WaypostSystem

// Whose the outbox is: one at a time, in whatever program, because each counts the entries' numbers on.
extension Outbox {
    /// The file whose lock the owner of an outbox holds, beside the outbox.
    static func lockPath(of path: String) -> String { path + "-lock" }

    /// Takes the outbox, unless another has it.
    ///
    /// The lock ends with its process, so that nobody has to remove the file. What cannot be locked at all, such as another user's file,
    /// keeps nobody out: SQLite's own locks protect the outbox then.
    static func lock(_ path: String) throws(OutboxError) -> FileLock? {
        let lockPath = lockPath(of: path)
        if Syscalls.oddFile(lockPath) != nil { _ = try? Syscalls.setAside(lockPath) }  // What stays cannot be locked: see above.
        let attempt: FileLock.Attempt
        do throws(SystemError) { attempt = try FileLock.acquire(path: lockPath, mode: 0o600) } catch { return nil }
        switch consume attempt {
        case .taken(let lock): return lock
        case .held(let holder): throw .inUse(path: path, holder: holder)
        }
    }

    /// Closes the file and leaves it to another owner; the next call of this one opens it again, if nobody else has it by then.
    ///
    /// `Dispatcher.stop()` does this.
    public func close() {
        if isClosed { return }
        try? checkpoint()  // The entries that stay in its log are found there.
        forget()
    }
}
