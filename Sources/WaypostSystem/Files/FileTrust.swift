import Glibc

/// Who chose a path, which decides what may be there.
///
/// Neither waits for a FIFO's other end: anything but an ordinary file is refused.
public enum FileTrust: Sendable {
    /// A user who may name any file: links are followed.
    case named
    /// A program that makes the file in its own folder, where others may have put anything. A link is refused, and so is
    /// a file that has a second name elsewhere; a file that is only read may have one when it belongs to the folder's owner.
    case own
}

extension Syscalls {
    /// Opens an ordinary file.
    public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o640, as trust: FileTrust) throws(SystemError) -> Int32 {
        let descriptor: Int32
        do {
            descriptor = try open(path, flags | O_NONBLOCK | O_NOCTTY | (trust == .own ? O_NOFOLLOW : 0), mode: mode)
        } catch {
            if trust == .own, let odd = oddFile(path, behind: error.code) { throw odd }
            // A FIFO without a reader, a device that is not there, a socket.
            if error.code == ENXIO { throw error.explained("is not an ordinary file") }
            throw error
        }
        var status = stat()
        do throws(SystemError) {
            try retrying("look at", path: path) { fstat(descriptor, &status) }
            let kind = status.st_mode & S_IFMT
            if trust == .own, kind == S_IFDIR { throw SystemError.oddFile(path, "is a folder, not a file", code: EISDIR) }
            guard kind == S_IFREG || kind == S_IFDIR else {
                let what = "is not an ordinary file"
                if trust == .own { throw SystemError.oddFile(path, what) }
                throw SystemError(code: EINVAL, operation: "open", path: path).explained(what)
            }
            if trust == .own, status.st_nlink > 1, status.st_mode & S_IFMT == S_IFREG,
                flags & O_ACCMODE != O_RDONLY || status.st_uid != owner(ofFolderOf: path)
            {
                throw SystemError(code: EMLINK, operation: "open", path: path).explained("has a second name elsewhere")
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Whether a path names a link, wherever that leads.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path.cName, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// What is at a path where a program keeps a file of its own, if it is not an ordinary file; links are not followed.
    public static func oddFile(_ path: String) -> SystemError? {
        var status = stat()
        guard lstat(path.cName, &status) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: .oddFile(path, "is a folder, not a file", code: EISDIR)
        case S_IFLNK: .oddFile(path, "is a link, which is not followed here", code: ELOOP)
        default: .oddFile(path, "is not an ordinary file")
        }
    }

    /// How many bytes a file of a program's own has, if it is one that ``open(_:_:mode:as:)`` reads; nil otherwise.
    public static func ownByteCount(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path.cName, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1 || status.st_uid == owner(ofFolderOf: path)
        else { return nil }
        return Int64(status.st_size)
    }

    /// Whether an ordinary file at a path has a second name elsewhere.
    static func hasSecondName(_ path: String) -> Bool {
        var status = stat()
        return lstat(path.cName, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink > 1
    }

    /// Whether there is nothing at a path, or an ordinary file without a second name.
    static func isAbsentOrOwn(_ path: String) -> Bool {
        var status = stat()
        return lstat(path.cName, &status) != 0 || status.st_mode & S_IFMT == S_IFREG && status.st_nlink <= 1
    }

    /// The same, when opening it failed because of that.
    private static func oddFile(_ path: String, behind code: Int32) -> SystemError? {
        [ELOOP, ENXIO, EISDIR].contains(code) ? oddFile(path) : nil
    }

    /// Gives a file, folder or link another name beside it, `NAME.damaged-1`; what a link leads to stays as it is.
    ///
    /// - Returns: the new path.
    public static func setAside(_ path: String) throws(SystemError) -> String {
        var number = 1
        while exists("\(path).damaged-\(number)") { number += 1 }
        let aside = "\(path).damaged-\(number)"
        try rename(path, to: aside)
        return aside
    }

    /// Whether the path itself is a folder, not a link to one.
    public static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path.cName, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether two folders belong to the same user, the second itself and not what a link leads to.
    public static func haveSameOwner(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        return stat(first.cName, &one) == 0 && lstat(second.cName, &other) == 0 && one.st_uid == other.st_uid
    }

    /// Creates a folder that nobody else may enter, or shuts one that is there.
    ///
    /// Where the file system knows no permissions it stays as it is.
    /// - Errors: something else, or a folder of a stranger, has its name.
    public static func createShutFolder(_ path: String, in parent: String) throws(SystemError) {
        if mkdir(path.cName, 0o700) == 0 { return }
        guard errno == EEXIST else { throw SystemError(code: errno, operation: "create folder", path: path) }
        guard isOwnFolder(path) else { throw SystemError.oddFile(path, "is not a folder") }
        let owner = FileIdentity.owner(of: path)
        guard owner == geteuid() || owner == FileIdentity.owner(of: parent) else {
            throw SystemError.oddFile(path, "belongs to another user")
        }
        if isOpenToOthers(path) { _ = chmod(path.cName, 0o700) }
    }

    /// Writes over the beginning of a small file of this program's own, in place: no folder's time changes once it is there.
    package static func overwrite(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let descriptor = try open(path, O_WRONLY | O_CREAT, mode: 0o600, as: .own)
        defer { close(descriptor) }
        try writeAll(descriptor, bytes.span.bytes, at: 0, path: path)
    }

    /// Whether users who are neither its owner nor of its group may enter a folder, and those above it: they see then when a file in it is written.
    public static func letsOthersIn(_ path: String) -> Bool {
        var path = resolvingLinks(path)
        while !path.isEmpty {
            var status = stat()
            guard stat(path.cName, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        return true
    }

    /// Removes an empty folder; returns false when there is something in it, or none.
    @discardableResult
    public static func removeEmptyFolder(_ path: String) -> Bool { rmdir(path.cName) == 0 }

    /// Changes the working folder.
    public static func enterFolder(_ path: String) throws(SystemError) {
        try retrying("enter", path: path) { chdir(path.cName) }
    }

    private static func owner(ofFolderOf path: String) -> uid_t? {
        var status = stat()
        return stat((path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".").cName, &status) == 0 ? status.st_uid : nil
    }
}
