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
            if trust == .own, error.code == ELOOP { throw error.explained("is a link, which is not followed here") }
            // A FIFO without a reader, a device that is not there, a socket.
            if error.code == ENXIO { throw error.explained("is not an ordinary file") }
            throw error
        }
        var status = stat()
        do throws(SystemError) {
            try retrying("look at", path: path) { fstat(descriptor, &status) }
            guard status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFDIR else {
                throw SystemError(code: EINVAL, operation: "open", path: path).explained("is not an ordinary file")
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

    /// Changes the working folder.
    public static func enterFolder(_ path: String) throws(SystemError) {
        try retrying("enter", path: path) { chdir(path.cName) }
    }

    private static func owner(ofFolderOf path: String) -> uid_t? {
        var status = stat()
        return stat((path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".").cName, &status) == 0 ? status.st_uid : nil
    }
}
