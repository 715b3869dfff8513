import CProcess
import Glibc

/// The way to a folder, walked name by name, and the folder itself, which is held open: what others put in its place later changes nothing.
///
/// For root, who may go everywhere: a user who may change a folder on the way decides where the rest of it leads.
/// - Concurrency: one owner; it cannot be copied.
public struct FolderWay: ~Copyable {
    /// The folder's owner.
    let userID: UInt32
    let groupID: UInt32
    /// Whether a user other than root could put something else in the folder's place.
    public let isExchangeable: Bool
    /// Which folder it is.
    public let identity: FileIdentity

    /// Whether the folder belongs to root.
    public var isRoots: Bool { userID == 0 }

    private let descriptor: Int32

    /// As many links as the kernel follows.
    private static let mostLinks = 40

    /// Walks to the folder at a path.
    ///
    /// - Errors: it cannot be reached, or is not a folder; a link on the way belongs neither to root nor to the folder's owner.
    public init(to path: String) throws(SystemError) {
        let start = Syscalls.openPath(path.hasPrefix("/") ? "/" : ".", in: AT_FDCWD)
        guard start >= 0 else { throw SystemError(code: errno, operation: "enter", path: path) }
        var place = start
        var status = stat()
        do throws(SystemError) {
            var names = FolderWay.names(in: path)
            var linkOwners: [UInt32] = []
            var linkCount = 0
            var isExchangeable = false
            while let name = names.popLast() {
                try Syscalls.retrying("look at", path: path) { fstat(place, &status) }
                isExchangeable = isExchangeable || FolderWay.isOpenToOthers(status)
                let next = Syscalls.openPath(name, in: place)
                guard next >= 0 else { throw SystemError(code: errno, operation: "enter", path: path) }
                try Syscalls.retrying("look at", path: path) { fstat(next, &status) }
                guard status.st_mode & S_IFMT == S_IFLNK else {
                    Syscalls.close(place)
                    place = next
                    continue
                }
                let target = Syscalls.linkTarget(openedAs: next)
                Syscalls.close(next)
                linkCount += 1
                guard let target, linkCount <= FolderWay.mostLinks else { throw SystemError(code: ELOOP, operation: "enter", path: path) }
                if status.st_uid != 0 { linkOwners.append(status.st_uid) }
                names += FolderWay.names(in: target)
                guard target.hasPrefix("/") else { continue }
                let root = Syscalls.openPath("/", in: AT_FDCWD)
                guard root >= 0 else { throw SystemError(code: errno, operation: "enter", path: path) }
                Syscalls.close(place)
                place = root
            }
            try Syscalls.retrying("look at", path: path) { fstat(place, &status) }
            guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(code: ENOTDIR, operation: "enter", path: path) }
            let owner = status.st_uid
            if let other = linkOwners.first(where: { $0 != owner }) {
                throw SystemError(code: EPERM, operation: "enter", path: path)
                    .explained("a link of user \(other) leads there, to a folder of another user; name the folder itself")
            }
            self.isExchangeable = isExchangeable
        } catch {
            Syscalls.close(place)
            throw error
        }
        (userID, groupID) = (status.st_uid, status.st_gid)
        identity = FileIdentity(status)
        descriptor = place
    }

    deinit { Syscalls.close(descriptor) }

    /// Makes it the working folder.
    public borrowing func enter() throws(SystemError) {
        try Syscalls.retrying("enter") { fchdir(descriptor) }
    }

    /// The names in a path, the last one first.
    private static func names(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
    }

    /// Whether others than root may replace what is in a folder: with the sticky bit only what is their own.
    private static func isOpenToOthers(_ status: stat) -> Bool {
        status.st_uid != 0 || status.st_mode & (S_IWGRP | S_IWOTH) != 0 && status.st_mode & S_ISVTX == 0
    }
}

extension Syscalls {
    /// Opens what has a name in a folder only to look at it, without following a link; negative on failure.
    fileprivate static func openPath(_ name: String, in folder: Int32) -> Int32 {
        cprocess_open_place(folder, name.cName)
    }

    /// Where a link leads that was opened by ``openPath(_:in:)``.
    fileprivate static func linkTarget(openedAs descriptor: Int32) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            let length = buffer.withMemoryRebound(to: CChar.self) { names in
                names.baseAddress.map { readlinkat(descriptor, "", $0, names.count) } ?? 0
            }
            count = max(0, length)
        }
        return bytes.isEmpty ? nil : String(nameBytes: bytes)
    }
}
