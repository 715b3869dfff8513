import Glibc
import Waypost

/// A user of a system, as far as needed to decide which files the user may read.
public struct ReadingUser: Equatable, Sendable {
    /// The user's name.
    public var name: String
    /// The name of the user's own group.
    public var groupName: String
    private var userID: UInt32
    private var groupIDs: Set<UInt32>

    /// The user of that name in the system's own lists, `/etc/passwd` and `/etc/group`; nil when not in both.
    public init?(named name: String, in tree: SystemTree = SystemTree(root: "")) {
        let fields = { (path: String) in
            (tree.lines(of: path) ?? []).map { $0.text.split(separator: ":", omittingEmptySubsequences: false).map(String.init) }
        }
        guard let account = fields("/etc/passwd").first(where: { $0.count == 7 && $0[0] == name }), let userID = UInt32(account[2]),
            let groupID = UInt32(account[3])
        else { return nil }
        let groups = fields("/etc/group").filter { $0.count == 4 }
        guard let own = groups.first(where: { UInt32($0[2]) == groupID }) else { return nil }
        (self.name, self.userID, groupName) = (name, userID, own[0])
        let others = groups.filter { $0[3].split(separator: ",").contains { $0 == name } }
        groupIDs = Set(others.compactMap { UInt32($0[2]) } + [groupID])
    }

    /// The user of this process; nil when the system's own lists do not have that user.
    public static var ofThisProcess: ReadingUser? { ProcessIdentity.current().userName.flatMap { ReadingUser(named: $0) } }

    /// Whether a file or folder belongs to this user, links not followed; nil when there is nothing.
    ///
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - tree: the system in which to look.
    public func owns(_ path: String, in tree: SystemTree = SystemTree(root: "")) -> Bool? {
        var status = stat()
        return lstat((tree.root + path).cName, &status) == 0 ? status.st_uid == userID : nil
    }

    /// What keeps this user from reading a file or folder; nil when nothing does, or when it cannot be known: other users' folders hide their
    /// content, and only root can see what an access list (`setfacl`) grants to others; a tree may not have kept the owners.
    ///
    /// - Concurrency: as root it may change the user of the whole process for a moment.
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - isSecret: whether no other user may read it.
    ///   - tree: the system in which to look.
    public func obstacle(
        to path: String, isSecret: Bool = false, in tree: SystemTree = SystemTree(root: "")
    ) -> ReadObstacle? {
        guard userID != 0, path.hasPrefix("/"), tree.keepsOwners else { return nil }
        var place = ""
        let names = tree.resolved(path).split(separator: "/")
        for (index, name) in names.enumerated() {
            place += "/\(name)"
            var status = stat()
            guard stat((tree.root + place).cName, &status) == 0 else { return nil }
            let isLast = index == names.count - 1
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            let needed: mode_t = (isLast ? 0o4 : 0) | (isFolder ? 0o1 : 0)
            let rights =
                status.st_uid == userID ? status.st_mode >> 6 : groupIDs.contains(status.st_gid) ? status.st_mode >> 3 : status.st_mode
            if rights & needed == needed { continue }
            // With an access list these bits are the most that the list may grant.
            if tree.root.isEmpty, status.st_mode >> 3 & needed == needed, userID != geteuid(), mayRead(path) != false { return nil }
            return ReadObstacle(user: self, path: path, folder: isFolder ? place : nil, isSecret: isSecret)
        }
        return nil
    }

    /// Tries whether the user may read it; nil when this process is not root.
    private func mayRead(_ path: String) -> Bool? {
        guard geteuid() == 0 else { return nil }
        do throws(SystemError) {
            try ProcessIdentity.act(as: userID, groups: groupIDs)
            let mayRead = faccessat(AT_FDCWD, path.cName, R_OK, AT_EACCESS) == 0
            try ProcessIdentity.actAsItself()
            return mayRead
        } catch {
            return nil
        }
    }
}

/// What keeps the tracker's user from reading a file.
public struct ReadObstacle: Equatable, Sendable {
    /// The user who may not read it.
    public var user: ReadingUser
    /// The file to read.
    public var path: String
    /// The folder on the way, or the path itself, that the user may not enter; nil when it is the file.
    public var folder: String?
    /// Whether no other user may read it.
    public var isSecret: Bool

    /// An obstacle.
    ///
    /// - Parameters:
    ///   - user: the user who may not read it.
    ///   - path: the file to read.
    ///   - folder: the folder on the way that the user may not enter; nil when it is the file.
    ///   - isSecret: whether no other user may read it.
    public init(user: ReadingUser, path: String, folder: String?, isSecret: Bool) {
        (self.user, self.path, self.folder, self.isSecret) = (user, path, folder, isSecret)
    }

    /// The problem, without the path: `the tracker runs as user waypost and may not read it`.
    public var reason: String {
        let what = folder.map { $0 == path ? "it" : "it: \(oneLine($0, limit: 200)) does not let that user in" } ?? "it"
        return "the tracker runs as user \(user.name) and may not read \(what)"
    }

    /// The command that allows it.
    public var command: String {
        let (owner, group) = (shellWord(user.name), shellWord(user.groupName))
        if let folder {
            // A home, or another program's folder, is never opened to others.
            guard folder.hasPrefix("/etc/") else {
                let rights = isSecret ? "-m 600 -o \(owner)" : "-m 640 -g \(group)"
                return "sudo install \(rights) \(shellWord(path)) /etc/waypost/"
            }
            return "sudo chgrp \(group) \(shellWord(folder)) && sudo chmod g+rx \(shellWord(folder))"
        }
        let file = shellWord(path)
        return isSecret
            ? "sudo chown \(owner) \(file) && sudo chmod 600 \(file)" : "sudo chgrp \(group) \(file) && sudo chmod 640 \(file)"
    }

    /// Whether the command makes a copy for the user instead of opening the folder.
    public var isCopied: Bool { folder.map { !$0.hasPrefix("/etc/") } ?? false }

    /// The problem, and the command that fixes it.
    public var words: String {
        "\(reason): \(command)\(isCopied ? ", and name the copy" : "")"
    }
}
