import Glibc
import Waypost

/// Whether a program may be started on behalf of a user though nobody is there to look.
public enum ProgramTrust {
    /// Why a program must not be started for this process's user; nil when it may be.
    ///
    /// It must be named by its whole path, and be an ordinary file that this user may execute. Neither the file nor a folder above it, links
    /// followed, may be one that every user can write, a shared one such as `/tmp` neither, or belong to anybody but this user and root: whoever can
    /// put it there would run as this user.
    /// - Parameter path: the program.
    public static func obstacle(to path: String) -> String? {
        do throws(Obstacle) { _ = try trusted(path) } catch { return error.reason }
        return nil
    }

    /// Why a program must not be started, in words that follow its path.
    struct Obstacle: Error {
        var reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The program without links, once it is known that it may be started: a link could lead elsewhere a moment later.
    static func trusted(_ path: String) throws(Obstacle) -> String {
        guard path.hasPrefix("/") else { throw Obstacle("is not a whole path; begin it with /") }
        guard !path.utf8.contains(0) else { throw Obstacle("has a NUL character") }
        guard !path.utf8.contains(UInt8(ascii: "\n")) else { throw Obstacle("has a line feed in its path") }
        let resolved = Syscalls.resolvingLinks(path)
        var status = stat()
        guard stat(resolved.cName, &status) == 0 else { throw Obstacle("does not exist") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Obstacle("is not a file") }
        guard status.st_mode & 0o111 != 0, faccessat(AT_FDCWD, resolved.cName, X_OK, AT_EACCESS) == 0 else {
            throw Obstacle("is not executable for this user; chmod +x \(shellWord(path))")
        }
        if let obstacle = obstacle(toFile: resolved, allowsSharedFolders: false) { throw Obstacle(obstacle) }
        return resolved
    }

    /// Why what a file says must not be believed on behalf of this process's user: others can replace it; nil when only this user and root can.
    ///
    /// - Parameters:
    ///   - path: the file, without links.
    ///   - allowsSharedFolders: whether a folder above it may be one such as `/tmp`, in which everybody can put what is not there, but nobody can
    ///     replace what is somebody else's.
    static func obstacle(toFile path: String, allowsSharedFolders: Bool) -> String? {
        var status = stat()
        var place = path
        while true {
            guard stat(place.cName, &status) == 0 else { return "cannot be looked at" }
            let what = place == path ? "" : "its folder \(oneLine(place, limit: 200)) "
            let isShared = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
            if status.st_mode & S_IWOTH != 0, !(isShared && allowsSharedFolders) {
                let next = isShared ? "keep it below your home, for example" : "chmod o-w \(shellWord(place))"
                return "\(what)may be written by every user; \(next)"
            }
            if status.st_uid != 0, status.st_uid != geteuid() { return "\(what)belongs to another user" }
            guard place != "/", let slash = place.lastIndex(of: "/") else { return nil }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
    }
}
