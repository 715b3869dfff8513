/// The files of a system: this one's, or those of a saved or made-up tree.
///
/// Paths are those of the system. Links are followed within the tree: one to `/lib/x` means `ROOT/lib/x`. Only ordinary files
/// are read, so that a FIFO in a foreign tree cannot block the caller.
public struct SystemTree: Sendable {
    /// The folder that stands for `/`; empty for this system.
    public let root: String

    /// The tree below a folder.
    public init(root: String) { self.root = root }

    /// Longer files, such as logs in a large tree, are of no use here.
    private static let longestFile = 1 << 20
    // As many links as the kernel follows.
    private static let mostLinks = 40

    /// The lines of a file, counted from 1; nil when it is missing, unreadable or not an ordinary file.
    public func lines(of path: String) -> [Evidence]? {
        let place = root + resolved(path)
        guard Syscalls.kind(place) == .regular else { return nil }
        // The content of an unreadable file is unknown: the check that asks says so.
        guard let bytes = try? Syscalls.contents(of: place, limit: SystemTree.longestFile) else { return nil }  // See above.
        let text = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().map { index, line in
            // Files of the device tree end with NUL.
            let visible = line.reversed().drop { $0 == 0 || $0 == UInt8(ascii: "\r") }.reversed()
            return Evidence(file: path, line: index + 1, text: String(decoding: Array(visible), as: UTF8.self))
        }
        return text.last?.text.isEmpty == true ? text.dropLast() : text
    }

    /// The first line of a file; nil when there is none.
    public func firstLine(of path: String) -> Evidence? { lines(of: path)?.first }

    /// The number of a user or group, by name.
    ///
    /// - Parameters:
    ///   - name: the user or group.
    ///   - file: `/etc/passwd` or `/etc/group`, each with the number in its third field; passwd(5), group(5).
    public func accountID(named name: String, in file: String) -> UInt32? {
        for line in lines(of: file) ?? [] {
            let fields = line.text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            if fields.count == 4, fields[0] == name { return UInt32(fields[2]) }
        }
        return nil
    }

    /// The names in a folder, sorted; nil when there is none, or it may not be read.
    public func names(in folder: String) -> [String]? {
        try? Syscalls.names(inFolder: root + resolved(folder))  // The check that asks says that it is not known.
    }

    /// Whether its files belong to those to whom the system gave them: not in a copy that an ordinary user has unpacked, and owns.
    package var keepsOwners: Bool {
        guard !root.isEmpty, let path = ["/etc/passwd", "/etc", ""].lazy.map({ root + $0 }).first(where: Syscalls.exists) else {
            return true
        }
        return FileIdentity.owner(of: path).map { $0 == 0 } ?? true
    }

    /// The target of a link; nil when there is none.
    public func linkTarget(_ path: String) -> String? { Syscalls.linkTarget(root + path) }

    /// Whether anything has that name; a link counts, wherever it leads.
    public func exists(_ path: String) -> Bool { Syscalls.exists(root + path) }

    /// The path without links, within the tree.
    public func resolved(_ path: String) -> String {
        var ahead: [Substring] = path.split(separator: "/").reversed()
        var done: [Substring] = []
        var links = 0
        while let name = ahead.popLast() {
            if name == "." { continue }
            if name == ".." {
                _ = done.popLast()
                continue
            }
            let here = "/" + (done + [name]).joined(separator: "/")
            guard links < SystemTree.mostLinks, let target = Syscalls.linkTarget(root + here) else {
                done.append(name)
                continue
            }
            links += 1
            if target.hasPrefix("/") { done = [] }
            ahead += target.split(separator: "/").reversed()
        }
        return "/" + done.joined(separator: "/")
    }
}
