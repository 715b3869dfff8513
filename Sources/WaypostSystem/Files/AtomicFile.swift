import Glibc

/// A file that appears under its name complete or not at all: written under a dotted name beside it, synced to disk, renamed.
///
/// A power cut at any moment leaves the old file or the new one; the dotted file, `.NAME.PID.tmp`, may remain. A file that is
/// dropped before `commit(mode:modifiedMilliseconds:)` is removed.
/// - Concurrency: one owner; it cannot be copied.
public struct AtomicFile: ~Copyable {
    /// Where the file will be.
    public let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private let adoptsFolderOwner: Bool
    private var isCommitted = false

    /// Starts writing a file; nothing appears under `path` yet.
    ///
    /// - Parameters:
    ///   - path: where the file is to appear.
    ///   - adoptsFolderOwner: whether root gives the file to the folder's owner: for files that a service running as that user reads.
    /// - Errors: the folder is missing, full or not writable.
    public init(path: String, adoptsFolderOwner: Bool = false) throws(SystemError) {
        let (folder, name) = AtomicFile.split(path)
        let temporaryPath = "\(folder)/.\(name).\(getpid()).tmp"
        // A crashed process with our id may have left one.
        try Syscalls.remove(temporaryPath)
        descriptor = try Syscalls.open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        self.path = path
        self.temporaryPath = temporaryPath
        self.adoptsFolderOwner = adoptsFolderOwner
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(SystemError) { try write(bytes.span.bytes) }

    /// Appends bytes to the file.
    public func write(_ bytes: RawSpan) throws(SystemError) {
        try Syscalls.writeAll(descriptor, bytes, path: path)
        DiskWork.count(bytes: bytes.byteCount)
    }

    /// Syncs the file to disk and gives it its name, replacing a file of that name; after an error nothing has changed under that name.
    ///
    /// - Parameters:
    ///   - mode: the permission bits; the process's umask does not apply.
    ///   - owner: the user who is to own the file; this process's own when nil.
    ///   - modifiedMilliseconds: the time of last modification, milliseconds since 1970; now when nil.
    public consuming func commit(
        mode: mode_t = 0o640, owner: UserAccount? = nil, modifiedMilliseconds: Int64? = nil
    ) throws(SystemError) {
        if let owner { try Syscalls.retrying("give to its owner", path: path) { fchown(descriptor, owner.userID, owner.groupID) } }
        if adoptsFolderOwner { try Syscalls.adoptOwner(ofFolder: AtomicFile.split(path).folder, descriptor, path: path) }
        try Syscalls.setMode(descriptor, mode, path: path)
        if let modifiedMilliseconds {
            try Syscalls.setModified(descriptor, millisecondsSince1970: modifiedMilliseconds, path: path)
        }
        try Syscalls.synchronize(descriptor, path: path)
        do { try Syscalls.rename(temporaryPath, to: path) } catch {
            throw error.code == EISDIR ? SystemError.oddFile(path, "is a folder, not a file", code: EISDIR) : error
        }
        isCommitted = true
        try Syscalls.synchronizeFolder(AtomicFile.split(path).folder)
    }

    deinit {
        Syscalls.close(descriptor)
        // Nothing can be done about a temporary file that cannot be removed; the next process that writes that name removes it.
        if !isCommitted { _ = unlink(temporaryPath.cName) }
    }

    /// Writes a small file at once.
    public static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t = 0o640, owner: UserAccount? = nil, adoptsFolderOwner: Bool = false
    ) throws(SystemError) {
        let file = try AtomicFile(path: path, adoptsFolderOwner: adoptsFolderOwner)
        try file.write(bytes)
        try file.commit(mode: mode, owner: owner)
    }

    /// The name that a temporary file (`.NAME.PID.tmp`) would have received; nil for any other name.
    public static func target(ofTemporary name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return nil }
        let stem = name.dropFirst().dropLast(".tmp".count)
        guard let dot = stem.lastIndex(of: "."), Int32(stem[stem.index(after: dot)...]) != nil else { return nil }
        return String(stem[..<dot])
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/." : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}
